// The command as a shell sees it: what it says where, and the code that it ends with.
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

// A dozen processes, several at a time: on a busy machine each has to wait for the others.
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

/** An address at which nobody listens any more. */
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

describe.concurrent('what was asked wrongly', () => {
  const URL = 'https://returns.example.com/api';

  test.each([
    ['no base URL', ['watch']],
    ['a base URL that is none', watch('nonsense')],
    ['an interval of 0', watch(URL, '--every', '0')],
    ['an unknown option', watch(URL, '--bogus')],
    ['no token', watch(URL)],
  ])('is told in one line, with exit code 2: %s', async (_, args) => {
    const { code, stdout, stderr } = await runFeed(args);

    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(ONE_LINE);
  });
});

describe.concurrent('what goes wrong at the start', () => {
  test.each([
    ['a token that is refused', async () => watch(service.url)],
    ['an address at which nothing listens', async () => watch(await deadAddress())],
    ['an address that serves web pages', async () => watch(addressOf(website))],
    ['a data directory that is a file', async () => watch(service.url, '--data', await aFile())],
    ['a data directory with a file that can not be written', async () => withoutEndpoint()],
  ])('is told in one line without the token, with exit code 1: %s', async (_, args) => {
    const token = 'a-wrong-token-that-nobody-may-see';

    const { code, stdout, stderr } = await runFeed(await args(), { token });

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(ONE_LINE);
    expect(stderr).not.toContain(token);
  });

  /** The note of where the engine listens can't be written: a directory is in its place. */
  async function withoutEndpoint(): Promise<string[]> {
    const data = join(directory, 'unwritable');
    await mkdir(join(data, 'endpoint'), { recursive: true });
    return watch(service.url, '--data', data);
  }

  async function aFile(): Promise<string> {
    const file = join(directory, 'file');
    await writeFile(file, '');
    return file;
  }
});

describe.concurrent('what ends as it should', () => {
  test('a bounded watch hands over what it read, with events alone on stdout, and ends with 0', async () => {
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

  test('an interrupt in the middle ends a watch with 0', async () => {
    const args = watch(service.url, '--every', '500ms', '--baseline', 'emit');

    const { code, stderr } = await runFeed(args, { token: TOKEN, onOutput: (child) => child.kill('SIGINT') });

    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/stopped: \d+ events\n$/) });
  });

  test('a signal that npm hands on beside the terminal’s own is no second one', async () => {
    const args = watch(service.url, '--every', '500ms', '--baseline', 'emit');
    const signalTwice = (child: ChildProcess) => child.kill('SIGINT') && child.kill('SIGTERM');

    const { code, stderr } = await runFeed(args, { token: TOKEN, onOutput: signalTwice });

    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/stopped: \d+ events\n$/) });
  });

  test('a command that npm runs ends when npm is gone', async () => {
    const npm = spawn(process.execPath, ['-e', RUNS_ITS_ARGUMENTS, COMMAND, 'serve', '--groups', '5'], {
      env: { ...process.env, npm_lifecycle_event: 'npx' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    npm.stdout.once('readable', () => npm.kill('SIGKILL'));

    // The stream ends when the last process that writes to it has ended.
    const stdout = await text(npm.stdout);

    expect(stdout).toMatch(/^http:/);
  });

  test('a reader that has had enough ends a watch with 0, without a word', async () => {
    const args = watch(service.url, '--every', '500ms', '--baseline', 'emit', '--json');
    const child = spawn(process.execPath, [COMMAND, ...args], {
      env: { ...process.env, RETURNS_API_TOKEN: TOKEN },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.once('readable', () => child.stdout.destroy());

    const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);

    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/^(watching [^\n]+\n)?$/) });
  });

  test('the reference service tells its address alone on stdout, and ends with 0 when it is told to', async () => {
    const { code, stdout } = await runFeed(['serve', '--groups', '5'], {
      onOutput: (child) => child.kill('SIGTERM'),
    });

    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/\S+\n$/),
    });
  });
});
