// `npm run bench:readers`: ordinary readers and the feed side by side against one service, in each setting. The exit
// status is 1 if the feed is not as fresh as the better of the others.
import { Command, InvalidArgumentError, Option } from 'commander';
import { judgeRow, printRow } from './print-row.ts';
import { runRow } from './run-row.ts';
import { SETTINGS } from './settings.ts';

interface Options {
  readonly setting: string[];
  readonly groups: number;
  readonly minutes: number;
  readonly seed: number;
  readonly watch: Readonly<Record<string, string>> | undefined;
}

const NAMES = SETTINGS.map(({ name }) => name);

const program = new Command('bench:readers')
  .description('Measures how soon readers of a returns service know its changes, side by side.')
  .addOption(
    new Option('--setting <name...>', 'run only these settings').choices(NAMES).default(NAMES, 'all'),
  )
  .option('--groups <number>', 'size of the store', positive, 300)
  .option('--minutes <number>', 'how long the service changes', positive, 1)
  .option('--seed <number>', 'seed of the store and its changes', positive, 1)
  .option('--watch <options>', 'more options of the feed, as in "--reconcile=30s --settle=3s"', optionsIn)
  .action(run);

await program.parseAsync();

async function run({ setting: names, groups, minutes, seed, watch }: Options): Promise<void> {
  const interrupt = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupt.abort());
  console.error(`seed ${seed}`);
  try {
    for (const setting of SETTINGS.filter(({ name }) => names.includes(name))) {
      const row = await runRow({
        ...{ groups, seed, busyMs: minutes * 60_000, signal: interrupt.signal },
        setting: { ...setting, feed: { ...setting.feed, ...watch } },
        say: (text) => console.error(`${setting.name}: ${text}`),
      });
      console.log(printRow(setting, row));
      if (judgeRow(row).length > 0) process.exitCode = 1;
    }
  } catch (error) {
    if (!interrupt.signal.aborted) throw error;
    process.exitCode = 130;
  }
}

function optionsIn(text: string): Readonly<Record<string, string>> {
  const found = text.matchAll(/--([\w-]+)[=\s]([^\s]+)/g);
  return Object.fromEntries(Array.from(found, ([, name = '', value = '']) => [name, value]));
}

function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError('It must be a number above 0.');
  return value;
}
