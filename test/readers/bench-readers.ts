// `npm run bench:readers`: ordinary readers and the feed side by side against one service, in each setting.
import { Command, InvalidArgumentError } from 'commander';
import { printRow } from './print-row.ts';
import { runRow } from './run-row.ts';
import { SETTINGS } from './settings.ts';
import { feedWith, READERS } from './start-readers.ts';

interface Options {
  readonly setting?: string[];
  readonly groups: number[];
  readonly readers?: string[];
  readonly watch?: string[];
  readonly every: number;
  readonly minutes: number;
  readonly quietSeconds: number;
  readonly firstReadingMinutes: number;
  readonly perMinute: number;
  readonly seed: number;
}

const program = new Command('bench:readers')
  .description('Measures how soon readers of a returns service know its changes, side by side.')
  .option('--setting <name...>', 'run only these settings', named(SETTINGS))
  .option('--groups <numbers>', 'sizes of the store, separated by commas', wholeNumbers, [300])
  .option('--readers <names...>', 'run only these readers (default: all but feed-defaults)', named(READERS))
  .option('--watch <options...>', 'also run the feed with these options, as in "--reconcile=30s --settle=3s"')
  .option('--every <seconds>', 'time between polls', wholeNumber, 5)
  .option('--minutes <number>', 'how long the service changes', positive, 1)
  .option('--quiet-seconds <number>', 'how long the readers have afterwards', wholeNumber, 40)
  .option('--first-reading-minutes <number>', 'how long the first reading may take', positive, 15)
  .option('--per-minute <number>', 'requests that the service allows each reader in 60 s', wholeNumber, 300)
  .option('--seed <number>', 'seed of the store and its changes', wholeNumber, 1)
  .addHelpText('after', namesText())
  .action(run);

await program.parseAsync();

async function run(options: Options): Promise<void> {
  const interrupt = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupt.abort());
  const settings = SETTINGS.filter(({ name }) => options.setting?.includes(name) ?? true);
  const readers = READERS.filter(({ name, isExtra }) => options.readers?.includes(name) ?? !isExtra);
  readers.push(...(options.watch ?? []).map(feedWith));
  console.error(`seed ${options.seed}`);
  try {
    for (const groups of options.groups) {
      for (const setting of settings) {
        const say = (text: string) => console.error(`${setting.name}, ${groups} groups: ${text}`);
        const row = await runRow({
          setting,
          groups,
          readers,
          everyMs: options.every * 1_000,
          busyMs: options.minutes * 60_000,
          quietMs: options.quietSeconds * 1_000,
          firstReadingMs: options.firstReadingMinutes * 60_000,
          perMinute: options.perMinute,
          seed: options.seed,
          signal: interrupt.signal,
          say,
        });
        console.log(printRow(setting, row));
      }
    }
  } catch (error) {
    if (!interrupt.signal.aborted) throw error;
    process.exitCode = 130;
  }
}

function namesText(): string {
  const list = (all: readonly { name: string; about: string }[]) =>
    all.map(({ name, about }) => `  ${name.padEnd(18)}${about}`).join('\n');
  return `\nSettings:\n${list(SETTINGS)}\n\nReaders:\n${list(READERS)}`;
}

function named(all: readonly { name: string }[]) {
  return (name: string, before: string[] | undefined) => {
    const names = name.split(',');
    const unknown = names.find((one) => all.every((known) => known.name !== one));
    if (unknown !== undefined)
      throw new InvalidArgumentError(`${unknown} is none of ${all.map((known) => known.name).join(', ')}.`);
    return [...(before ?? []), ...names];
  };
}

function wholeNumbers(text: string): number[] {
  return text.split(',').map(wholeNumber);
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new InvalidArgumentError('It must be an integer of at least 1.');
  return value;
}

function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError('It must be a number above 0.');
  return value;
}
