// The command in an empty folder: packed, installed, and the app that it writes, up to its first reaction to an event.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { ROOT } from './build-packages.ts';
import { type LocalRegistry, startLocalRegistry } from './local-registry.ts';
import { findingsOf } from './registry.ts';
import { relativeLinks } from './relative-links.ts';
import { runCommand } from './run-command.ts';

// npm and CDK are slow, and other tests run at the same time.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 300_000 });

const tarballs = inject('tarballs');

let folder: string;
let registry: LocalRegistry;
/** With the command alone. */
let project: string;
/** What the command has written. */
let app: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'returns-feed-command-'));
  project = join(folder, 'project');
  app = join(project, 'app');
  await mkdir(project);
  registry = await startLocalRegistry(ROOT, folder);
  await run(project, 'npm', 'init', '--yes');
  await run(project, 'npm', 'install', tarballs.command);
});
afterAll(async () => {
  await registry.close();
  await rm(folder, { recursive: true });
});

function run(cwd: string, command: string, ...args: string[]) {
  const env = {
    ...{ npm_config_registry: registry.url, npm_config_cache: join(folder, 'cache') },
    ...{ npm_config_audit: 'false', npm_config_fund: 'false' },
  };
  return runCommand(command, args, { cwd, env });
}

describe('the command in another folder', () => {
  it('is the only package that npm installs', async () => {
    const installed = await readdir(join(project, 'node_modules'));

    expect(installed.filter((name) => !name.startsWith('.'))).toEqual(['returns-feed']);
  });

  it('runs, also with the AWS SDK, which it brings', async () => {
    const endpoint = {
      AWS_ENDPOINT_URL: 'http://127.0.0.1:9',
      AWS_REGION: 'eu-west-1',
      AWS_MAX_ATTEMPTS: '1',
    };
    const credentials = { AWS_ACCESS_KEY_ID: 'an-id', AWS_SECRET_ACCESS_KEY: 'a-secret' };

    const version = await run(project, 'npx', 'returns-feed', '--version');
    const status = await runCommand('npx', ['returns-feed', 'status', '--stack', 'ReturnsFeed'], {
      cwd: project,
      env: { ...endpoint, ...credentials },
    }).catch((error) => error);

    expect(version.stdout).toMatch(/^\d+\.\d+\.\d+$/m);
    expect(status.stderr).toMatch(/^error: .*ECONNREFUSED 127\.0\.0\.1:9$/m);
  });

  it('brings the licences of the packages in its bundles', async () => {
    const text = await readFile(join(project, 'node_modules/returns-feed/THIRD-PARTY-NOTICES.txt'), 'utf8');

    for (const name of ['commander', 'zod', 'hono', '@aws-sdk/client-cloudformation'])
      expect(text).toMatch(new RegExp(`^${name} \\d`, 'm'));
    expect(text).not.toContain('undefined');
  });

  it('contains every file that its documents link to', async () => {
    const links = await relativeLinks(join(project, 'node_modules/returns-feed'));

    expect(links.length).toBeGreaterThan(80);
    expect(links.filter(({ isDead }) => isDead)).toEqual([]);
  });

  it('satisfies publint and @arethetypeswrong/cli', async () => {
    const publint = await findingsOf('publint@0.3.25', 'run', tarballs.command, '--strict');
    const types = await findingsOf('@arethetypeswrong/cli@0.18.5', tarballs.command, '--profile', 'esm-only');

    expect([publint ?? '', types ?? '']).toEqual(['', '']);
  });
});

describe('the app of "returns-feed init"', () => {
  beforeAll(async () => {
    await run(project, 'npx', 'returns-feed', 'init', 'app');
    await run(app, 'npm', 'install', tarballs.library, tarballs.command);
  });

  it('passes its own tests and the check of its types', async () => {
    const { stdout } = await run(app, 'npm', 'test');
    await run(app, 'npm', 'run', 'check');

    expect(stdout).toMatch(/pass [1-9]/);
    expect(stdout).toMatch(/fail 0/);
    expect(stdout).not.toContain('Not all events');
  });

  it('passes both with the function of README in place of its own', async () => {
    const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
    const [, text = ''] = /A whole Lambda function:\n\n```ts\n(.*?)```/s.exec(readme) ?? [];
    const own = await readFile(join(app, 'arrivals.ts'), 'utf8');
    await writeFile(join(app, 'arrivals.ts'), text);

    const { stdout } = await run(app, 'npm', 'test');
    await run(app, 'npm', 'run', 'check');
    await writeFile(join(app, 'arrivals.ts'), own);

    expect(stdout).toMatch(/pass 2/);
    expect(stdout).toMatch(/fail 0/);
  });

  it('synthesizes the feed, its subscriber, and the outputs that commands need', async () => {
    // CDK's own rules take two thirds of the time, and templates.test.ts applies them.
    await run(app, 'npx', 'cdk', 'synth', '--quiet', '--no-validation');

    const template = JSON.parse(await readFile(join(app, 'cdk.out/ReturnsFeed.template.json'), 'utf8'));
    expect(Object.keys(template.Outputs)).toEqual(expect.arrayContaining(['SourcesTable', 'LedgerTable']));
    expect(Object.keys(template.Resources)).toContainEqual(expect.stringMatching(/^Arrivals/));
  });

  it('reacts to a delivered parcel of the simulated service after "npm start"', async () => {
    const output = await outputUntil(GOODS);

    expect(output).toMatch(GOODS);
  });
});

/** The output of the app's handler for a delivered parcel. */
const GOODS = /^\{"parcel":"[^"]+","sku":"[^"]+","quantity":\d+\}$/m;

/** Runs `npm start` in the app until its output matches, or for a minute. */
async function outputUntil(expected: RegExp): Promise<string> {
  // A group of its own: Ctrl-C reaches npm, the shell and both commands, as in a terminal.
  const npm = spawn('npm', ['start'], { cwd: app, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const end = () => npm.pid !== undefined && process.kill(-npm.pid, 'SIGINT');
  const patience = setTimeout(end, 60_000);
  let output = '';
  for (const stream of [npm.stdout, npm.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      const wasSeen = expected.test(output);
      output += text;
      if (!wasSeen && expected.test(output)) end();
    });
  await once(npm, 'close');
  clearTimeout(patience);
  return output;
}
