// The command: `npm run simulate -- --seeds 2000`. It divides the seeds among as many processes as there are cores.
import { availableParallelism } from 'node:os';
import { Command, Option } from 'commander';
import { endWithReader } from '../../local/cli/print.ts';
import { readKnobs } from '../../local/reference-service/read-knobs.ts';
import { integer, print, printTrace, STEP } from '../simulation-frame/command-line.ts';
import { runAsWorker, runSeeds, type SeedOptions } from '../simulation-frame/run-seeds.ts';
import { addOutcome, createTally, outcomeOf } from '../simulation-frame/tally.ts';
import { drawPlan } from './draw-plan.ts';
import { completePlan, type Plan, PROFILES, type Profile } from './plan.ts';
import {
  type Outcome,
  printFigures,
  printMissed,
  printOccurrences,
  printViolation,
  summarizeOutcome,
  type Tally,
} from './report.ts';
import { shrink } from './shrink.ts';
import { simulate } from './simulate.ts';

interface Options extends SeedOptions {
  readonly profile: Profile;
  readonly knobs: readonly string[];
  readonly plan?: string;
  readonly trace: boolean;
  readonly shrink: boolean;
  readonly stop: number;
  readonly quiet: boolean;
}

/** Further violations are listed, but not shrunk. */
const MOST_SHOWN = 3;
const MOST_LISTED = 200;

const program = new Command('simulate')
  .description(
    'Runs the feed against the reference service in virtual time, with injected faults of every kind.',
  )
  .option('--seeds <n>', 'how many seeds to run', integer(1), 200)
  .option('--from <seed>', 'the first seed', integer(0), 1)
  .addOption(new Option('--profile <name>', 'which plans are drawn').choices(PROFILES).default('plausible'))
  .option('--knobs <name=value...>', 'set knobs of the reference service in every run', [])
  .option('--plan <json>', 'run this plan; with --seeds, apply it as a change to every plan')
  .option('--jobs <n>', 'number of processes', integer(1), availableParallelism())
  .option('--trace', 'print every event of the run (for a single seed)', false)
  .option('--no-shrink', 'print violations as found, without shrinking them')
  .option('--stop <n>', 'stop after this many violating seeds', integer(1), Number.MAX_SAFE_INTEGER)
  .option('--quiet', 'print only figures and violations, not how often each thing happened', false)
  .addOption(STEP);

function planOf(seed: number, { profile, knobs, plan }: Options): Plan {
  const drawn = drawPlan(seed, profile);
  const changed =
    plan === undefined ? drawn : completePlan(JSON.parse(plan) as Record<string, unknown>, drawn);
  return { ...changed, knobs: { ...changed.knobs, ...readKnobs(knobs) } };
}

async function runOne(seed: number, options: Options): Promise<Outcome> {
  const before = process.cpuUsage();
  const run = await simulate(planOf(seed, options));
  const { user, system } = process.cpuUsage(before);
  const { events, requests, virtualMs } = run;
  return outcomeOf(run, { events, requests, virtualMs, cpuMs: (user + system) / 1_000 });
}

async function runMany(options: Options): Promise<Tally> {
  const tally: Tally = createTally({ events: 0, requests: 0, virtualMs: 0, cpuMs: 0 });
  const startedAt = performance.now();
  await runSeeds<Outcome>(options, {
    run: (seed) => runOne(seed, options),
    report(outcome) {
      addOutcome(tally, outcome);
      // Print violations at once: a long run may be stopped before its end.
      if (outcome.violations.length > 0) process.stderr.write(`${summarizeOutcome(outcome)}\n`);
      return tally.violating.length < options.stop;
    },
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
  return printTrace(
    run,
    ({ guarantee, place = '', message }) => `${guarantee} ${place} ${message}`,
    `${run.requests} requests, ${run.events} events`,
  );
}

async function main(): Promise<boolean> {
  const options = program.parse().opts<Options>();
  if (options.step !== undefined) {
    await runAsWorker(options, (seed) => runOne(seed, options));
    return true;
  }
  const isOnePlan = options.plan !== undefined && program.getOptionValueSource('seeds') === 'default';
  if (isOnePlan) return traceOne(completePlan(JSON.parse(options.plan ?? '{}') as Record<string, unknown>));
  if (options.trace) return traceOne(planOf(options.from, options));
  const tally = await runMany(options);
  await showViolations(tally, options.shrink);
  const isAsDrawn =
    options.plan === undefined && options.knobs.length === 0 && options.profile === 'plausible';
  const isWhole = !isAsDrawn || printMissed(print, tally);
  return tally.violating.length === 0 && isWhole;
}

endWithReader(process.stdout);
process.exitCode = (await main()) ? 0 : 1;
