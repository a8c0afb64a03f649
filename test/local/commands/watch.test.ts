// `watch` as a user runs it: in terminals of several widths, in a pipe, and with errors that end it.
import { chmod, mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  createReferenceService,
  type ReferenceService,
} from '../../../local/reference-service/create-reference-service.ts';
import type { FeedEvent } from '../../../shared/contract/event.ts';
import { type Ended, runFeed, runFeedOnTerminal } from '../cli/run-feed.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const TOKEN = 'the-token-that-nobody-may-see';
const HOSTILE = 'UPS\u001b[2J\u009b31m\nDHL';
const GROUPS = 12;

let service: ReferenceService;
let directory: string;

beforeAll(async () => {
  service = await createReferenceService({ groups: GROUPS, token: TOKEN, life: false });
  const group = service.control.snapshot().find(({ shipments }) => shipments.length > 0);
  service.control.mutate(Number(group?.id), (draft) => {
    for (const shipment of draft.shipments) Object.assign(shipment, { status: HOSTILE });
  });
  directory = await mkdtemp(join(tmpdir(), 'watch-'));
});
afterAll(async () => {
  await service.close();
  await rm(directory, { recursive: true });
});

const watch = (...others: string[]) => ['watch', '--base-url', service.url, '--source', 'acme', ...others];
const run = (args: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
  runFeed(args, { token: TOKEN, environment });
/** Ends at the first event; it still prints the events of everything that it has read by then. */
const runUntilEvent = (args: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
  runFeed([...args, '--baseline', 'emit'], {
    token: TOKEN,
    environment,
    onOutput: (child) => child.kill('SIGINT'),
  });

const LOG_LINE = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}(debug|info|warning|error) +acme: \S/;
const ROW = /^2\d{3}-\d\d-\d\d \d\d:\d\d:\d\d +[\d.]+ (s|min|h|d) {2}\d+ #\d+ +(return|shipment)/;

test('a terminal gets rows and log lines of its width, in colour', async () => {
  const args = watch('--baseline', 'emit', '--every', '1s', '--for', '4s', '--utc');

  const environment = { RETURNS_API_TOKEN: TOKEN };
  const { code, stdout: output } = await runFeedOnTerminal(args, { columns: 80, environment });

  const lines = linesLeft(output);
  const text = lines.map((line) => line.trim()).join(' ');
  expect(code).toBe(0);
  expect(output).toContain('\u001b[32mexisting');
  expect(output).not.toContain('\u001b[2J');
  expect(output).not.toContain('\u009b');
  expect(text).toContain('UPS\\x1b[2J\\x9b31m\\nDHL');
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  expect(lines.filter((line) => /^\d\d:\d\d:\d\d +[\d.]+ \w+ {2}\d+ #/.test(line)).length).toBeGreaterThan(
    GROUPS,
  );
  expect(text).toMatch(/info {5}acme: watching 127\.0\.0\.1:\d+ every 1 s; times in UTC/);
});

test('a pipe gets a dated line for each selected event, and log lines with the zone', async () => {
  const args = watch('--every', '1s', '--type', 'return_group.*,shipment.*');

  const { code, stdout, stderr } = await runUntilEvent(args, { TZ: 'America/New_York', FORCE_COLOR: '1' });

  const [header, ...rows] = stripVTControlCharacters(stdout).trimEnd().split('\n');
  const log = stripVTControlCharacters(stderr).trimEnd().split('\n');
  expect(code).toBe(0);
  expect(stdout).toContain('\u001b[32mexisting\u001b[39m');
  expect(header).toMatch(
    /^time +after +return +what +change \(times in America\/New_York, now UTC-0[45]:00\)$/,
  );
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.filter((row) => !ROW.test(row))).toEqual([]);
  expect(log.filter((line) => !LOG_LINE.test(line))).toEqual([]);
  expect(log.at(-1)).toMatch(new RegExp(`info {5}acme: stopped: ${rows.length}( of \\d+)? events$`));
});

describe('a data directory', () => {
  test('stores the address of a source, and names the sources that are not watched', async () => {
    const other = await createReferenceService({ groups: 3, seed: 2, token: TOKEN, life: false });
    const data = join(directory, 'state');
    const flags = ['--data', data, '--every', '1s', '--budget', '2400', '--json'];
    const first = await runUntilEvent(watch(...flags));

    const [moved, second] = [
      await run(['watch', '--base-url', other.url, '--source', 'acme', ...flags]),
      await runUntilEvent(['watch', '--base-url', other.url, '--source', 'beta', ...flags]),
    ];
    const allowed = await run([
      'watch',
      '--base-url',
      other.url,
      '--source',
      'acme',
      '--moved',
      '--for',
      '9s',
      ...flags,
    ]);
    await other.close();

    expect([first.code, second.code]).toEqual([0, 0]);
    expect(moved).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(
        /^error: The state of source "acme" in \S+ was read from http:\S+, not from http:\S+\. If the same store has moved there, add --moved\./,
      ),
    });
    expect(second.stderr).toMatch(
      /warning {2}beta: \S+ also holds source acme, which this command does not watch/,
    );
    // It is another store after all: the guard detects that, and prints a command that can be pasted.
    expect(allowed.stdout).toBe('');
    expect(allowed.stderr).toContain(`returns-feed release --source acme --hold 1 --data ${data}`);
  });
});

