import { describe, expect, it } from 'vitest';
import { formatInstant, type Instant, MILLISECOND, MINUTE, SECOND } from '../../../shared/instant.ts';
import { describeRead, reportRead } from '../../../shared/reporting/source-read.ts';
import { aState, lanesWith } from '../a-state.ts';

const PACE = { lookbackMs: 300_000, settleMs: 60_000 };

describe('the description of what is read', () => {
  it('has the starts of the last complete rounds: of polls, and of the older of both walks', () => {
    const lanes = lanesWith({ late: { readAt: 30 }, recent: { readAt: 20 }, older: { readAt: 10 } });

    expect(describeRead(aState({ lanes, baselineAt: 1 }), PACE, 0)).toEqual({
      ...{ type: 'source_read', name: 'acme', held: 0, set_aside: 0 },
      ...{ polled_at: formatInstant(30), walked_at: formatInstant(10) },
      ...{ lookback_ms: 300_000, settle_ms: 60_000 },
    });
  });

  it('has no start before the first complete rounds', () => {
    const lanes = lanesWith({ recent: { readAt: 20 } });

    expect(describeRead(aState({ lanes }), PACE, 0)).toMatchObject({ polled_at: null, walked_at: null });
  });

  it('counts the places that are left out at the moment', () => {
    const place = { axis: 'updated' as const, from: 0, to: 1, until: 20, reason: '500' };

    expect(describeRead(aState({ places: [place] }), PACE, 19)).toMatchObject({ set_aside: 1 });
    expect(describeRead(aState({ places: [place] }), PACE, 20)).toMatchObject({ set_aside: 0 });
  });

  it('counts the holds and the groups set aside', () => {
    const aside = { groupId: 7, reason: 'it has no status', digest: '', since: 0, seenAt: 0 };
    const hold = {
      ...{ number: 1, since: 0, phaseSince: 0, count: 2, samples: [] },
      ...{ kind: 'removals' as const, phase: 'holding' as const },
    };

    const read = describeRead(
      aState({ setAside: [aside, { ...aside, groupId: 8 }], holds: [hold] }),
      PACE,
      0,
    );

    expect(read).toMatchObject({ held: 1, set_aside: 2 });
  });
});

describe('feed.source_read', () => {
  const at = (slot: Instant, state = aState()) =>
    reportRead({ ...state, lastSlot: slot / MILLISECOND }, PACE, slot + SECOND);

  it('is made once in each minute of the slots', () => {
    const first = at(MINUTE * 100);
    const again = at(MINUTE * 100 + 50 * SECOND, { ...first, readReport: undefined });
    const next = at(MINUTE * 101, again);

    expect([first, again, next].map(({ readReport }) => readReport?.time)).toEqual([
      MINUTE * 100 + SECOND,
      undefined,
      MINUTE * 101 + SECOND,
    ]);
  });

  it('is numbered by its minute, so that no number is used again', () => {
    expect([at(MINUTE * 100), at(MINUTE * 101)].map(({ readSequence }) => readSequence)).toEqual([100, 101]);
  });
});
