// The last release of Node 20, which is too old for the command: a newer one is fetched, or the command says what it needs.
import { chmod, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ROOT } from './build-packages.ts';
import { startLocalRegistry } from './local-registry.ts';
import { nodeRelease } from './registry.ts';
import { runCommand } from './run-command.ts';

// npm is slow, and other tests run at the same time.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const FILES = ['.ci/bring-node.mjs', 'local/cli/needed-node.js', 'local/cli/returns-feed.js'];
const NEEDED =
  'Node 24.15 or later is needed, with SQLite 3.51.3 or later, and this is 20.20.2 without SQLite.';

let checkout: string;
let programs: string | undefined;

beforeEach(async () => {
  programs = await nodeRelease('20.20.2');
  checkout = await mkdtemp(join(tmpdir(), 'older-node-'));
  for (const file of FILES) await cp(join(ROOT, file), join(checkout, file));
  const scripts = { prepare: 'node .ci/bring-node.mjs', start: 'node local/cli/returns-feed.js' };
  await writeFile(join(checkout, 'package.json'), JSON.stringify({ type: 'module', scripts }));
});
afterEach(() => rm(checkout, { recursive: true }));

/** @returns what npm printed on that Node; an error's as well */
async function npm(registry: string, ...args: string[]): Promise<string> {
  const env = {
    PATH: [programs, dirname(process.execPath), process.env.PATH].join(delimiter),
    ...{ npm_config_registry: registry, npm_config_cache: join(checkout, 'cache') },
    ...{ npm_config_fetch_retries: '0', npm_config_audit: 'false', npm_config_fund: 'false' },
  };
  const { stdout, stderr } = await runCommand('npm', args, { cwd: checkout, env }).catch((error) => error);
  return `${stdout}${stderr}`;
}

/** A registry with a package that has, in place of a newer Node, a program that prints its arguments. */
async function registryWithNode() {
  const folder = join(checkout, 'registry');
  const name = `node-${process.platform}-${process.arch}`;
  const installed = join(folder, 'node_modules', name);
  await mkdir(join(installed, 'bin'), { recursive: true });
  const manifest = { name, version: '24.99.0', bin: { node: 'bin/node' } };
  await writeFile(join(installed, 'package.json'), JSON.stringify(manifest));
  await writeFile(join(installed, 'bin/node'), '#!/bin/sh\necho "newer: $*"\n');
  await chmod(join(installed, 'bin/node'), 0o755);
  return startLocalRegistry(folder, folder);
}

test.skipIf(process.platform !== 'linux')(
  '"npm ci" fetches a newer Node, on which scripts then run',
  async () => {
    if (programs === undefined) return;
    const registry = await registryWithNode();

    const prepared = await npm(registry.url, 'run', '--silent', 'prepare');
    const started = await npm(registry.url, 'start', '--silent');
    await registry.close();

    expect([prepared, started]).toEqual(['', 'newer: local/cli/returns-feed.js\n']);
  },
);

test('where none can be fetched, "npm ci" and the command say in a sentence which Node is needed', async () => {
  if (programs === undefined) return;

  const prepared = await npm('http://127.0.0.1:9/', 'run', '--silent', 'prepare');
  const started = await npm('http://127.0.0.1:9/', 'start', '--silent');

  expect(prepared).toContain(`${NEEDED} npm could not fetch it: install it yourself.\n`);
  expect(started).toBe(`error: ${NEEDED}\n`);
});
