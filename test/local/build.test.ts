// A small checkout whose command prints a text from its sources: how it is built, rebuilt and started.
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PREPARE = 'local/build.js';
const START = 'local/start.js';
const COMMAND = 'local/cli/returns-feed.js';
const NEEDED_NODE = 'local/cli/needed-node.js';

let checkout: string;

beforeEach(async () => {
  checkout = await mkdtemp(join(tmpdir(), 'build-'));
  await mkdir(join(checkout, 'local/cli'), { recursive: true });
  for (const file of [PREPARE, START, COMMAND, NEEDED_NODE]) await cp(join(ROOT, file), join(checkout, file));
  await symlink(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
  await writeFile(join(checkout, 'package.json'), '{ "type": "module" }');
  await writeFile(join(checkout, 'local/package.json'), '{ "type": "module" }');
  await writeFile(join(checkout, 'local/cli/main.ts'), MAIN);
  await say('one');
});
afterEach(() => rm(checkout, { recursive: true }));

/** Its text is loaded late, and it needs a package. */
const MAIN = `import { Command } from 'commander';
export async function main(argv: readonly string[]): Promise<void> {
  const { said } = await import('./said.ts');
  console.log(new Command(said).name(), argv.slice(2).join(' '));
}`;

const say = (text: string) =>
  writeFile(join(checkout, 'local/cli/said.ts'), `export const said = '${text}';`);

/** Returns what the program printed on stdout and stderr. */
async function run(file: string, ...args: readonly string[]): Promise<string> {
  const env = { PATH: process.env.PATH, HOME: checkout, TMPDIR: checkout };
  const running = promisify(execFile)(process.execPath, [join(checkout, file), ...args], { env });
  const { stdout, stderr } = await running.catch((error) => error);
  return `${stdout}${stderr}`.trim();
}

/** Each file with the time of its last change. */
async function listing(folder: string): Promise<readonly string[]> {
  const names = (await readdir(join(checkout, folder), { recursive: true })).filter(
    (name) => !name.startsWith('node_modules/'),
  );
  const times = await Promise.all(
    names.map(async (name) => `${name} ${(await stat(join(checkout, folder, name))).mtimeMs}`),
  );
  return times.sort();
}

test('the built command needs neither its packages nor its sources, and writes nothing', async () => {
  await run(PREPARE);
  await rm(join(checkout, 'node_modules'));
  await rm(join(checkout, 'local/cli/main.ts'));
  const before = await listing('.');

  const printed = await run(COMMAND, 'status', '--json');

  expect(printed).toBe('one status --json');
  expect(await listing('.')).toEqual(before);
});

test('npm start runs the present sources, and builds only if they have changed', async () => {
  const first = await run(START);
  const before = await listing('local/dist');
  const again = await run(START, '--port', '0');
  const after = await listing('local/dist');
  await say('two');
  const changed = await run(START);

  expect([first, again, changed]).toEqual(['one start', 'one start --port 0', 'two start']);
  expect(after).toEqual(before);
});

test('a changed lock file, and a source that is gone, count as changes', async () => {
  await run(PREPARE);
  const built = await listing('local/dist');
  await writeFile(join(checkout, 'package-lock.json'), '{}');
  await run(START);
  const relocked = await listing('local/dist');
  await rm(join(checkout, 'local/cli/said.ts'));

  const printed = await run(START);

  expect(relocked).not.toEqual(built);
  expect(printed).toContain("error: The sources have changed, and can't be built:");
});

test('a command that is not built says how to build it', async () => {
  expect(await run(COMMAND)).toBe(
    'error: The command is not built. Run "npm ci", or "npm run prepare" if npm runs no scripts.',
  );
});
