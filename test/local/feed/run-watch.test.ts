import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { OutputError } from '../../../local/cli/write-whole.ts';
import { patienceMs, runWatch } from '../../../local/feed/run-watch.ts';
import { createReferenceService } from '../../../local/reference-service/create-reference-service.ts';
import type { FeedEvent } from '../../../shared/contract/event.ts';
import { sourceSettings } from '../../../shared/source/source-settings.ts';
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

  await runWatch({
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

  const watch = runWatch({
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

  await runWatch({
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
    runWatch({
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
