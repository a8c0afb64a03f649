// Writes a CDK app with the feed and a subscriber: the files of local/new-app, which come with the command.
import { cp, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, InvalidArgumentError } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { SOURCE_NAME } from '../../shared/contract/event-id.ts';
import { UsageError } from '../cli/failures.ts';
import { readBaseUrl } from '../cli/service-options.ts';
import { shellWord } from '../cli/shell-word.ts';

interface InitFlags {
  readonly source: string;
  readonly baseUrl: string;
}

/** Beside the folder of the built command. */
const NEW_APP = new URL('../new-app/', import.meta.url);
/** The files contain these values; `init` replaces them by its options. */
const PLACEHOLDERS = { source: 'acme', baseUrl: 'https://returns.example.com/api' };

/** Installed from their files: a registry would answer to these names with a stranger's packages. */
const PACKAGES = ['returns-change-feed', 'returns-feed'];

const HELP = `
Examples:
  returns-feed init returns
  returns-feed init returns --source acme --base-url https://returns.example.com/api`;

export function createInitCommand(): Command {
  return new Command('init')
    .description(
      'Write a CDK app of your own into an empty directory: the feed, a Lambda function that acts on delivered parcels, ' +
        'and its test.',
    )
    .argument('<dir>', 'a directory that is empty or does not exist')
    .option('--source <name>', 'name of the source in events', parseSource, PLACEHOLDERS.source)
    .option('--base-url <url>', 'address of the service, including its path prefix', PLACEHOLDERS.baseUrl)
    .addHelpText('after', HELP)
    .action(init);
}

async function init(directory: string, { source, baseUrl }: InitFlags): Promise<void> {
  const url = readBaseUrl(baseUrl);
  await requireEmpty(directory);
  await cp(fileURLToPath(NEW_APP), directory, { recursive: true });
  // npm leaves a .gitignore out of packages.
  await rename(join(directory, 'gitignore'), join(directory, '.gitignore'));
  for (const name of ['app.ts', 'README.md']) {
    const text = await readFile(join(directory, name), 'utf8');
    await writeFile(join(directory, name), fillIn(text, { source, url }));
  }
  process.stdout.write(`The app is in ${directory}. Next ("npm run build" in a checkout writes the packages into dist):
  cd ${shellWord(directory)}
  npm install ${PACKAGES.map((name) => `…/${name}-${manifest.version}.tgz`).join(' ')}
  npm test
  npm start
`);
}

/** @throws UsageError if the directory holds anything, or is none */
async function requireEmpty(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true }).catch((cause: unknown) => {
    throw new UsageError(`${directory} can't be created: ${(cause as Error).message}`, { cause });
  });
  const names = await readdir(directory);
  if (names.length > 0)
    throw new UsageError(`${directory} is not empty: name a directory that is empty or does not exist.`);
}

/** A quote in a URL would end its string. */
function fillIn(text: string, { source, url }: { readonly source: string; readonly url: string }): string {
  return text
    .replaceAll(PLACEHOLDERS.baseUrl, () => url.replaceAll("'", '%27'))
    .replaceAll(new RegExp(`(?<=name: '|returns-feed/|--source )${PLACEHOLDERS.source}\\b`, 'g'), source);
}

function parseSource(text: string): string {
  if (SOURCE_NAME.test(text)) return text;
  throw new InvalidArgumentError('Give 1 to 30 of the characters a-z, 0-9 and -.');
}
