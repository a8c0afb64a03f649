import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { OutputError } from '../../../local/cli/write-whole.ts';
import { patienceMs } from '../../../local/feed/run-watch.ts';
import { COULD_NOT_BE_READ } from '../../../local/feed/watch-source.ts';
import { createReferenceService } from '../../../local/reference-service/create-reference-service.ts';
import type { FeedEvent } from '../../../shared/contract/event.ts';
import type { TickReport } from '../../../shared/reporting/tick-report.ts';
import { sourceSettings } from '../../../shared/source/source-settings.ts';
import { watchOne } from './feed-of-one.ts';
import { moveLastSlot } from './move-last-slot.ts';

const TOKEN = 'a-token';
const QUIET = { debug() {}, info() {}, warn() {}, error() {} };

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

test('cycles shorter than the poll interval start when they are due', async () => {
  const service = await createReferenceService({
    groups: 30,
    token: TOKEN,
    life: false,
    knobs: { touches: [] },
  });
  ends.push(service.close);
  const group = service.control.snapshot().find(({ shipments }) => shipments.length > 0);
  const changes: FeedEvent[] = [];
  let isChanged = false;
  const stopping = new AbortController();

  await watchOne({
    settings: sourceSettings.parse({
      name: 'acme',
      baseUrl: service.url,
      intervalMs: 3_600_000,
      // Longer than a tick waits for work that comes due.
      reconcileMs: 4_000,
      settleMs: 1,
    }),
    token: TOKEN,
    dataDir: undefined,
    forMs: undefined,
    signal: stopping.signal,
    log: QUIET,
    onReport(report) {
      // Not in the middle of a tick, which would also find the change.
      if (isChanged || report.state?.lease.expiresAt !== 0) return;
      isChanged = true;
      service.control.mutate(Number(group?.id), (draft) => {
        for (const shipment of draft.shipments) shipment.status = 'FAILED';
      });
    },
    async onEvent(event) {
      // Groups created shortly before the start are announced.
      if (event.type !== 'shipment.status_changed') return;
      changes.push(event);
      stopping.abort();
    },
  });

  expect(changes[0]).toMatchObject({
    type: 'shipment.status_changed',
    data: { observed: { through: 'reconciliation' } },
  });
});

test('a watch whose output fails while it hands over the last events fails at once', async () => {
  const service = await createReferenceService({ groups: 30, token: TOKEN, life: false });
  ends.push(service.close);
  const stopping = new AbortController();
  const failure = new OutputError(new Error('EIO: i/o error, write'));

  const watch = watchOne({
    settings: sourceSettings.parse({ name: 'acme', baseUrl: service.url, baseline: 'emit' }),
    token: TOKEN,
    dataDir: undefined,
    forMs: undefined,
    signal: stopping.signal,
    log: QUIET,
    lastEventsMs: 3_600_000,
    onReport() {},
    async onEvent() {
      stopping.abort();
      throw failure;
    },
  });

  await expect(watch).rejects.toBe(failure);
});

test('repeatedly dropped ticks are reported, with the remedy', async () => {
  const service = await createReferenceService({ groups: 5, token: TOKEN, life: false });
  ends.push(service.close);
  const dataDir = await mkdtemp(join(tmpdir(), 'run-watch-'));
  ends.push(() => rm(dataDir, { recursive: true }));
  const warnings: string[] = [];
  const outcomes: string[] = [];
  const stopping = new AbortController();
  let moved: Promise<void> | undefined;

  await watchOne({
    settings: sourceSettings.parse({ name: 'acme', baseUrl: service.url, intervalMs: 4_000 }),
    token: TOKEN,
    dataDir,
    forMs: undefined,
    signal: stopping.signal,
    log: {
      ...QUIET,
      warn(message) {
        warnings.push(message);
        stopping.abort();
      },
    },
    onReport(report) {
      outcomes.push(report.outcome);
      if (report.state?.lease.expiresAt === 0) moved ??= moveLastSlot(dataDir, 1_800_000);
    },
    async onEvent() {},
  });
  await moved;

  expect(outcomes.slice(-2)).toEqual(['late', 'late']);
  expect(warnings).toEqual([expect.stringContaining('Check the clock of this machine')]);
});

test('with stored state, a watch ends soon after its time, and the next one continues with the other events', async () => {
  const service = await createReferenceService({ groups: 30, token: TOKEN, life: false });
  ends.push(service.close);
  const dataDir = await mkdtemp(join(tmpdir(), 'run-watch-'));
  ends.push(() => rm(dataDir, { recursive: true }));
  const warnings: string[] = [];
  let release = () => {};
  const isOver = new Promise<void>((resolve) => {
    release = resolve;
  });
  const watch = (onEvent: (event: FeedEvent) => Promise<void>, lastEventsMs?: number) =>
    watchOne({
      settings: sourceSettings.parse({ name: 'acme', baseUrl: service.url, baseline: 'emit' }),
      token: TOKEN,
      dataDir,
      forMs: 3_000,
      ...(lastEventsMs === undefined ? {} : { lastEventsMs }),
      signal: new AbortController().signal,
      log: {
        ...QUIET,
        warn(message) {
          warnings.push(message);
          release();
        },
      },
      onReport() {},
      onEvent,
    });
  const printed: FeedEvent[] = [];

  await watch((event) => isOver.then(() => void printed.push(event)), 1);
  const printedAtOnce = printed.length;
  await watch(async (event) => void printed.push(event));

  expect(warnings).toEqual([
    'Stopped before all events were delivered. The next start with the same --data continues with them.',
  ]);
  const groups = printed.flatMap(({ data }) => ('return_group' in data ? data.return_group.id : []));
  expect(new Set(groups).size).toBe(30);
  expect(printedAtOnce).toBeLessThan(printed.length);
});

