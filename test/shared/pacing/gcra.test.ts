import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SECOND } from '../../../shared/instant.ts';
import { arrivalAfter, nextSlot, SLOT_WINDOW, slotRateFor } from '../../../shared/pacing/gcra.ts';

describe('the rate of slots for a budget', () => {
  it.each([
    { requests: 1, interval: 64_000_001, burst: 1 },
    { requests: 10, interval: 6_400_001, burst: 1 },
    { requests: 19, interval: 3_368_422, burst: 1 },
    { requests: 20, interval: 3_368_422, burst: 2 },
    { requests: 48, interval: 1_422_223, burst: 4 },
    { requests: 192, interval: 367_817, burst: 19 },
    { requests: 3_000, interval: 23_695, burst: 300 },
  ])('of $requests is one in $interval µs, with a burst of $burst', ({ requests, interval, burst }) => {
    const rate = slotRateFor(requests);

    expect(rate).toEqual({ interval, tolerance: (burst - 1) * interval });
  });

  it('includes late and slow requests in the minute', () => {
    expect(SLOT_WINDOW).toBe(64 * SECOND);
  });

  it('is the fastest that keeps the budget', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100_000 }), (requests) => {
        const { interval, tolerance } = slotRateFor(requests);
        const burst = tolerance / interval + 1;

        expect(Math.floor(SLOT_WINDOW / interval) + burst).toBeLessThanOrEqual(requests);
        expect(Math.floor(SLOT_WINDOW / (interval - 1)) + burst).toBeGreaterThan(requests);
      }),
    );
  });
});

describe('a slot', () => {
  it.each([
    { arrival: 1_000, tolerance: 300, from: 600, slot: 700 },
    { arrival: 1_000, tolerance: 300, from: 700, slot: 700 },
    { arrival: 1_000, tolerance: 300, from: 701, slot: 701 },
    { arrival: 1_000, tolerance: 0, from: 600, slot: 1_000 },
  ])('due at $arrival may be $tolerance earlier, and is at $slot from $from on', (row) => {
    const slot = nextSlot(row.arrival, row.tolerance, row.from);

    expect(slot).toBe(row.slot);
  });

  it.each([
    { arrival: 1_000, slot: 700, after: 1_100 },
    { arrival: 1_000, slot: 1_000, after: 1_100 },
    { arrival: 1_000, slot: 1_500, after: 1_600 },
  ])('at $slot moves the arrival from $arrival to $after', ({ arrival, slot, after }) => {
    expect(arrivalAfter(arrival, slot, 100)).toBe(after);
  });
});
