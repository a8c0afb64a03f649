// `sources add`: adds one source to a deployment, or those of a file.
import { dirname, resolve } from 'node:path';
import { Command } from 'commander';
import type { NewSource, Sources, WriteOptions } from '../../functions/sources/open-sources.ts';
import { DEFAULT_INTERVAL_MS } from '../../shared/source/source-settings.ts';
import { counted, formatCount } from '../cli/counts.ts';
import { formatDuration } from '../cli/durations.ts';
import { UsageError } from '../cli/failures.ts';
import { createPrinter } from '../cli/print.ts';
import { problemsIn } from '../cli/source-fields.ts';
import {
  addDeployedSourceOptions,
  type DeployedSourceFlags,
  deployedSettingsOf,
  neededTokenOf,
} from '../cli/source-flags.ts';
import { readGiven, SOURCES_STACK, withSources } from '../operating/deployed-sources.ts';
import { readSourceFile } from '../operating/source-file.ts';
import type { PlaceFlags } from '../place/open-feed.ts';

interface AddFlags extends DeployedSourceFlags, Pick<PlaceFlags, 'stack'> {
  readonly file?: string;
  readonly try: boolean;
}

const HELP = `
Writes the source's entry; nothing is deployed, and the first poll follows within two minutes. Running it
again replaces all settings. The source is tried first with one request from here.

--token-file puts the token into the entry, encrypted by the feed's key (the construct's addSources), for
this address alone: nobody but the poller can read it. Or name a secret, whose name must begin with
"<feed>/tokens/<host>/" ("my-feed/tokens/returns.globex.example/main"), or a parameter,
"/<feed>/tokens/<host>/": the poller sends a token only to the host in its name. A port follows the host
after "_". <feed> is the stack's output FeedName. Only the poller can read these, so they are not tried.

--file adds many sources: a JSON object in each line, or CSV with a line of names. The fields are named as
the options, with tokenFile, tokenSecret or tokenParameter; a file from standard input (-) may have the
token itself. All problems are reported at once, and then nothing is written. Running it again writes only
what has changed.

"onChange" and the dashboard's rows for one source only know the sources of the stack. To keep a source
there, run "sources remove" and add it to the stack: its state stays.
Examples:
  returns-feed sources add globex --base-url https://returns.globex.example/api \\
    --token-file globex.token --stack ReturnsFeed
  returns-feed sources add --file stores.csv --stack ReturnsFeed`;

export function createAddSourceCommand(): Command {
  const command = new Command('add')
    .description('Add a source to a running deployment, or many of a file.')
    .argument('[name]', 'name of the source in events: a-z, 0-9, -')
    .option('--file <file>', 'add the sources of this file instead (- for standard input)')
    .option('--base-url <url>', 'address of the service, including its path prefix');
  return addDeployedSourceOptions(command, true)
    .option('--no-try', 'do not try a source before it is written')
    .option('--stack <name>', SOURCES_STACK)
    .addHelpText('after', HELP)
    .action(add);
}

async function add(name: string | undefined, flags: AddFlags): Promise<void> {
  if ((name === undefined) === (flags.file === undefined))
    throw new UsageError('Give the NAME of one source, or many of them with --file FILE.');
  if (name !== undefined) return addOne(name, flags);
  const { baseUrl, tokenFile, tokenSecret, tokenParameter } = flags;
  const own = [baseUrl, tokenFile, tokenSecret, tokenParameter, ...Object.values(deployedSettingsOf(flags))];
  if (own.some((given) => given !== undefined))
    throw new UsageError(
      'With --file each line has the settings of its source: only --no-try and --stack go with it.',
    );
  return addFile(flags.file ?? '', flags);
}

async function addOne(name: string, flags: AddFlags): Promise<void> {
  const { baseUrl } = flags;
  if (baseUrl === undefined) throw new UsageError('Name the service with --base-url URL.');
  const source: NewSource = {
    name,
    baseUrl,
    ...deployedSettingsOf(flags),
    token: neededTokenOf(flags, readGiven),
  };
  const { added, changed } = await withSources(flags, (sources) =>
    sources.add(source, { isTried: flags.try }),
  );
  const out = createPrinter(process.stdout);
  const verb = added.length > 0 ? 'added' : changed.length > 0 ? 'changed' : 'unchanged';
  await out.line(
    `${verb}: source ${name} is polled every ${formatDuration(source.intervalMs ?? DEFAULT_INTERVAL_MS)}.`,
  );
  if (typeof source.token !== 'string')
    await out.line('It was not tried: only the poller can read its token. "status" shows its first poll.');
}

async function addFile(file: string, flags: AddFlags): Promise<void> {
  const isInput = file === '-';
  const name = isInput ? 'Standard input' : file;
  const folder = isInput ? process.cwd() : dirname(resolve(file));
  const lines = readSourceFile({ text: readGiven(file), name, folder, hasTokens: isInput });
  const out = createPrinter(process.stdout);
  const err = createPrinter(process.stderr);
  const options: WriteOptions = {
    isTried: flags.try,
    onProgress: (step, done, of) => err.progress(`${step} ${formatCount(done)} of ${formatCount(of)}`),
  };
  const given = lines.map(({ source }) => source);
  const written = await withSources(flags, (sources) =>
    refusalsByLine(sources.addAll(given, options), name, lines),
  ).finally(err.clear);
  const counts = Object.entries(written).map(([what, { length }]) => `${formatCount(length)} ${what}`);
  await out.line(`${counted(lines.length, 'source')}: ${counts.join(', ')}.`);
}

/** @throws UsageError or Error that names each refused line */
async function refusalsByLine(
  adding: ReturnType<Sources['addAll']>,
  file: string,
  lines: readonly { readonly number: number }[],
) {
  const { InvalidSourceError, SourcesRefusedError } = await import('../../functions/sources/open-sources.ts');
  return adding.catch((error: unknown) => {
    if (!(error instanceof SourcesRefusedError)) throw error;
    const texts = error.problems.map(
      ({ index, error: { message } }) => `line ${lines[index]?.number}: ${message}`,
    );
    const report = problemsIn(file, texts);
    if (error.problems.some((problem) => problem.error instanceof InvalidSourceError)) throw report;
    throw new Error(`${report.message} Nothing is written; --no-try writes them without a try.`, {
      cause: error,
    });
  });
}
