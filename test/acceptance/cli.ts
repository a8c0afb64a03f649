import { writeFile } from 'node:fs/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import { PLAUSIBLE } from './plausible-services.ts';
import { runScenario } from './run-scenario.ts';
import type { Scenario } from './scenario.ts';
import type { Outcome } from './scenario-run.ts';
import { STRANGE } from './strange-services.ts';

const SHOWN_PROBLEMS = 6;
const PROFILES = { plausible: PLAUSIBLE, strange: STRANGE };
const ALL = Object.values(PROFILES).flat();

interface Options {
  readonly only?: string[];
  readonly profile?: keyof typeof PROFILES;
  readonly seed: number;
  readonly list?: boolean;
  readonly jobs: number;
  readonly keep?: string;
  readonly report?: string;
  readonly short?: boolean;
  readonly long?: boolean;
}

const program = new Command('acceptance')
  .description('Runs `returns-feed watch` against a service and a judge that share no code with it.')
  .option('--only <name...>', 'run only these scenarios')
  .addOption(new Option('--profile <name>', 'run only these services').choices(Object.keys(PROFILES)))
  .option('--seed <number>', 'seed for the details of each behaviour', wholeNumber, 1)
  .option('--jobs <number>', 'number of scenarios at a time', wholeNumber, 5)
  .option('--short', 'leave out scenarios that take six minutes')
  .option('--long', 'run only those')
  .option('--keep <directory>', 'keep requests, events and histories of each scenario')
  .option('--report <file>', 'write the counts as JSON, in the format of vitest')
  .option('--list', 'list the scenarios')
  .action(run);

await program.parseAsync();

async function run(options: Options): Promise<void> {
  const chosen = choose(options);
  if (options.list) {
    for (const { name, about } of chosen) console.log(`${name.padEnd(30)} ${about}`);
    return;
  }
  const waiting = [...chosen];
  const outcomes: boolean[] = [];
  const work = async () => {
    for (let scenario = waiting.shift(); scenario; scenario = waiting.shift()) {
      outcomes.push(await runAndPrint(scenario, options));
    }
  };
  await Promise.all(Array.from({ length: options.jobs }, work));

  const passed = outcomes.filter((held) => held).length;
  const failed = outcomes.length - passed;
  if (options.report) {
    const counts = { numPassedTests: passed, numFailedTests: failed, numPendingTests: 0 };
    await writeFile(options.report, JSON.stringify(counts));
  }
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}

function choose({ only, short, long: onlyLong, profile }: Options): Scenario[] {
  const unknown = only?.filter((name) => !ALL.some((scenario) => scenario.name === name)) ?? [];
  if (unknown.length > 0)
    program.error(`error: there is no scenario ${unknown.join(', ')}; --list names them`);
  const chosen = (profile ? PROFILES[profile] : ALL).toSorted(
    (a, b) => Number(b.long ?? false) - Number(a.long ?? false),
  );
  // Those that take longest begin first.
  return chosen.filter(({ name, long }) => (only ? only.includes(name) : long ? !short : !onlyLong));
}

async function runAndPrint(scenario: Scenario, { seed, keep }: Options): Promise<boolean> {
  try {
    const outcome = await runScenario(scenario, seed, keep);
    const held = outcome.problems.length === 0;
    console.log(`${held ? 'ok    ' : 'FAILED'} ${scenario.name.padEnd(30)} ${figures(outcome)}`);
    for (const { rule, text } of outcome.problems.slice(0, SHOWN_PROBLEMS))
      console.log(`         ${rule}: ${text}`);
    const more = outcome.problems.length - SHOWN_PROBLEMS;
    if (more > 0) console.log(`         and ${more} more`);
    if (!held)
      console.log(`         again: npm run acceptance -- --only ${scenario.name} --seed ${seed} --keep DIR`);
    return held;
  } catch (error) {
    console.log(`FAILED ${scenario.name}: ${error instanceof Error ? error.stack : error}`);
    return false;
  }
}

function figures({ verdict, requests, tookMs, completeAfterMs, saidAfterMs }: Outcome): string {
  const parts = [
    `${verdict.events} events`,
    `${verdict.repeats} repeated`,
    `${requests} requests, ${verdict.peakRequests} in 60 s at most`,
    completeAfterMs === undefined ? 'not complete' : `complete after ${seconds(completeAfterMs)}`,
    ...(saidAfterMs === undefined ? [] : [`reported after ${seconds(saidAfterMs)}`]),
    `took ${seconds(tookMs)}`,
  ];
  return parts.join('; ');
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new InvalidArgumentError('It must be an integer of at least 1.');
  return value;
}