test.each([
  [['--config', 'feed.json', '--budget', '5'], '--budget: with --config the file says this'],
  [['--config', '/nowhere/feed.json'], "/nowhere/feed.json can't be read"],
  [[], 'Name the service with --base-url URL, or many of them with --config FILE'],
  [['--base-url', 'http://127.0.0.1:9/api', '--listen', '0'], '--listen needs --data'],
  [['--base-url', 'http://127.0.0.1:9/api', '--listen', 'x', '--data', 'unused'], 'no place to listen at'],
])('watch %j is refused', async (args, problem) => {
  const folder = join(directory, 'config');
  await mkdir(folder, { recursive: true });
  const source = { name: 'acme', baseUrl: service.url, tokenEnv: 'RETURNS_API_TOKEN' };
  await writeFile(join(folder, 'feed.json'), JSON.stringify({ sources: [source] }));
  const given = args.map((each) => (each === 'feed.json' ? join(folder, each) : each));

  const { code, stdout, stderr } = await run(['watch', ...given]);

  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(problem);
});

describe('the options of the last start', () => {
  const url = 'http://127.0.0.1:9/hook';

  test('are printed by status as a command without secrets, and a start that drops one says so', async () => {
    const data = join(directory, 'options');
    const secret = 'http://127.0.0.1:9/hook/0123456789abcdef?key=A-SECRET';
    const forward = [
      '--forward-to',
      url,
      '--forward-to',
      secret,
      '--forward-filter',
      '{"entities": ["shipment"]}',
    ];
    const flags = ['--data', data, '--json', '--every', '1s', '--settle', '2s'];
    const environment = { RETURNS_FORWARD_SECRET: `whsec_${'A'.repeat(43)}=` };
    await runUntilEvent(watch(...flags, ...forward), environment);

    const printed = await run(['status', '--data', data]);
    const shortened = await run(watch('--forward-to', 'http://127.0.0.1:9/hook/…?…'));
    const without = await run(watch('--data', data, '--every', '2s', '--for', '3s'));
    const after = await run(['status', '--data', data, '--json']);
    const removed = await run(['webhooks', 'remove', url, '--data', data, '--yes']);

    expect(printed.stdout).toContain(
      `npx --no returns-feed watch --base-url ${service.url} --source acme --json --every 1s --settle 2s ` +
        `--forward-to ${url} --forward-to '${url}/…?…' --forward-filter '{"entities": ["shipment"]}' ` +
        `--baseline emit --data ${data}\n`,
    );
    expect(printed.stdout).toContain('Set RETURNS_FORWARD_SECRET as before.');
    expect(printed.stdout).not.toMatch(/0123456789abcdef|A-SECRET/);
    expect(shortened).toMatchObject({ code: 2, stderr: expect.stringContaining('Give the whole URL') });
    expect(without.stderr).toContain(
      `Other options than at the last start: without --json, --every 2s (before: 1s), without --settle 2s, without ` +
        `--forward-to ${url}, `,
    );
    expect(without.stderr).toMatch(new RegExp(`${url} is left out, and lacks \\d+ events? of \\d+ return`));
    expect(codesIn(after)).toEqual(['stopped', 'receiver_dropped', 'receiver_dropped']);
    expect(removed).toEqual({ code: 0, stdout: `removed: ${url}\n`, stderr: '' });
    expect(codesIn(await run(['status', '--data', data, '--json']))).toEqual(['stopped', 'receiver_dropped']);
  });

  const codesIn = ({ stdout }: Ended) =>
    JSON.parse(stdout).concerns.map(({ code }: { readonly code: string }) => code);
});

