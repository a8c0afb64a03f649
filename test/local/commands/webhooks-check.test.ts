// `webhooks check` as a shell sees it, with receivers that are right but for one fault. The signatures are checked by
// Standard Webhooks, so each forged post is what it claims to be.
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { FeedEvent } from '../../../shared/contract/event.ts';
import { type RunOptions, runFeed } from '../cli/run-feed.ts';

vi.setConfig({ testTimeout: 60_000 });

const SECRET = `whsec_${'A'.repeat(43)}=`;
const STORES =
  'A receiver that does not ignore the source "webhook-check" books returns that do not exist.\n';
const ONE_LINE = /^error: [^\n]+\n$/;
const FORGERIES = ['wrong signature', 'no signature', 'changed byte', 'old timestamp', 'future timestamp'];

let folder: string;
let server: Server | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'check-'));
  await writeFile(join(folder, 'forward-secret'), `${SECRET}\n`, { mode: 0o600 });
});
afterAll(() => rm(folder, { recursive: true }));
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  server = undefined;
});

interface Arrived {
  readonly headers: Record<string, string>;
  readonly body: string;
  /** Of a body that is an event. */
  readonly event: FeedEvent;
  /** The accepted events before it. */
  readonly accepted: readonly FeedEvent[];
}

/** @returns a status; undefined for the answer of a right receiver */
type Fault = (arrived: Arrived) => number | undefined;

