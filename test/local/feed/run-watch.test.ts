import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { runWatch } from '../../../local/feed/run-watch.ts';
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
      reconcileMs: 2_000,
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
    settings: sourceSettings.parse({ name: 'acme', baseUrl: service.url, intervalMs: 1_000 }),
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
