// `watch` as a user runs it: in terminals of several widths, in a pipe, and with errors that end it.
import { mkdtemp, rm } from 'node:fs/promises';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  createReferenceService,
  type ReferenceService,
} from '../../../local/reference-service/create-reference-service.ts';
import { startDynamoDbEngine } from '../../engines/dynamodb-engine.ts';
import { startSqsEngine } from '../../engines/sqs-engine.ts';
import { findProcess } from '../cli/find-process.ts';
import { runFeed, runFeedOnTerminal } from '../cli/run-feed.ts';

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
  expect(output).toContain('\u001b[32mnew');
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
  expect(stdout).toContain('\u001b[32mnew\u001b[39m');
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

describe('engines that the environment names', () => {
  test('serve a watch and commands without a region', async () => {
    const [dynamoDb, sqs] = await Promise.all([startDynamoDbEngine(), startSqsEngine()]);
    const environment = {
      AWS_ENDPOINT_URL_SQS: sqs.endpoint,
      AWS_ENDPOINT_URL_DYNAMODB: dynamoDb.endpoint,
      ...{ AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' },
      ...{ AWS_REGION: '', AWS_DEFAULT_REGION: '', AWS_PROFILE: '' },
      ...{ AWS_CONFIG_FILE: devNull, AWS_SHARED_CREDENTIALS_FILE: devNull },
    };
    const data = join(directory, 'named');

    const watched = await runUntilEvent(watch('--every', '1s', '--json', '--data', data), environment);
    const status = await run(['status', '--data', data], environment);
    await Promise.all([dynamoDb.stop(), sqs.stop()]);

    expect(watched).toMatchObject({ code: 0, stdout: expect.stringContaining('return_group.created') });
    expect(status.stderr).toBe('');
    expect(status.stdout).toMatch(/^acme /);
  });

  test.each([
    ['watch', () => watch('--for', '3s')],
    ['status', () => ['status', '--data', join(directory, 'named')]],
  ])('have addresses, or else the variable is named: %s', async (_, args) => {
    const { code, stdout, stderr } = await run(args(), { AWS_ENDPOINT_URL_DYNAMODB: 'garbage' });

    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^error: AWS_ENDPOINT_URL_DYNAMODB must be .* \(got "garbage"\)\.\n$/);
  });
});

describe('a watch whose engine ends', () => {
  test.each([
    ['the engine', /dynoxide$/],
    ['its guard', /sh$/],
  ])('ends too, and the next one continues, if this is killed: %s', async (name, program) => {
    const data = join(directory, `killed ${name}`);
    const args = watch('--baseline', 'emit', '--every', '1s', '--json', '--data', data);
    const ended = await runFeed(args, {
      token: TOKEN,
      onOutput: () => process.kill(findProcess(program, join(data, 'tables.db')), 'SIGKILL'),
    });

    const next = await run([...args, '--for', '3s']);

    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(
      /error: The DynamoDB engine of the data directory [^\n]+ has ended\. [^\n]+ nothing is lost\.\n$/,
    );
    // A relay's warning may still name the connection.
    expect(ended.stderr).not.toMatch(/^error: .*ECONNREFUSED/m);
    expect(next.code).toBe(0);
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
      /^error: The service refuses the token in RETURNS_API_TOKEN\. Set the variable to/m,
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
