// The command: `npm run simulate:webhooks -- --seeds 500 --from 1 [--trace]`. One process unless `--jobs` asks for more: CI
// runs it beside other steps.
import { Command } from 'commander';
import { endWithReader } from '../../local/cli/print.ts';
import { integer, print, printTrace, replayCommand, STEP } from '../simulation-frame/command-line.ts';
import { runAsWorker, runSeeds, type SeedOptions } from '../simulation-frame/run-seeds.ts';
import { addOutcome, createTally, type Outcome as OutcomeOf, outcomeOf } from '../simulation-frame/tally.ts';
import type { Violation } from './checker/evidence.ts';
import { missedBy } from './coverage.ts';
import { drawPlan } from './draw-plan.ts';
import { PLAIN_PLAN, type Plan } from './plan.ts';
import { shrink } from './shrink.ts';
import { type Run, simulate } from './simulate.ts';

interface Options extends SeedOptions {
  readonly plan?: string;
  readonly trace: boolean;
  readonly shrink: boolean;
  readonly quiet: boolean;
}

type Figure = 'attempts' | 'virtualMs';
type Outcome = OutcomeOf<Run, Figure>;

/** Further violations are listed, but not shrunk. */
const MOST_SHRUNK = 3;

const program = new Command('simulate:webhooks')
  .description('Delivers events to simulated receivers in virtual time, with injected faults of every kind.')
  .option('--seeds <n>', 'how many seeds to run', integer(0), 200)
  .option('--from <seed>', 'the first seed', integer(0), 1)
  .option('--plan <json>', 'run this plan; what it does not name is as in a plan without faults')
  .option('--jobs <n>', 'number of processes', integer(1), 1)
  .option('--trace', 'print everything that happens in the run of the first seed', false)
  .option('--no-shrink', 'print violations as found, without shrinking them')
  .option('--quiet', 'print only figures and violations, not how often each thing happened', false)
  .addOption(STEP);

function describe({ guarantee, webhook = '', place = '', message }: Violation): string {
  return `${guarantee} ${webhook} ${place} ${message}`;
}

async function traceOne(plan: Plan): Promise<boolean> {
  const run = await simulate(plan, { isRead: true });
  return printTrace(run, describe, `${run.evidence.written.length} events`);
}

async function runOne(seed: number) {
  const run = await simulate(drawPlan(seed));
  const attempts = run.evidence.webhooks.reduce((sum, webhook) => sum + webhook.attempts.length, 0);
  return outcomeOf(run, { attempts, virtualMs: run.virtualMs });
}

async function printViolation({ seed, plan, violations: [first, ...others] }: Outcome, isShrunk: boolean) {
  if (first === undefined) return;
  print(`seed ${seed}: ${describe(first)}, and ${others.length} more`);
  if (!isShrunk) return;
  const smallest = await shrink(await simulate(plan), first.guarantee);
  print(`  again: ${replayCommand('simulate:webhooks', smallest.plan)}`);
}

async function runMany(options: Options): Promise<boolean> {
  const startedAt = performance.now();
  const tally = createTally<Run, Figure>({ attempts: 0, virtualMs: 0 });
  await runSeeds<Outcome>(options, {
    run: runOne,
    async report(outcome) {
      addOutcome(tally, outcome);
      await printViolation(outcome, options.shrink && tally.violating.length <= MOST_SHRUNK);
      return true;
    },
  });
  const { runs, totals, violating, occurrences } = tally;
  if (!options.quiet)
    for (const [name, count] of [...occurrences].sort(([a], [b]) => (a < b ? -1 : 1)))
      print(`${String(count).padStart(9)} ${name}`);
  const seconds = (performance.now() - startedAt) / 1_000;
  print(
    `${runs} runs, ${violating.length} with a violation; ${totals.attempts} attempts, ` +
      `${Math.round(totals.virtualMs / 86_400_000)} virtual days in ${seconds.toFixed(0)} s`,
  );
  const missed = missedBy(occurrences, runs);
  if (missed.length > 0) print(`Never occurred: ${missed.join(', ')}`);
  return violating.length === 0 && missed.length === 0;
}

async function main(): Promise<boolean> {
  const options = program.parse().opts<Options>();
  if (options.step !== undefined) {
    await runAsWorker(options, runOne);
    return true;
  }
  if (options.plan !== undefined)
    return traceOne({ ...PLAIN_PLAN, ...(JSON.parse(options.plan) as Partial<Plan>) });
  if (options.trace) return traceOne(drawPlan(options.from));
  return runMany(options);
}

endWithReader(process.stdout);
process.exitCode = (await main()) ? 0 : 1;