test.each([
  { isInterrupted: true, isStored: true, seconds: 30 },
  { isInterrupted: true, isStored: false, seconds: 30 },
  { isInterrupted: false, isStored: true, seconds: 10 },
  // The events that are not handed over are lost.
  { isInterrupted: false, isStored: false, seconds: 600 },
])('the end waits $seconds s (interrupted: $isInterrupted, stored: $isStored)', ({ seconds, ...end }) => {
  expect(patienceMs(end)).toBe(seconds * 1_000);
});

test('a watch that starts again goes on with walks if polls are refused', async () => {
  const service = await createReferenceService({
    groups: 20,
    token: TOKEN,
    life: false,
    knobs: { rateLimit: 3_000 },
  });
  ends.push(service.close);
  let refuses = false;
  const front = createServer(async ({ url = '', headers }, response) => {
    if (refuses && url.includes('updated_at')) return void response.writeHead(400).end('{}');
    const token = String(headers['x-service-api-token']);
    const answer = await fetch(`${service.url}${url}`, { headers: { 'X-Service-Api-Token': token } });
    const date = answer.headers.get('date') ?? new Date().toUTCString();
    response.writeHead(answer.status, { 'Content-Type': 'application/json', Date: date });
    response.end(await answer.text());
  });
  const port = await listen(front);
  ends.push(async () => {
    front.closeAllConnections();
    front.close();
  });
  const dataDir = await mkdtemp(join(tmpdir(), 'run-watch-'));
  ends.push(() => rm(dataDir, { recursive: true }));
  const baseUrl = `http://127.0.0.1:${port}`;

  async function watch(ticks: number): Promise<TickReport[]> {
    const stopping = new AbortController();
    const reports: TickReport[] = [];
    await watchOne({
      settings: sourceSettings.parse({
        name: 'acme',
        baseUrl,
        intervalMs: 1_000,
        reconcileMs: 2_000,
        requestsPerMinute: 2_400,
      }),
      token: TOKEN,
      dataDir,
      forMs: 60_000,
      signal: stopping.signal,
      log: QUIET,
      onReport(report) {
        reports.push(report);
        if (reports.filter(({ state }) => state?.lease.expiresAt === 0).length >= ticks) stopping.abort();
      },
      async onEvent() {},
    });
    return reports;
  }

  await watch(1);
  refuses = true;

  expect((await watch(2)).length).toBeGreaterThanOrEqual(2);
}, 90_000);

// `watch` starts with the machine, often before the network or the service.
test('a watch that starts while nothing listens reads the service as soon as it runs', async () => {
  const port = await freePort();

  const polls = await watchUntilRead(port, () => startService(port));

  expect(polls).toBeGreaterThan(0);
});

test('a watch that meets a page of maintenance at its start reads the service afterwards', async () => {
  const maintenance = createServer((_, response) =>
    response.setHeader('Content-Type', 'text/html').end('<h1>Back soon</h1>'),
  );
  const port = await listen(maintenance);

  const polls = await watchUntilRead(port, async () => {
    maintenance.closeAllConnections();
    await new Promise((resolve) => maintenance.close(resolve));
    await startService(port);
  });

  expect(polls).toBeGreaterThan(0);
});

/** @param onWarning called at the first tick that fails. @returns the number of polls of the first tick that read */
async function watchUntilRead(port: number, onWarning: () => Promise<void>): Promise<number> {
  const stopping = new AbortController();
  let repair: Promise<void> | undefined;
  let read = 0;
  await watchOne({
    settings: sourceSettings.parse({
      name: 'acme',
      baseUrl: `http://127.0.0.1:${port}/api`,
      intervalMs: 1_000,
    }),
    token: TOKEN,
    dataDir: undefined,
    forMs: 60_000,
    signal: stopping.signal,
    log: {
      ...QUIET,
      warn(message) {
        if (message === COULD_NOT_BE_READ) repair ??= onWarning();
      },
    },
    onReport({ polls }) {
      if (polls === 0) return;
      read = polls;
      stopping.abort();
    },
    async onEvent() {},
  });
  await repair;
  return repair === undefined ? 0 : read;
}

async function startService(port: number): Promise<void> {
  const service = await createReferenceService({ port, groups: 10, token: TOKEN, life: false });
  ends.push(service.close);
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function listen(server: ReturnType<typeof createServer>): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
