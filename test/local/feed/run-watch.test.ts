import { afterEach, expect, test } from 'vitest';
import { runWatch } from '../../../local/feed/run-watch.ts';
import { createReferenceService } from '../../../local/reference-service/create-reference-service.ts';
import type { FeedEvent } from '../../../shared/contract/event.ts';
import { sourceSettings } from '../../../shared/source-settings.ts';

const TOKEN = 'a-token';
const QUIET = { debug() {}, info() {}, warn() {}, error() {} };

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

test('cycles that are shorter than the time between polls come when they are due', async () => {
  const service = await createReferenceService({
    groups: 30,
    token: TOKEN,
    life: false,
    knobs: { touches: [] },
  });
  ends.push(service.close);
  const group = service.control.snapshot().find(({ shipments }) => shipments.length > 0);
  const told: FeedEvent[] = [];
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
      // Not in the middle of a tick, which would find it as well.
      if (isChanged || report.state?.lease.expiresAt !== 0) return;
      isChanged = true;
      service.control.mutate(Number(group?.id), (draft) => {
        for (const shipment of draft.shipments) shipment.status = 'FAILED';
      });
    },
    async onEvent(event) {
      // What is young at the start is announced.
      if (event.type !== 'shipment.status_changed') return;
      told.push(event);
      stopping.abort();
    },
  });

  expect(told[0]).toMatchObject({
    type: 'shipment.status_changed',
    data: { observed: { through: 'reconciliation' } },
  });
});