test.runIf(process.getuid?.() === 0)('a command of another user names the cause, and the owner', async () => {
  const data = join(directory, 'of-root');
  await runUntilEvent(watch('--data', data, '--json', '--every', '1s'));
  await chmod(directory, 0o755);

  const { code, stderr } = await runFeed(['status', '--data', data], { uid: 65_534 });

  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(
      /can't be read \(EACCES\): run this as its owner, the user with the number 0\.\n$/,
    ),
  });
});

test('variables that name services of AWS do not reach a watch', async () => {
  const environment = { AWS_ENDPOINT_URL_DYNAMODB: 'garbage', AWS_ENDPOINT_URL: 'http://127.0.0.1:9' };
  const data = join(directory, 'named');

  const watched = await runUntilEvent(watch('--every', '1s', '--json', '--data', data), environment);
  const status = await run(['status', '--data', data], environment);

  expect(watched).toMatchObject({ code: 0, stdout: expect.stringContaining('return_group.created') });
  expect(status).toMatchObject({ stderr: '', stdout: expect.stringMatching(/^acme /m) });
});

describe('beside a running watch', () => {
  test('commands read and write the same directory, and a second watch is refused', async () => {
    const data = join(directory, 'shared');
    const group = String(service.control.snapshot()[0]?.id);
    const copy = join(directory, 'copy.db');
    const beside: Promise<Ended>[] = [];

    const watched = await runFeed(watch('--baseline', 'emit', '--every', '1s', '--json', '--data', data), {
      token: TOKEN,
      onOutput: async (child) => {
        const commands = [
          ['status', '--data', data],
          ['explain', 'acme', group, '--data', data],
          ['redrive', '--data', data],
          ['backup', copy, '--data', data],
          watch('--data', data),
        ];
        beside.push(...commands.map((command) => run(command)));
        await Promise.all(beside);
        child.kill('SIGINT');
      },
    });

    const [status, explained, redriven, backedUp, second] = await Promise.all(beside);
    expect(watched.code).toBe(0);
    expect(status).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/^All well: .*\n\nacme {2}well/),
    });
    expect(explained).toMatchObject({ code: 0, stdout: expect.stringContaining(`return group ${group}`) });
    expect(redriven).toEqual({ code: 0, stderr: '', stdout: 'nothing is behind\n' });
    expect(backedUp).toEqual({ code: 0, stderr: '', stdout: `written: ${copy}\n` });
    expect((await stat(copy)).size).toBeGreaterThan(10_000);
    expect(second).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('is in use by a "watch"'),
    });
  });

  test.runIf(process.platform === 'linux')('no port is open', async () => {
    let listening: string[] | undefined;

    await runFeed(watch('--baseline', 'emit', '--forward-to', `${service.url}/nowhere`, '--json'), {
      token: TOKEN,
      onOutput: async (child) => {
        listening = await listenersOf(Number(child.pid));
        child.kill('SIGINT');
      },
    });

    expect(listening).toEqual([]);
    expect(await listenersOf(process.pid)).not.toEqual([]);
  });
});