/** Starts a receiver that is right but for its fault. */
async function start(fault: Fault = () => undefined): Promise<{ url: string; accepted: FeedEvent[] }> {
  const accepted: FeedEvent[] = [];
  server = createServer(async (request: IncomingMessage, response) => {
    const body = (await buffer(request)).toString('utf8');
    const arrived = {
      headers: request.headers as Record<string, string>,
      body,
      event: JSON.parse(body),
      accepted,
    };
    const status = fault(arrived) ?? (isSigned(arrived) ? 204 : 401);
    if (status < 300) accepted.push(arrived.event);
    response.writeHead(status, { location: '/other' }).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, accepted };
}

function isSigned({ headers, body }: Pick<Arrived, 'headers' | 'body'>): boolean {
  try {
    new Webhook(SECRET).verify(body, headers);
    return true;
  } catch (error) {
    if (error instanceof WebhookVerificationError) return false;
    throw error;
  }
}

const check = (url: string, args: readonly string[] = [], options: RunOptions = {}) =>
  runFeed(['webhooks', 'check', url, ...args], {
    environment: { RETURNS_FORWARD_SECRET: SECRET },
    ...options,
  });

/** The steps with this verdict, as `--json` reports them. */
function stepsOf(stdout: string, verdict: string): string[] {
  const { steps } = JSON.parse(stdout) as { steps: { step: string; verdict: string }[] };
  return steps.filter((each) => each.verdict === verdict).map(({ step }) => step);
}

test('finds no fault in a right receiver, and names what it can not see', async () => {
  const { url, accepted } = await start();

  const { code, stdout, stderr } = await check(url);

  expect({ code, stderr }).toEqual({ code: 0, stderr: STORES });
  expect(stdout.match(/^✓/gm)).toHaveLength(18);
  expect(stdout).toMatch(/^✓ repeat +204 after \d+ ms: an event that comes again is no error$/m);
  expect(stdout).toMatch(/^no fault\nAnswers do not show .*books a repeat once/m);
  expect(accepted.map(({ type }) => type)).toContain('return_group.forgotten');
});

test('marks each event, and posts no return that an earlier run has posted', async () => {
  const { url, accepted } = await start();
  await check(url);
  const before = new Set(accepted.splice(0).map(({ id }) => id));

  await check(url);

  const sources = new Set(accepted.map(({ source }) => source));
  expect(sources).toEqual(new Set(['/sources/test', '/sources/webhook-check']));
  expect(before.size).toBeGreaterThan(10);
  expect(accepted.filter(({ id }) => before.has(id))).toEqual([]);
});

test.each([
  ['a file', (at: string) => ['--secret-file', join(at, 'forward-secret')]],
  ['the directory of watch', (at: string) => ['--data', at]],
])('takes the secret from %s', async (_, place) => {
  const { url } = await start();

  const { code } = await check(url, place(folder), { environment: { RETURNS_FORWARD_SECRET: '' } });

  expect(code).toBe(0);
});

const known = ({ event, accepted }: Arrived) => accepted.some(({ id }) => id === event.id);

describe('names the fault of a receiver that', () => {
  test.each<[string, Fault, readonly string[]]>([
    ['checks no signature', () => 204, FORGERIES],
    [
      'checks a signature if there is one',
      ({ headers }) => (headers['webhook-signature'] === undefined ? 204 : undefined),
      ['no signature'],
    ],
    [
      'accepts any timestamp',
      (arrived) => (isSigned(moved(arrived)) ? 204 : undefined),
      ['old timestamp', 'future timestamp'],
    ],
    [
      'tries the first signature alone',
      ({ headers, body }) =>
        isSigned({ headers: firstSignature(headers), body }) || !headers['webhook-signature']
          ? undefined
          : 401,
      ['rotated secret'],
    ],
    ['rejects a repeat', (arrived) => (known(arrived) ? 409 : undefined), ['repeat']],
    ['fails at a repeat', (arrived) => (known(arrived) ? 500 : undefined), ['repeat at once', 'repeat']],
    [
      'rejects a stale event',
      ({ event, accepted }) =>
        accepted.some((other) => isOlder(event, other) && isOf(event, 'shipment')) ? 500 : undefined,
      ['stale event'],
    ],
    [
      'rejects unknown types',
      ({ event }) => (event.type.endsWith('_release') ? 400 : undefined),
      ['unknown type'],
    ],
    ['rejects unknown fields', ({ body }) => (body.includes('"of_a') ? 422 : undefined), ['unknown field']],
    ['rejects large bodies', ({ body }) => (body.length > 100_000 ? 413 : undefined), ['largest body']],
    [
      'checks signatures over other bytes',
      ({ body }) => (/[^ -~]/.test(body) ? 401 : undefined),
      ['text beyond ASCII'],
    ],
    [
      'does not know forgotten returns',
      ({ event }) => (event.type === 'return_group.forgotten' ? 404 : undefined),
      ['forgotten returns'],
    ],
    [
      'rejects the test event',
      ({ event }) => (isOf(event, 'feed') ? 422 : undefined),
      [...['test event', 'text beyond ASCII', 'largest body']],
    ],
  ])('%s', async (_, fault, faults) => {
    const { url } = await start(fault);

    const { code, stdout } = await check(url, ['--json']);

    expect(stepsOf(stdout, 'fault')).toEqual(faults);
    expect(code).toBe(3);
  });
});

/** The headers and body, signed now instead of then, if the signature was right then. */
function moved({ headers, body }: Arrived): Pick<Arrived, 'headers' | 'body'> {
  const { 'webhook-id': id = '', 'webhook-timestamp': seconds, 'webhook-signature': signature } = headers;
  const wasRight = new Webhook(SECRET).sign(id, new Date(Number(seconds) * 1_000), body) === signature;
  const now = new Date();
  const signed = wasRight ? new Webhook(SECRET).sign(id, now, body) : '';
  const timestamp = String(Math.floor(now.getTime() / 1_000));
  return { headers: { ...headers, 'webhook-timestamp': timestamp, 'webhook-signature': signed }, body };
}

function firstSignature(headers: Record<string, string>): Record<string, string> {
  return { ...headers, 'webhook-signature': headers['webhook-signature']?.split(' ')[0] ?? '' };
}

function isOf({ type }: FeedEvent, kind: string): boolean {
  return type.startsWith(`${kind}.`);
}

function isOlder(event: FeedEvent, other: FeedEvent): boolean {
  return event.partitionkey === other.partitionkey && event.data.sequence < other.data.sequence;
}

test('says what an answer means, what to do, and where to read about it', async () => {
  const { url } = await start(({ event }) => (event.type.endsWith('_release') ? 400 : undefined));

  const { code, stdout } = await check(url);

  expect(code).toBe(3);
  expect(stdout).toMatch(
    /^✗ unknown type +400 after \d+ ms: the feed posts it again for a day, then skips it\. Answer 2xx to types that you do not know\. \(docs\/webhooks\.md#answers\)$/m,
  );
  expect(stdout).toMatch(/^a fault: unknown type$/m);
});

test.each([
  [401, 'it does not accept the signature; the feed posts it again for 30 days, and its return waits. Give'],
  [302, 'it redirects; the feed posts it again for 30 days, and its return waits. Give the address'],
  [503, 'it is unavailable; the feed pauses, for all returns.'],
])('posts nothing else after an answer of %i to the test event', async (status, meaning) => {
  const arrived: string[] = [];
  const { url } = await start(({ event }) => {
    arrived.push(event.type);
    return status;
  });

  const { code, stdout } = await check(url);

  expect(arrived).toEqual(['feed.endpoint_test']);
  expect(code).toBe(3);
  expect(stdout).toContain(`ms: ${meaning}`);
  expect(stdout).toMatch(/^a fault: test event$/m);
});

test('posts only what passes the filter, whatever its sources', async () => {
  const { url, accepted } = await start();
  const filter = { sources: ['acme'], entities: ['return_line_item'], to: ['CANCELED'] };

  const { code, stdout } = await check(url, ['--json', '--filter', JSON.stringify(filter)]);

  expect(code).toBe(0);
  expect(stepsOf(stdout, 'open')).toEqual(['unknown type', 'forgotten returns']);
  const changes = accepted.filter((event) => !isOf(event, 'feed'));
  expect(changes.length).toBeGreaterThan(10);
  expect(new Set(changes.map(({ data }) => 'status' in data.object && data.object.status))).toEqual(
    new Set(['CANCELED']),
  );
});

test('reports an address without a receiver in one line', async () => {
  const { url } = await start();
  server?.close();
  server = undefined;

  const { code, stdout, stderr } = await check(url);

  expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(ONE_LINE) });
  expect(stderr).toContain(`error: No answer from ${url}: ECONNREFUSED, nothing listens there.`);
});

