import { describe, expect, it } from 'vitest';
import type { FeedEvent } from '../../../shared/contract/event.ts';
import { publishFeedReports, queueFeedReport } from '../../../shared/reporting/feed-reports.ts';
import type { SourceState } from '../../../shared/source/source-state.ts';
import { createMemoryLedger, type MemoryLedger } from '../../fakes/memory-ledger.ts';
import { aState } from '../a-state.ts';

const NOTHING: SourceState = { ...aState(), generation: 'mi8x2k' };
const CONDITION = {
  type: 'source' as const,
  name: 'acme',
  reasons: [],
  since: '2026-11-20T10:00:00.000000Z',
};
const drift = (finding: string) => ({ type: 'drift' as const, findings: [finding] });

async function publishedIn(ledger: MemoryLedger): Promise<FeedEvent[]> {
  const entries = await ledger.read({ ...NOTHING, group: 'feed' }, 0, 10);
  return entries.flatMap((entry) => ('event' in entry ? [entry.event] : []));
}

describe('the subject of an event of the feed itself', () => {
  it('is shared only with events that make it stale', async () => {
    const ledger = createMemoryLedger();
    const degraded = queueFeedReport(NOTHING, 'feed.source_degraded', CONDITION, 0);
    const lost = queueFeedReport(degraded, 'feed.drift_detected', drift('shipment.status=LOST'), 0);
    const found = queueFeedReport(lost, 'feed.drift_detected', drift('shipment.status=FOUND'), 0);
    const recovered = queueFeedReport(found, 'feed.source_recovered', CONDITION, 0);

    await publishFeedReports(ledger, recovered);

    const [first, second, third, last] = (await publishedIn(ledger)).map(({ subject }) => subject);
    expect(first).toBe('sources/acme');
    expect(last).toBe(first);
    expect(new Set([first, second, third]).size).toBe(3);
  });
});

describe('the reports in a state', () => {
  const state = queueFeedReport(
    queueFeedReport(NOTHING, 'feed.source_degraded', CONDITION, 0),
    'feed.drift_detected',
    drift('shipment.status=LOST'),
    0,
  );

  it('are published once, even if several ticks find them', async () => {
    const ledger = createMemoryLedger();

    const numbers = [await publishFeedReports(ledger, state), await publishFeedReports(ledger, state)];

    expect(numbers).toEqual([2, 2]);
    expect((await publishedIn(ledger)).map(({ type }) => type)).toEqual([
      'feed.source_degraded',
      'feed.drift_detected',
    ]);
  });

  it('have a group of their own if they are feed.source_read', async () => {
    const ledger = createMemoryLedger();
    const pace = {
      intervalMs: 60_000,
      lookbackMs: 300_000,
      settleMs: 60_000,
      requestsPerMinute: 240,
      walkShare: 0.1,
    };
    const said = { ...NOTHING, pace, readSequence: 29_393_895, readReportAt: 0, feedSequence: 9 };

    const numbers = [await publishFeedReports(ledger, said), await publishFeedReports(ledger, said)];

    expect(numbers).toEqual([9, 9]);
    expect(await ledger.read({ ...NOTHING, group: 'read' }, 0, 10)).toEqual([
      {
        sequence: 29_393_895,
        event: expect.objectContaining({ id: 'acme_mi8x2k_read_29393895', subject: 'sources/acme/read' }),
      },
    ]);
    expect(await publishedIn(ledger)).toEqual([]);
  });

  it('skip sequence numbers that are taken, in the same way each time', async () => {
    const ledger = createMemoryLedger();
    const other = queueFeedReport(NOTHING, 'feed.drift_detected', drift('order.name is a fraction'), 0);
    await publishFeedReports(ledger, other);

    const numbers = [await publishFeedReports(ledger, state), await publishFeedReports(ledger, state)];

    expect(numbers).toEqual([3, 3]);
    expect((await publishedIn(ledger)).map(({ data }) => data.sequence)).toEqual([1, 2, 3]);
  });
});
