import { describe, expect, it } from 'vitest';
import type { Hold } from '../../../shared/guarding/hold.ts';
import { formatInstant, type Instant, MILLISECOND, MINUTE, SECOND } from '../../../shared/instant.ts';
import { describeRead, reportRead } from '../../../shared/reporting/source-read.ts';
import { aPosition, aState } from '../a-state.ts';

const PACE = {
  ...{ intervalMs: 60_000, lookbackMs: 300_000, settleMs: 60_000, requestsPerMinute: 240, walkShare: 0.1 },
};

describe('the description of what is read', () => {
  it('has the claims of the position, and how much of them is not known', () => {
    const position = aPosition({
      readAt: { late: 30, recent: 20, older: 10 },
      places: [{ axis: 'updated', from: 0, to: 1, isLeftOut: true, seenAt: 0, reason: '500' }],
    });
    const hold: Hold = {
      ...{ number: 1, kind: 'removals', since: 0, phase: 'holding', phaseSince: 0, count: 25, samples: [] },
    };

    expect(describeRead(aState({ position, baselineAt: 1, holds: [hold], pace: PACE }))).toEqual({
      ...{ type: 'source_read', name: 'acme', held: 25, set_aside: 1 },
      ...{ polled_at: formatInstant(30), walked_at: formatInstant(10) },
      ...{ lookback_ms: 300_000, settle_ms: 60_000 },
    });
  });

  it('has no moments before the first complete rounds', () => {
    expect(describeRead(aState({ pace: PACE }))).toMatchObject({ polled_at: null, walked_at: null });
  });
});

describe('feed.source_read', () => {
  const at = (slot: Instant, state = aState(), every: number | boolean = true) =>
    reportRead({ ...state, lastSlot: slot / MILLISECOND }, slot + SECOND, every);

  it('is made once in each minute of the slots', () => {
    const first = at(MINUTE * 100);
    const again = at(MINUTE * 100 + 50 * SECOND, { ...first, readReportAt: undefined });
    const next = at(MINUTE * 101, again);

    expect([first, again, next].map(({ readReportAt }) => readReportAt)).toEqual([
      MINUTE * 100 + SECOND,
      undefined,
      MINUTE * 101 + SECOND,
    ]);
  });

  it('is made once in the time that the settings name, whatever minute that began in', () => {
    const everyTwoHours = 2 * 3_600_000;
    const first = at(MINUTE * 1_000, aState(), everyTwoHours);
    const early = at(MINUTE * 1_119, first, everyTwoHours);
    const due = at(MINUTE * 1_121, early, everyTwoHours);

    expect([first, early, due].map(({ readSequence }) => readSequence)).toEqual([1_000, 1_000, 1_121]);
    expect(due.readReportAt).toBe(MINUTE * 1_121 + SECOND);
  });

  it('is not made where the settings switch it off', () => {
    expect(at(MINUTE * 100, aState(), false).readReportAt).toBeUndefined();
  });

  it('is numbered by its minute, so that no number is used again', () => {
    expect([at(MINUTE * 100), at(MINUTE * 101)].map(({ readSequence }) => readSequence)).toEqual([100, 101]);
  });
});
