// The command: `npm run simulate -- --seeds 2000`. It divides the seeds among as many processes as there are cores.
import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { Command, InvalidArgumentError, Option } from 'commander';
import { readKnobs } from '../../local/reference-service/read-knobs.ts';
import type { Profile } from './plan.ts';
import { completePlan, type Plan, PROFILES } from './plan.ts';
import { makePlan } from './profiles.ts';
import { printFigures, printMissed, printOccurrences, printViolation, summarizeOutcome } from './report.ts';
import { shrink } from './shrink.ts';
import { simulate } from './simulate.ts';
import { addOutcome, createTally, type Outcome, outcomeOf, type Tally } from './tally.ts';

interface Options {
  readonly seeds: number;
  readonly from: number;
  readonly profile: Profile;
  readonly knobs: readonly string[];
  readonly plan?: string;
  readonly jobs: number;
  readonly trace: boolean;
  readonly shrink: boolean;
  readonly stop: number;
  readonly quiet: boolean;
  /** Set only in worker processes: they run every `step`-th seed. */
  readonly step?: number;
}

const PROGRESS_EVERY_MS = 5_000;
/** Further violations are listed, but not shrunk. */
const MOST_SHOWN = 3;
const MOST_LISTED = 200;

const print = (line: string) => void process.stdout.write(`${line}\n`);

function integer(least: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (!Number.isSafeInteger(number) || number < least) {
      throw new InvalidArgumentError(`It must be an integer of at least ${least}.`);
    }
    return number;
  };
}

const program = new Command('simulate')
  .description(
    'Runs the feed against the reference service in virtual time, with injected faults of every kind.',
  )
  .option('--seeds <n>', 'how many seeds to run', integer(1), 200)
  .option('--from <seed>', 'the first seed', integer(0), 1)
  .addOption(new Option('--profile <name>', 'which plans are drawn').choices(PROFILES).default('everything'))
  .option('--knobs <name=value...>', 'set knobs of the reference service in every run', [])
  .option('--plan <json>', 'run this plan; with --seeds, apply it as a change to every plan')
  .option('--jobs <n>', 'number of processes', integer(1), availableParallelism())
  .option('--trace', 'print every event of the run (for a single seed)', false)
  .option('--no-shrink', 'print violations as found, without shrinking them')
  .option('--stop <n>', 'stop after this many violating seeds', integer(1), Number.MAX_SAFE_INTEGER)
  .option('--quiet', 'print only figures and violations, not how often each thing happened', false)
  .addOption(new Option('--step <n>').argParser(integer(1)).hideHelp());

function planOf(seed: number, { profile, knobs, plan }: Options): Plan {
  const drawn = makePlan(seed, profile);
  const changed =
    plan === undefined ? drawn : completePlan(JSON.parse(plan) as Record<string, unknown>, drawn);
  return { ...changed, knobs: { ...changed.knobs, ...readKnobs(knobs) } };
}

/** Runs every `step`-th seed and reports its outcome. Stops when `report` returns false. */
async function runSeeds(options: Options, report: (outcome: Outcome) => boolean): Promise<void> {
  const { from, seeds, step = 1 } = options;
  for (let seed = from; seed < from + seeds; seed += step) {
    const before = process.cpuUsage();
    const run = await simulate(planOf(seed, options));
    const { user, system } = process.cpuUsage(before);
    if (!report(outcomeOf(run, (user + system) / 1_000))) return;
  }
}

/** Divides the seeds among worker processes. */
async function runInParallel(options: Options, report: (outcome: Outcome) => boolean): Promise<void> {
  const [, script = ''] = process.argv;
  const jobs = Math.min(options.jobs, options.seeds);
  const workers = Array.from({ length: jobs }, (_, index) => {
    const from = options.from + index;
    const seeds = options.seeds - index;
    const own = [
      ...process.argv.slice(2),
      '--from',
      String(from),
      '--seeds',
      String(seeds),
      '--step',
      String(jobs),
    ];
    return fork(script, own, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  });
  await Promise.all(
    workers.map(
      (worker) =>
        new Promise<void>((resolve, reject) => {
          worker.on('message', (outcome) => {
            if (!report(outcome as Outcome)) for (const each of workers) each.kill();
          });
          worker.on('exit', (code, signal) =>
            code === 0 || signal === 'SIGTERM'
              ? resolve()
              : reject(new Error(`a worker process ended with code ${code}`)),
          );
        }),
    ),
  );
}

async function runMany(options: Options): Promise<Tally> {
  const tally = createTally();
  const startedAt = performance.now();
  let reportedAt = startedAt;
  const run = options.jobs === 1 ? runSeeds : runInParallel;
  await run(options, (outcome) => {
    const known = tally.violating.length;
    addOutcome(tally, outcome);
    // Print violations at once: a long run may be stopped before its end.
    for (const violating of tally.violating.slice(known))
      process.stderr.write(`${summarizeOutcome(violating)}\n`);
    if (performance.now() - reportedAt > PROGRESS_EVERY_MS) {
      reportedAt = performance.now();
      const perSecond = (tally.runs * 1_000) / (reportedAt - startedAt);
      process.stderr.write(
        `${tally.runs}/${options.seeds} runs, ${perSecond.toFixed(1)} a second, ${tally.violating.length} violating\n`,
      );
    }
    return tally.violating.length < options.stop;
  });
  if (!options.quiet) printOccurrences(print, tally);
  printFigures(print, tally, performance.now() - startedAt);
  return tally;
}

async function showViolations({ violating }: Tally, isShrunk: boolean): Promise<void> {
  const inOrder = [...violating].sort((a, b) => a.seed - b.seed);
  for (const { seed, plan } of inOrder.slice(0, MOST_SHOWN)) {
    const run = await simulate(plan);
    const [first] = run.violations;
    if (first === undefined) {
      print(`Seed ${seed} did not break a guarantee again: a run depends on more than its plan.`);
      continue;
    }
    const smallest = isShrunk ? await shrink(run, first.guarantee) : run;
    printViolation(print, seed, await simulate(smallest.plan, { isRead: true }));
  }
  const rest = inOrder.slice(MOST_SHOWN);
  if (rest.length > 0) print('\nMore:');
  for (const outcome of rest.slice(0, MOST_LISTED)) print(summarizeOutcome(outcome));
}

async function traceOne(plan: Plan): Promise<boolean> {
  const run = await simulate(plan, { isRead: true });
  for (const line of run.lines) print(line);
  for (const { guarantee, place = '', message } of run.violations) print(`${guarantee} ${place} ${message}`);
  print(`hash ${run.hash}, ${run.requests} requests, ${run.events} events`);
  return run.violations.length === 0;
}

async function main(): Promise<boolean> {
  const options = program.parse().opts<Options>();
  if (options.step !== undefined) {
    await runSeeds(options, (outcome) => process.send?.(outcome) ?? true);
    process.disconnect?.();
    return true;
  }
  const isOnePlan = options.plan !== undefined && program.getOptionValueSource('seeds') === 'default';
  if (isOnePlan) return traceOne(completePlan(JSON.parse(options.plan ?? '{}') as Record<string, unknown>));
  if (options.trace) return traceOne(planOf(options.from, options));
  const tally = await runMany(options);
  await showViolations(tally, options.shrink);
  const isAsDrawn =
    options.plan === undefined && options.knobs.length === 0 && options.profile === 'everything';
  const isWhole = !isAsDrawn || printMissed(print, tally);
  return tally.violating.length === 0 && isWhole;
}

process.exitCode = (await main()) ? 0 : 1;
