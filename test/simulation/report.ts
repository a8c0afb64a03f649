// Prints the results of runs: the figures, the counts of events and faults, and for a violation everything needed to
// reproduce it.
import { replayCommand } from '../simulation-frame/command-line.ts';
import type { Outcome as OutcomeOf, Tally as TallyOf } from '../simulation-frame/tally.ts';
import { ENOUGH_RUNS, missedBy } from './coverage.ts';
import { abbreviatePlan } from './plan.ts';
import type { Run } from './simulate.ts';

type Print = (line: string) => void;
type Figure = 'events' | 'requests' | 'virtualMs' | 'cpuMs';
export type Outcome = OutcomeOf<Run, Figure>;
export type Tally = TallyOf<Run, Figure>;

const HOUR_MS = 3_600_000;

export function printFigures(print: Print, tally: Tally, wallMs: number): void {
  const { runs, violating } = tally;
  const { requests, events, virtualMs, cpuMs } = tally.totals;
  const perSecond = (runs / Math.max(wallMs, 1)) * 1_000;
  print(
    `${runs} runs, ${violating.length} with a violation; ${perSecond.toFixed(1)} a second, ` +
      `${(cpuMs / Math.max(runs, 1)).toFixed(1)} ms of processor each`,
  );
  print(`${requests} requests, ${events} events, ${(virtualMs / HOUR_MS).toFixed(1)} virtual hours`);
}

/** Prints the counts, one paragraph per kind. */
export function printOccurrences(print: Print, tally: Tally): void {
  const kinds = new Map<string, [string, number][]>();
  for (const [name, count] of [...tally.occurrences].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const [kind = ''] = name.split(' ');
    kinds.set(kind, [...(kinds.get(kind) ?? []), [name.slice(kind.length + 1), count]]);
  }
  for (const [kind, counted] of kinds) {
    print('');
    print(kind);
    for (const line of inColumns(counted.map(([name, count]) => `${String(count).padStart(8)} ${name}`)))
      print(line);
  }
}

/** @returns whether every case occurred, or there were too few runs to decide */
export function printMissed(print: Print, { occurrences, runs }: Tally): boolean {
  const never = missedBy(occurrences);
  print('');
  if (never.length === 0) print('Every knob, fault, crash point, guard and event occurred.');
  else if (runs < ENOUGH_RUNS)
    print(
      `${never.length} knobs, faults and other cases did not occur, which is normal below ${ENOUGH_RUNS} runs.`,
    );
  else print(`Never occurred: ${never.join(', ')}`);
  return never.length === 0 || runs < ENOUGH_RUNS;
}

const LINE = 118;

function inColumns(cells: readonly string[]): string[] {
  const width = Math.max(...cells.map((cell) => cell.length)) + 2;
  const columns = Math.max(1, Math.floor(LINE / width));
  const rows = Math.ceil(cells.length / columns);
  return Array.from({ length: rows }, (_, row) =>
    Array.from({ length: columns }, (_, column) => (cells[column * rows + row] ?? '').padEnd(width))
      .join('')
      .trimEnd(),
  );
}

/** Prints a violation with its shortest explanation. `run` has its lines. */
export function printViolation(print: Print, seed: number, run: Run): void {
  const [first] = run.violations;
  if (first === undefined) return;
  print('');
  print(`Seed ${seed} breaks ${first.guarantee}: ${first.place ?? 'the source'} ${first.message}`);
  const others = run.violations.length - 1;
  if (others > 0) print(`  and ${others} more`);
  if (run.struck.length > 0) print(`  faults needed: ${run.struck.join(', ')}`);
  for (const line of linesAbout(run.lines, first.place)) print(`  ${line}`);
  print(`  again: ${replayCommand('simulate', abbreviatePlan(run.plan))}`);
}

/** A violating seed in one line. */
export function summarizeOutcome({ seed, violations }: Outcome): string {
  const [first] = violations;
  const others = violations.length > 1 ? ` (and ${violations.length - 1} more)` : '';
  const summary = `${first?.guarantee}: ${first?.place ?? 'the source'} ${first?.message}`;
  return `${String(seed).padStart(8)} ${summary.slice(0, MOST_LETTERS)}${others}`;
}

const MOST_LETTERS = 200;

/** The lines about requests, answers and the group of the violation. */
function linesAbout(lines: readonly string[], place: string | undefined): string[] {
  const group = /of group (\d+)/.exec(place ?? '')?.[1] ?? /_(\d+)_\d+$/.exec(place ?? '')?.[1] ?? 'no group';
  const related = lines.filter((line) => line.includes(group) || SHOWN.test(line));
  return related.length <= MOST_LINES
    ? related
    : [...related.slice(0, MOST_LINES / 2), '…', ...related.slice(-MOST_LINES / 2)];
}

const SHOWN = /service {3}|tick|ends:|calm|state:|crash|lost|freeze|clock-jump| fail$| store /;
const MOST_LINES = 80;