describe('a watch that is killed', () => {
  test('leaves nothing to wait for: the next one starts at once, and repeats no event with another content', async () => {
    const data = join(directory, 'killed');
    const args = watch('--baseline', 'emit', '--every', '1s', '--json', '--data', data);

    const killed = await runFeed(args, { token: TOKEN, onOutput: (child) => child.kill('SIGKILL') });
    const next = await run([...args, '--for', '3s']);

    const lines = `${killed.stdout}${next.stdout}`.split('\n').filter((line) => line.endsWith('}'));
    const ids = new Set(lines.map((line) => (JSON.parse(line) as FeedEvent).id));
    expect(killed.code).toBeNull();
    expect(next).toMatchObject({ code: 0, stderr: expect.not.stringMatching(/in use|wait|error/) });
    expect(new Set(lines).size).toBe(ids.size);
    expect(new Set([...ids].map((id) => id.split('_')[2])).size).toBe(GROUPS);
  });
});

describe('a watch that can read nothing', () => {
  test.each([
    [
      'no host',
      // A resolver may take seconds.
      ['--base-url', 'https://nowhere.invalid', '--for', '8s'],
      /No connection to nowhere\.invalid: no host/,
    ],
    [
      'the path of a request',
      ['--base-url', 'http://127.0.0.1:9/api/v2/return-groups', '--for', '3s'],
      /write http:\/\/127\.0\.0\.1:9\/api\./,
    ],
  ])('fails, with a remedy in its message: %s', async (_, args, message) => {
    const { code, stdout, stderr } = await run(['watch', ...args]);

    expect(code).not.toBe(0);
    expect(stdout).toBe('');
    expect(stderr).toMatch(message);
  });

  test('names the variable of a token that is refused', async () => {
    const { code, stderr } = await runFeed(watch('--for', '3s'), { token: 'another' });

    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^error: The service refuses the token in RETURNS_API_TOKEN, or a firewall .* Set the variable to/m,
    );
  });

  test('fails when its time is over, also for a known source', async () => {
    const gone = await createReferenceService({ groups: 3, token: TOKEN, life: false });
    const flags = ['--base-url', gone.url, '--every', '1s', '--data', join(directory, 'gone'), '--json'];
    await runUntilEvent(['watch', ...flags]);
    await gone.close();

    const { code, stderr } = await run(['watch', ...flags, '--for', '3s']);

    expect(code).toBe(1);
    expect(stderr).toMatch(/(^|\n)error: Nothing was read\. No connection to [^\n]+\n$/);
  });
});

/** The lines that remain on the screen: an erased line is replaced by the text written after it. */
function linesLeft(output: string): string[] {
  return output.split('\n').map((line) => {
    const erased = line.lastIndexOf('\u001b[2K');
    return stripVTControlCharacters(erased === -1 ? line : line.slice(erased)).replaceAll('\r', '');
  });
}

/** The listening TCP sockets of a process. */
async function listenersOf(pid: number): Promise<string[]> {
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/${pid}/net/${name}`, 'utf8')),
  );
  const listening = tables
    .join('\n')
    .split('\n')
    .flatMap((line) => {
      const [, address = '', , state, , , , , , inode] = line.trim().split(/\s+/);
      return state === '0A' ? [{ address, socket: `socket:[${inode}]` }] : [];
    });
  const descriptors = await readdir(`/proc/${pid}/fd`);
  const open = await Promise.all(
    descriptors.map((each) => readlink(`/proc/${pid}/fd/${each}`).catch(() => '')),
  );
  return listening.filter(({ socket }) => open.includes(socket)).map(({ address }) => address);
}
