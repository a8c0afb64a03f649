// The command: `npm run bench`. It shares the rows among as many processes as there are cores; those in real time run one
// after the other. The exit status is 1 if the feed falls short in a row.
import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { Command, InvalidArgumentError, Option } from 'commander';
import { parseDuration } from '../../local/cli/durations.ts';
import { tableHead, tableRow } from './report.ts';
import { type Row, type RowOptions, runRow } from './run-row.ts';
import { SETTINGS, type Setting } from './settings.ts';

interface Options {
  readonly setting: readonly string[];
  readonly seeds: number;
  readonly groups: number;
  readonly every?: number;
  readonly reconcile?: number;
  readonly settle?: number;
  readonly budget?: number;
  readonly baseline?: 'emit';
  readonly changes?: number;
  readonly realTime: boolean;
  readonly jobs: number;
  /** Set only in worker processes, which run the rows whose numbers they receive. */
  readonly worker: boolean;
}

const print = (line: string) => void process.stdout.write(`${line}\n`);

function integer(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1)
    throw new InvalidArgumentError('It must be an integer of at least 1.');
  return number;
}

const program = new Command('bench')
  .description('Judges how soon the feed and ordinary readers know the changes of a service.')
  .option(
    '--setting <name...>',
    `settings, by name or part of it: ${SETTINGS.map(({ name }) => name).join(', ')}`,
    [''],
  )
  .option('--seeds <n>', 'number of seeds, from 1', integer, 1)
  .option('--groups <n>', 'groups of the store', integer, 300)
  .option('--every <duration>', "time between polls of all readers, instead of the setting's", parseDuration)
  .option('--reconcile <duration>', "the feed's", parseDuration)
  .option('--settle <duration>', "the feed's, instead of the setting's", parseDuration)
  .option('--budget <n>', "the feed's requests a minute, instead of the setting's", integer)
  .addOption(new Option('--baseline <how>', "the feed's").choices(['emit']))
  .option('--changes <duration>', "how long the store changes, instead of the setting's", parseDuration)
  .option('--real-time', 'run the feed as a process, and measure what it takes', false)
  .option('--jobs <n>', 'number of processes', integer, availableParallelism())
  .addOption(new Option('--worker').default(false).hideHelp());

function rowsOf({ setting: parts, seeds, groups, realTime: isReal, ...given }: Options): RowOptions[] {
  const { every, reconcile, settle, budget, baseline, changes } = given;
  const isNamed = ({ name }: Setting) =>
    parts.some((part) =>
      SETTINGS.some((known) => known.name === part) ? name === part : name.includes(part),
    );
  const settings = SETTINGS.filter(isNamed).map((setting) => ({
    ...setting,
    everyMs: every ?? setting.everyMs,
    reconcileMs: reconcile,
    settleMs: settle ?? setting.settleMs,
    requestsPerMinute: budget ?? setting.requestsPerMinute,
    baseline,
    changesForMs: changes ?? setting.changesForMs,
    ...(isReal && untilFirstVerdict(setting)),
  }));
  const numbers = Array.from({ length: seeds }, (_, index) => index + 1);
  return settings.flatMap((setting) => numbers.map((seed) => ({ setting, seed, groups, isReal })));
}

/** Real time is too dear for the later verdict. */
function untilFirstVerdict({ wrongAfter: [seconds = 0] }: Setting): Partial<Setting> {
  return { wrongAfter: [seconds], quietMs: seconds * 1_000 };
}

/** Shares the rows among processes; prints the results in their order. */
async function runAll(rows: readonly RowOptions[], jobs: number): Promise<void> {
  const results: (Row | undefined)[] = rows.map(() => undefined);
  let next = 0;
  let printed = 0;
  const work = async () => {
    const run = jobs > 1 ? startWorker() : { row: (index: number) => runRow(rows[index]!), end: () => {} };
    while (next < rows.length) {
      const index = next++;
      results[index] = await run.row(index);
      for (let row = results[printed]; row !== undefined; row = results[++printed]) {
        print(tableRow(row));
        if (row.missed.length > 0) process.exitCode = 1;
      }
    }
    run.end();
  };
  await Promise.all(Array.from({ length: Math.min(jobs, rows.length) }, work));
}

function startWorker() {
  const [, script = '', ...args] = process.argv;
  const worker = fork(script, [...args, '--worker'], { serialization: 'advanced' });
  return {
    row: (index: number) =>
      new Promise<Row>((resolve, reject) => {
        const fail = (code: number | null) => reject(new Error(`Row ${index} ended with code ${code}.`));
        worker.once('exit', fail);
        worker.once('message', (message) => {
          worker.off('exit', fail);
          resolve(message as Row);
        });
        worker.send(index);
      }),
    end: () => worker.disconnect(),
  };
}

const options = program.parse().opts<Options>();
const rows = rowsOf(options);
if (rows.length === 0) program.error('No setting has this name; --help lists them.');
if (options.worker) {
  process.on('message', (index) => {
    void runRow(rows[index as number]!).then((row) => process.send?.(row));
  });
} else {
  print(tableHead());
  await runAll(rows, options.realTime ? 1 : options.jobs);
}