test('ends at Ctrl-C, and does not pass', async () => {
  const { url } = await start();
  server?.removeAllListeners('request');
  server?.on('request', (request, response) => {
    if (Number(request.headers['content-length']) < 1_000) response.writeHead(204).end();
  });

  const { code, stdout, stderr } = await check(url, [], { onOutput: (child) => child.kill('SIGINT') });

  expect(code).toBe(1);
  expect(stdout).not.toContain('no fault');
  expect(stderr).toBe(`${STORES}error: The check was stopped before its end: it shows nothing.\n`);
});

test.each([
  ['no secret', 'http://127.0.0.1:1', ['--json'], { RETURNS_FORWARD_SECRET: '' }],
  ['two secrets', 'http://127.0.0.1:1', ['--secret-file', 'key.txt', '--data', 'state'], {}],
  ['a deployment without a webhook', 'http://127.0.0.1:1', ['--stack', 'ReturnsFeed'], {}],
  ['a file without a secret', 'http://127.0.0.1:1', ['--secret-file', '/dev/null'], {}],
  ['an address that is no URL', 'nonsense', [], {}],
  ['an invalid filter', 'http://127.0.0.1:1', ['--filter', '{"to":["LOST_AT_SEA"]}'], {}],
  [
    'a filter that passes no recorded event',
    'http://127.0.0.1:1',
    ['--filter', '{"types":["feed.source_read"]}'],
    {},
  ],
  ['another machine without a terminal to ask', 'https://wms.example.com/hook', [], {}],
])('reports %s in one line', async (_, url, args, environment) => {
  const ended = await check(url, args, { environment: { RETURNS_FORWARD_SECRET: SECRET, ...environment } });

  expect(ended).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(ONE_LINE) });
});
