// The command: `npm run simulate:webhooks -- --seeds 500 --from 1 [--trace]`. It uses one thread, because it runs
// beside other steps.
import { Command, InvalidArgumentError } from 'commander';
import type { Violation } from './checker/evidence.ts';
import { missedBy } from './coverage.ts';
import { drawPlan } from './draw-plan.ts';
import { PLAIN_PLAN, type Plan } from './plan.ts';
import { shrink } from './shrink.ts';
import { simulate } from './simulate.ts';

interface Options {
  readonly seeds: number;
  readonly from: number;
  readonly plan?: string;
  readonly trace: boolean;
  readonly shrink: boolean;
  readonly quiet: boolean;
}

/** Further violations are listed, but not shrunk. */
const MOST_SHRUNK = 3;

const print = (line: string) => void process.stdout.write(`${line}\n`);

function integer(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 0)
    throw new InvalidArgumentError('It must be an integer of at least 0.');
  return number;
}

const program = new Command('simulate:webhooks')
  .description('Delivers events to simulated receivers in virtual time, with injected faults of every kind.')
  .option('--seeds <n>', 'how many seeds to run', integer, 200)
  .option('--from <seed>', 'the first seed', integer, 1)
  .option('--plan <json>', 'run this plan; what it does not name is as in a plan without faults')
  .option('--trace', 'print everything that happens in the run of the first seed', false)
  .option('--no-shrink', 'print violations as found, without shrinking them')
  .option('--quiet', 'print only figures and violations, not how often each thing happened', false);

function describe({ guarantee, webhook = '', place = '', message }: Violation): string {
  return `${guarantee} ${webhook} ${place} ${message}`;
}

async function traceOne(plan: Plan): Promise<boolean> {
  const { lines, violations, hash, evidence } = await simulate(plan, { isRead: true });
  for (const line of lines) print(line);
  for (const violation of violations) print(describe(violation));
  print(`hash ${hash}, ${evidence.written.length} events`);
  return violations.length === 0;
}

async function runSeeds({ seeds, from, quiet, ...options }: Options): Promise<boolean> {
  const startedAt = performance.now();
  const occurrences = new Map<string, number>();
  const totals = { violating: 0, attempts: 0, virtualMs: 0 };
  for (let seed = from; seed < from + seeds; seed += 1) {
    const run = await simulate(drawPlan(seed));
    for (const [name, count] of run.occurrences) occurrences.set(name, (occurrences.get(name) ?? 0) + count);
    totals.virtualMs += run.virtualMs;
    for (const { attempts } of run.evidence.webhooks) totals.attempts += attempts.length;
    const [first] = run.violations;
    if (first === undefined) continue;
    totals.violating += 1;
    print(`seed ${seed}: ${describe(first)}, and ${run.violations.length - 1} more`);
    if (!options.shrink || totals.violating > MOST_SHRUNK) continue;
    const smallest = await shrink(run, first.guarantee);
    print(`  again: npm run simulate:webhooks -- --trace --plan '${JSON.stringify(smallest.plan)}'`);
  }
  if (!quiet)
    for (const [name, count] of [...occurrences].sort(([a], [b]) => (a < b ? -1 : 1)))
      print(`${String(count).padStart(9)} ${name}`);
  const seconds = (performance.now() - startedAt) / 1_000;
  print(
    `${seeds} runs, ${totals.violating} with a violation; ${totals.attempts} attempts, ` +
      `${Math.round(totals.virtualMs / 86_400_000)} virtual days in ${seconds.toFixed(0)} s`,
  );
  const missed = missedBy(occurrences, seeds);
  if (missed.length > 0) print(`Never occurred: ${missed.join(', ')}`);
  return totals.violating === 0 && missed.length === 0;
}

const options = program.parse().opts<Options>();
const given = options.plan === undefined ? undefined : (JSON.parse(options.plan) as Partial<Plan>);
const isWell =
  given !== undefined
    ? await traceOne({ ...PLAIN_PLAN, ...given })
    : options.trace
      ? await traceOne(drawPlan(options.from))
      : await runSeeds(options);
process.exitCode = isWell ? 0 : 1;
