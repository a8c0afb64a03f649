// The command as a shell sees it: its output on each stream, and its exit code.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  createReferenceService,
  type ReferenceService,
} from '../../../local/reference-service/create-reference-service.ts';
import { feedEvent } from '../../../shared/contract/event.ts';
import { COMMAND, runFeed } from './run-feed.ts';

const TOKEN = 'the-token-that-nobody-may-see';
const ONE_LINE = /^error: [^\n]+\n$/;

// A dozen processes, several at a time: on a busy machine they wait for each other.
vi.setConfig({ testTimeout: 90_000 });

let service: ReferenceService;
let website: Server;
let directory: string;

beforeAll(async () => {
  service = await createReferenceService({ groups: 40, token: TOKEN, life: { changesPerSecond: 5 } });
  website = createServer((_, response) => response.end('<html>Welcome</html>')).listen(0, '127.0.0.1');
  await once(website, 'listening');
  directory = await mkdtemp(join(tmpdir(), 'exit-codes-'));
});
afterAll(async () => {
  website.close();
  await service.close();
  await rm(directory, { recursive: true });
});

function addressOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** An address without a listener. */
async function deadAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = addressOf(server);
  server.close();
  await once(server, 'close');
  return address;
}

const RUNS_ITS_ARGUMENTS =
  "require('node:child_process').spawn(process.execPath, process.argv.slice(1), { stdio: 'inherit' })";

const watch = (url: string, ...others: string[]) => ['watch', '--base-url', url, ...others];

describe.concurrent('invalid usage', () => {
  const URL = 'https://returns.example.com/api';

  test.each([
    ['no base URL', ['watch']],
    ['an invalid base URL', watch('nonsense')],
    ['an interval of 0', watch(URL, '--every', '0')],
    ['an unknown option', watch(URL, '--bogus')],
    ['a required option that is mistyped', ['watch', '--base-ur', URL]],
    ['no token', watch(URL)],
  ])('is reported in one line, with exit code 2: %s', async (_, args) => {
    const { code, stdout, stderr } = await runFeed(args);

    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(ONE_LINE);
  });
});

describe.concurrent('a failure at the start', () => {
  test.each([
    ['a token that is refused', async () => watch(service.url)],
    [
      'an address without a listener, when its time is over',
      async () => watch(await deadAddress(), '--for', '2s'),
    ],
    [
      'an address that serves web pages, when its time is over',
      async () => watch(addressOf(website), '--for', '2s'),
    ],
    ['a data directory that is a file', async () => watch(service.url, '--data', await aFile())],
    ['a data directory with a file that can’t be written', async () => withoutTables()],
  ])('is reported without the token, with exit code 1: %s', async (_, args) => {
    const token = 'a-wrong-token-that-nobody-may-see';

    const { code, stdout, stderr } = await runFeed(await args(), { token });

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    // A warning may precede it.
    expect(stderr.split('\n').at(-2)).toMatch(/^error: /);
    expect(stderr).not.toContain(token);
  });

  /** The engine can't write its tables, because a directory has the name of the file. */
  async function withoutTables(): Promise<string[]> {
    const data = join(directory, 'unwritable');
    await mkdir(join(data, 'tables.db'), { recursive: true });
    return watch(service.url, '--data', data);
  }

  async function aFile(): Promise<string> {
    const file = join(directory, 'file');
    await writeFile(file, '');
    return file;
  }
});

describe.concurrent('a watch whose reader has gone', () => {
  test('reports that with exit code 1, so that a supervisor starts it again', async () => {
    const args = watch(service.url, '--every', '500ms', '--baseline', 'emit', '--json');
    const child = spawn(process.execPath, [COMMAND, ...args], {
      env: { ...process.env, RETURNS_API_TOKEN: TOKEN },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.once('readable', () => child.stdout.destroy());

    const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);

    expect(code).toBe(1);
    expect(stderr.split('\n').at(-2)).toMatch(
      /^error: Standard output can't be written: its reader has gone\./,
    );
  });
});

describe.concurrent('a regular end', () => {
  test('a bounded watch prints its events, and nothing else, on stdout, and exits with 0', async () => {
    const options = ['--every', '500ms', '--baseline', 'emit', '--for', '3s', '--json'];

    const { code, stdout, stderr } = await runFeed(watch(service.url, ...options), { token: TOKEN });

    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => feedEvent.parse(JSON.parse(line)));
    expect(code).toBe(0);
    expect(events.length).toBeGreaterThan(0);
    expect(stderr).toContain(`stopped: ${events.length} events`);
    expect(stdout + stderr).not.toContain(TOKEN);
  });

  test('an interrupted watch exits with 0', async () => {
    const args = watch(service.url, '--every', '500ms', '--baseline', 'emit');

    const { code, stderr } = await runFeed(args, { token: TOKEN, onOutput: (child) => child.kill('SIGINT') });

    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/stopped: \d+ events\n$/) });
  });

  test("npm's copy of the terminal's signal does not count as a second one", async () => {
    const args = watch(service.url, '--every', '500ms', '--baseline', 'emit');
    const signalTwice = (child: ChildProcess) => child.kill('SIGINT') && child.kill('SIGTERM');

    const { code, stderr } = await runFeed(args, { token: TOKEN, onOutput: signalTwice });

    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/stopped: \d+ events\n$/) });
  });

  test('a command run by npm ends when npm has ended', async () => {
    const npm = spawn(process.execPath, ['-e', RUNS_ITS_ARGUMENTS, COMMAND, 'serve', '--groups', '5'], {
      env: { ...process.env, npm_lifecycle_event: 'npx' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    npm.stdout.once('readable', () => npm.kill('SIGKILL'));

    // The stream ends with the last process that writes to it.
    const stdout = await text(npm.stdout);

    expect(stdout).toMatch(/^http:/);
  });

  test('a command that ends by itself exits with 0, without a message, when the reader of its output has gone', async () => {
    const child = spawn(process.execPath, [COMMAND, 'help'], { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.destroy();

    const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  test('the reference service prints only its address on stdout, and exits with 0 on a signal', async () => {
    const { code, stdout } = await runFeed(['serve', '--groups', '5'], {
      onOutput: (child) => child.kill('SIGTERM'),
    });

    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/\S+\n$/),
    });
  });
});
