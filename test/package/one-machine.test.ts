// The files of docs/one-machine.md, with the packed command.
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, inject, test, vi } from 'vitest';
import { ROOT } from './build-packages.ts';
import { runCommand } from './run-command.ts';

vi.setConfig({ testTimeout: 300_000 });

const FILES = join(ROOT, 'docs/examples/one-machine');
const { command: tarball } = inject('tarballs');

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'one-machine-'));
});
afterEach(() => rm(folder, { recursive: true }));

function run(command: string, ...args: string[]) {
  return runCommand(command, args, { cwd: folder });
}

/** Whether the command runs here. Otherwise warns what is skipped. */
async function isHere(what: string, command: string, ...args: string[]): Promise<boolean> {
  const reason = await run(command, ...args).then(
    () => undefined,
    (error: Error) => error.message.trim().split('\n').at(-1),
  );
  if (reason !== undefined) console.warn(`Skipped: ${what}. ${reason}`);
  return reason === undefined;
}

/** Where a global installation has the command. */
const INSTALLED = '/usr/local/bin/returns-feed';

test('systemd finds no fault in the unit', async () => {
  if (!(await isHere('the unit is not checked', 'systemd-analyze', '--version'))) return;
  const unit = join(folder, 'returns-feed.service');
  const text = await readFile(join(FILES, 'returns-feed.service'), 'utf8');
  // The program must exist.
  await writeFile(unit, text.replace(INSTALLED, process.execPath));

  const { stdout, stderr } = await run('systemd-analyze', 'verify', '--man=no', unit);

  expect(text).toContain(`ExecStart=${INSTALLED} `);
  // It also reports a fault in a line that it ignores, and succeeds.
  expect(`${stdout}${stderr}`).toBe('');
});

test('a global installation from the package alone has the command', async () => {
  await run('npm', 'install', '--global', '--offline', '--prefix', folder, tarball);

  const { stdout } = await run(join(folder, 'bin/returns-feed'), 'watch', '--help');

  expect(stdout).toMatch(/^Usage: returns-feed watch/);
});

test('the image builds, and its command runs as another user than root', async () => {
  const builder = (await isHere('no podman', 'podman', 'info')) ? 'podman' : 'docker';
  if (!(await isHere('the image is not built', builder, 'info'))) return;
  const base = /^FROM (\S+)/m.exec(await readFile(join(FILES, 'Containerfile'), 'utf8'))?.[1] ?? '';
  if (!(await isHere('the image is not built without its base', builder, 'pull', base))) return;
  await cp(join(FILES, 'Containerfile'), join(folder, 'Containerfile'));
  await cp(tarball, join(folder, basename(tarball)));
  const image = `returns-feed-test-${process.pid}`;

  await run(builder, 'build', '--file', 'Containerfile', '--tag', image, '.');
  const version = await run(builder, 'run', '--rm', image, '--version');
  const user = await run(builder, 'run', '--rm', '--entrypoint', 'id', image, '--user', '--name');
  await run(builder, 'rmi', image);

  expect(version.stdout).toMatch(/^\d+\.\d+\.\d+$/m);
  expect(user.stdout.trim()).toBe('node');
});
