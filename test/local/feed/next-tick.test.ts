import { describe, expect, it } from 'vitest';
import { nextTick } from '../../../local/feed/next-tick.ts';

const SETTINGS = { intervalMs: 60_000, reconcileMs: 600_000 };
const OFTEN = { intervalMs: 60_000, reconcileMs: 5_000 };
const NOTHING_DUE = { nextCycleInMs: undefined, error: undefined };
const LAST = 1_000_000_000;

describe('the next tick', () => {
  it('is one interval after the last due time, independent of the duration of that tick', () => {
    expect(nextTick({ last: LAST, now: LAST + 59_000 }, SETTINGS, NOTHING_DUE)).toBe(LAST + 60_000);
  });

  it('is immediate if it is overdue, and skips missed ticks', () => {
    expect(nextTick({ last: LAST, now: LAST + 200_000 }, SETTINGS, NOTHING_DUE)).toBe(LAST + 180_000);
  });

  it('is one interval from now if the clock was set back', () => {
    expect(nextTick({ last: LAST, now: LAST - 3_600_000 }, SETTINGS, NOTHING_DUE)).toBe(
      LAST - 3_600_000 + 60_000,
    );
  });

  it('is at the time of a cycle that is due before the next poll', () => {
    const report = { nextCycleInMs: 2_500, error: undefined };

    expect(nextTick({ last: LAST, now: LAST + 2_000 }, OFTEN, report)).toBe(LAST + 4_500);
  });

  it('is the poll if that comes first', () => {
    const report = { nextCycleInMs: 400_000, error: undefined };

    expect(nextTick({ last: LAST, now: LAST + 2_000 }, SETTINGS, report)).toBe(LAST + 60_000);
  });

  it.each([
    {
      what: 'one cycle after the last if a due cycle does not start',
      now: LAST + 300,
      at: LAST + 5_000,
    },
    { what: 'immediate if a cycle took longer than its period', now: LAST + 7_000, at: LAST + 7_000 },
  ])('is $what', ({ now, at }) => {
    expect(nextTick({ last: LAST, now }, OFTEN, { nextCycleInMs: 0, error: undefined })).toBe(at);
  });

  it('is not before the next poll if the service fails', () => {
    const report = { nextCycleInMs: 0, error: new Error('500') };

    expect(nextTick({ last: LAST, now: LAST + 7_000 }, OFTEN, report)).toBe(LAST + 60_000);
  });
});
