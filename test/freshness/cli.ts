// The command: `npm run bench:freshness`. It shares the runs, each of one reader in one setting, among as many
// processes as there are cores.
import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { Command, InvalidArgumentError, Option } from 'commander';
import { parseDuration } from '../../local/cli/durations.ts';
import { PAGE_LIMIT } from '../../shared/limits.ts';

import { readersOf } from './readers.ts';
import { tableHead, tableRow } from './report.ts';
import { type Figures, type ReaderOptions, runReader } from './run-reader.ts';
import { type Changing, SETTINGS } from './settings.ts';

interface Options {
  readonly setting?: readonly string[];
  readonly reader?: readonly string[];
  readonly groups: number;
  readonly seed: number;
  readonly every?: number;
  readonly reconcile?: number;
  readonly settle?: number;
  readonly budget: number;
  readonly request: number;
  readonly page: number;
  readonly changes: Changing;
  readonly schedule: 'watch' | 'aws';
  readonly json: boolean;
  readonly kinds: boolean;
  readonly jobs: number;
  /** Set only in worker processes, which run the jobs that they receive. */
  readonly worker: boolean;
}

const print = (line: string) => void process.stdout.write(`${line}\n`);

function integer(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 0) throw new InvalidArgumentError('It must be an integer.');
  return number;
}

const program = new Command('bench:freshness')
  .description('Measures in virtual time how soon readers know the changes of the reference service.')
  .option(
    '--setting <name...>',
    `settings, by name or part of it: ${SETTINGS.map(({ name }) => name).join(', ')}`,
  )
  .option('--reader <name...>', 'readers, by name or part of it')
  .option('--groups <n>', 'groups of the store', integer, 300)
  .option('--seed <n>', 'seed of the store', integer, 1)
  .option('--every <duration>', 'time between polls of all readers', parseDuration)
  .option('--reconcile <duration>', "our reader's alone, instead of the usual combinations", parseDuration)
  .option('--settle <duration>', "our reader's alone, instead of the usual combinations", parseDuration)
  .option('--budget <n>', "our reader's requests a minute", integer, 240)
  .option('--request <ms>', 'how long a request takes', integer, 50)
  .option('--page <rows>', 'rows of a page at most; some settings have fewer', integer, PAGE_LIMIT)
  .addOption(
    new Option('--schedule <name>', "our reader's ticks: as of `watch`, or as of a schedule of AWS")
      .choices(['watch', 'aws'])
      .default('watch'),
  )
  .addOption(
    new Option(
      '--changes <name>',
      'which groups change: any alike, or those that the store changes by itself',
    )
      .choices(['spread', 'life'])
      .default('spread'),
  )
  .option('--json', 'print one JSON object for each run', false)
  .option('--kinds', 'print what the requests were sent for', false)
  .option('--jobs <n>', 'number of processes', integer, availableParallelism())
  .addOption(new Option('--worker').default(false).hideHelp());

function runsOf(options: Options) {
  const isNamed = (names: readonly string[] | undefined, name: string) =>
    names === undefined ||
    names.some((part) => name === part || (!names.includes(name) && name.includes(part)));
  const settings = SETTINGS.filter(({ name }) => isNamed(options.setting, name));
  const readers = readersOf(options).filter(({ name }) => isNamed(options.reader, name));
  return settings.flatMap((setting) => readers.map((reader) => ({ setting, reader })));
}

type OneRun = { readonly setting: (typeof SETTINGS)[number]; readonly reader: ReaderOptions };

function run(
  { setting, reader }: OneRun,
  { seed, groups, request, page, changes }: Options,
): Promise<Figures> {
  const options = { setting, seed, groups, requestMs: request, pageRows: page, changing: changes };
  return runReader(options, reader);
}

function show(figures: Figures, { json, kinds }: Options): void {
  print(json ? JSON.stringify(figures) : tableRow(figures));
  if (json || !kinds) return;
  for (const [when, counts] of [
    ['changes', figures.kinds],
    ['at rest', figures.kindsAtRest],
  ] as const) {
    const sorted = Object.entries(counts).sort(([, a], [, b]) => b - a);
    print(`  ${when}: ${sorted.map(([kind, count]) => `${count} ${kind}`).join(' · ')}`);
  }
}

/** Shares the runs among processes; shows the results in their order. */
async function runAll(count: number, options: Options): Promise<void> {
  const [, script = ''] = process.argv;
  const results: (Figures | undefined)[] = Array.from({ length: count });
  let next = 0;
  let shown = 0;
  const work = async () => {
    const worker = startWorker(script);
    while (next < count) {
      const index = next++;
      results[index] = await worker.run(index);
      for (let figures = results[shown]; figures !== undefined; figures = results[++shown])
        show(figures, options);
    }
    worker.end();
  };
  await Promise.all(Array.from({ length: Math.min(options.jobs, count) }, work));
}

interface Worker {
  run(index: number): Promise<Figures>;
  end(): void;
}

function startWorker(script: string): Worker {
  const worker = fork(script, [...process.argv.slice(2), '--worker'], { serialization: 'advanced' });
  return {
    run: (index) =>
      new Promise((resolve, reject) => {
        const fail = (code: number | null) => reject(new Error(`Run ${index} ended with code ${code}.`));
        worker.once('exit', fail);
        worker.once('message', (message) => {
          worker.off('exit', fail);
          resolve(message as Figures);
        });
        worker.send(index);
      }),
    end: () => worker.disconnect(),
  };
}

const options = program.parse().opts<Options>();
const runs = runsOf(options);
if (runs.length === 0) program.error('No setting and reader have these names; --help lists the settings.');
if (options.worker) {
  process.on('message', (index) => {
    const one = runs[index as number];
    if (one !== undefined) void run(one, options).then((figures) => process.send?.(figures));
  });
} else if (options.jobs <= 1) {
  if (!options.json) print(tableHead());
  for (const one of runs) show(await run(one, options), options);
} else {
  if (!options.json) print(tableHead());
  await runAll(runs.length, options);
}
