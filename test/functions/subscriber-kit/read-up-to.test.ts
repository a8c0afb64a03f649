import { describe, expect, it } from 'vitest';
import { createReadUpTo, isReadUpTo } from '../../../functions/subscriber-kit/read-up-to.ts';
import { runRecorded } from '../../../functions/subscriber-kit/run-recorded.ts';
import { createQueueSubscriber } from '../../../functions/subscriber-kit/subscriber.ts';
import type { EventOf } from '../../../shared/contract/event.ts';
import { committedExample } from '../../shared/contract/committed-contracts.ts';

type Report = EventOf<'feed.source_read'>;

const EXAMPLE = committedExample('feed.source_read') as Report;

function aReport(
  sequence: number,
  object: Partial<Report['data']['object']>,
  generation = 'mwot6tfs',
): Report {
  return {
    ...EXAMPLE,
    id: `acme_${generation}_read_${sequence}`,
    sequence: String(sequence).padStart(10, '0'),
    data: { ...EXAMPLE.data, generation, sequence, object: { ...EXAMPLE.data.object, ...object } },
  };
}

const MIDNIGHT = '2026-11-21T00:00:00Z';
/** Five minutes of lookback and one of settle after midnight. */
const POLLED_AT = '2026-11-21T00:06:00.000000Z';

describe('readUpTo', () => {
  it('is the lookback and settle before the last poll of the newest report, in any order of arrival', async () => {
    const read = createReadUpTo();
    const handler = createQueueSubscriber({ on: read.on, stale: 'handle' });

    await runRecorded(handler, [
      aReport(2, { polled_at: '2026-11-21T00:07:00.500900Z', walked_at: POLLED_AT, set_aside: 1 }),
      aReport(1, { polled_at: POLLED_AT }),
    ]);

    expect(read.readUpTo('acme')).toMatchObject({
      readUpTo: new Date('2026-11-21T00:01:00.500Z'),
      walkedAt: new Date(POLLED_AT),
      held: 0,
      setAside: 1,
    });
    expect(read.readUpTo('globex')).toBeUndefined();
  });

  it('is unknown in a new generation until its first complete poll', async () => {
    const read = createReadUpTo();

    await runRecorded(createQueueSubscriber({ on: read.on }), [
      aReport(9, { polled_at: POLLED_AT }),
      aReport(1, { polled_at: null }, 'mwot9999'),
    ]);

    expect(read.readUpTo('acme')?.readUpTo).toBeUndefined();
  });
});

describe('isReadUpTo', () => {
  it.each<[string, Partial<Report['data']['object']>, boolean]>([
    ['reaches it', { polled_at: POLLED_AT }, true],
    ['does not reach it', { polled_at: '2026-11-21T00:05:59.999999Z' }, false],
    ['is unknown', { polled_at: null }, false],
    ['reaches it, but for a return that can’t be read', { polled_at: POLLED_AT, set_aside: 1 }, false],
    ['reaches it, but for changes that are held', { polled_at: POLLED_AT, held: 1 }, false],
  ])('where the report %s', (_, object, isRead) => {
    expect(isReadUpTo(aReport(1, object), MIDNIGHT)).toBe(isRead);
    expect(isReadUpTo(aReport(1, object), new Date(MIDNIGHT))).toBe(isRead);
  });

  it('rejects a text that is no moment', () => {
    expect(() => isReadUpTo(aReport(1, {}), 'yesterday')).toThrow('"yesterday" is no moment');
  });
});
