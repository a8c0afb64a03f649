import { describe, expect, it } from 'vitest';
import { DAY, type Instant, MINUTE, SECOND } from '../../../shared/instant.ts';
import { bookSlots, ratesFor, shareAt, UNUSED_BUDGET } from '../../../shared/pacing/budget-state.ts';
import { mostWithin } from './most-within.ts';
import { book, COMMON, NOW, RATES, REACH, RESERVED, stateOf } from './some-bookings.ts';

const RECONCILIATION_AHEAD = 3 * SECOND;

describe('the parts of a budget', () => {
  it.each([
    { budget: 240, common: 192, reserved: 48 },
    { budget: 30, common: 24, reserved: 6 },
    { budget: 6, common: 4, reserved: 2 },
    { budget: 5, common: 4, reserved: 1 },
    { budget: 2, common: 1, reserved: 1 },
  ])(
    'of $budget are $common common and $reserved reserved for reconciliation',
    ({ budget, common, reserved }) => {
      const rates = ratesFor(budget);

      expect(rates.common.interval).toBe(ratesFor(budget).common.interval);
      expect(requestsOf(rates.common)).toBe(common);
      expect(requestsOf(rates.reserved)).toBe(reserved);
    },
  );

  it('are one part if there is only one request', () => {
    expect(ratesFor(1)).toEqual({ common: { interval: 64_000_001, tolerance: 0 }, reserved: undefined });
  });

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('do not exist for %s', (budget) => {
    expect(() => ratesFor(budget)).toThrow(
      new RangeError(`The budget must be a whole number of requests a minute, at least 1 (got ${budget}).`),
    );
  });

  function requestsOf(pace = { interval: 0, tolerance: 0 }): number {
    return Math.floor((64 * SECOND) / pace.interval) + pace.tolerance / pace.interval + 1;
  }
});

describe.each([
  { purpose: 'poll', atOnce: 19, later: 13, ahead: 5 * SECOND, tolerance: COMMON.tolerance },
  { purpose: 'covering', atOnce: 10, later: 8, ahead: 3 * SECOND, tolerance: COMMON.tolerance / 2 },
] as const)('booking for $purpose', ({ purpose, atOnce, later, ahead, tolerance }) => {
  it(`gives ${atOnce} slots at once and ${later} evenly, up to ${ahead / SECOND} s ahead`, () => {
    const { slots, state, next } = book(purpose, 100);

    expect(slots.slice(0, atOnce)).toEqual(Array(atOnce).fill(NOW));
    expect(slots.slice(atOnce)).toEqual(
      Array.from({ length: later }, (_, i) => NOW + (i + 1) * COMMON.interval),
    );
    expect(next).toBe(NOW + (later + 1) * COMMON.interval);
    expect(state).toEqual(
      stateOf({ theoreticalArrival: NOW + (atOnce + later) * COMMON.interval, reach: REACH }),
    );
  });

  it('gives at most the requested number', () => {
    const { slots, state } = book(purpose, 2);

    expect(slots).toEqual([NOW, NOW]);
    expect(state.theoreticalArrival).toBe(NOW + 2 * COMMON.interval);
  });

  it(`gives a slot exactly ${ahead / SECOND} s ahead, but not a microsecond later`, () => {
    const theoreticalArrival = NOW + tolerance + ahead;

    const within = book(purpose, 1, { theoreticalArrival });
    const beyond = book(purpose, 1, { theoreticalArrival: theoreticalArrival + 1 });

    expect(within.slots).toEqual([NOW + ahead]);
    expect(beyond).toEqual({
      state: stateOf({ theoreticalArrival: theoreticalArrival + 1 }),
      slots: [],
      next: NOW + ahead + 1,
    });
  });

  it('returns the same state object if it gives no slot', () => {
    const state = stateOf({ theoreticalArrival: NOW + 12 * SECOND });

    const booking = bookSlots(RATES, state, NOW, { purpose, count: 3 });

    expect(booking.state).toBe(state);
  });

  it('never takes slots that are reserved for reconciliation', () => {
    const { state } = book(purpose, 100, { reservedArrival: 7 });

    expect(state.reservedArrival).toBe(7);
  });
});

describe('covering that takes all it can', () => {
  it.each([100, 240, 3_000])('keeps no poll waiting with a budget of %s', (budget) => {
    const rates = ratesFor(budget);
    const { state } = bookSlots(rates, stateOf(), NOW, { purpose: 'covering', count: 10_000 });

    const { slots } = bookSlots(rates, state, NOW, { purpose: 'poll', count: 1 });

    expect(slots).toEqual([NOW]);
  });

  it.each([2, 5, 12, 30, 60])('delays a poll by at most one request with a budget of %s', (budget) => {
    const rates = ratesFor(budget);
    const { state } = bookSlots(rates, stateOf(), NOW, { purpose: 'covering', count: 10_000 });

    const { next } = bookSlots(rates, state, NOW, { purpose: 'poll', count: 0 });

    expect(next - NOW).toBeLessThanOrEqual(rates.common.interval);
  });
});

describe('booking for reconciliation', () => {
  it('takes from its own part, and from the common part without the burst, up to three seconds ahead', () => {
    const { slots, state } = book('reconciliation', 100);

    const own = [0, 0, 0, 0, 1, 2].map((i) => NOW + i * RESERVED.interval);
    const common = Array.from({ length: 9 }, (_, i) => NOW + i * COMMON.interval);
    expect(slots).toEqual([...own, ...common].sort((a, b) => a - b));
    expect(state).toEqual(
      stateOf({
        theoreticalArrival: NOW + 9 * COMMON.interval,
        reservedArrival: NOW + 6 * RESERVED.interval,
        reach: REACH,
      }),
    );
  });

  it('takes from its own part first', () => {
    const { state } = book('reconciliation', 1);

    expect(state).toEqual(stateOf({ reservedArrival: NOW + RESERVED.interval, reach: REACH }));
  });

  it('leaves polls a burst, however many requests it takes', () => {
    const { state } = book('reconciliation', 100);

    const { slots } = bookSlots(RATES, state, NOW, { purpose: 'poll', count: 10 });

    expect(slots).toEqual(Array(10).fill(NOW));
  });

  it('has its own part even if polls have booked all they can', () => {
    const { state } = book('poll', 100);

    const { slots } = bookSlots(RATES, state, NOW, { purpose: 'reconciliation', count: 100 });

    expect(slots).toEqual([0, 0, 0, 0, 1, 2].map((i) => NOW + i * RESERVED.interval));
  });

  it('gives a slot exactly three seconds ahead, but not a microsecond later', () => {
    const theoreticalArrival = NOW + 20 * SECOND;
    const reservedArrival = NOW + RESERVED.tolerance + RECONCILIATION_AHEAD;

    const within = book('reconciliation', 1, { theoreticalArrival, reservedArrival });
    const beyond = book('reconciliation', 1, { theoreticalArrival, reservedArrival: reservedArrival + 1 });

    expect(within.slots).toEqual([NOW + RECONCILIATION_AHEAD]);
    expect(beyond.slots).toEqual([]);
    expect(beyond.next).toBe(NOW + RECONCILIATION_AHEAD + 1);
  });

  it('shares the only request of the smallest budget', () => {
    const rates = ratesFor(1);

    const first = bookSlots(rates, UNUSED_BUDGET, NOW, { purpose: 'reconciliation', count: 2 });
    const second = bookSlots(rates, first.state, NOW, { purpose: 'poll', count: 1 });

    expect(first.slots).toEqual([NOW]);
    expect(second).toEqual({ state: first.state, slots: [], next: NOW + 64_000_001 });
  });
});

describe('a budget of one request', () => {
  it('ignores the part that larger budgets of its token reserve, even if a wrong clock moved it far ahead', () => {
    const state = stateOf({ reservedArrival: NOW + DAY });

    const { slots } = bookSlots(ratesFor(1), state, NOW, { purpose: 'poll', count: 1 });

    expect(slots).toEqual([NOW]);
  });
});

describe('the slots of greedy polls and reconciliations', () => {
  it.each([1, 2, 5, 12, 30, 240, 3_000])(
    'fill a budget of %s completely in a minute plus the allowance for late requests',
    (budget) => {
      const rates = ratesFor(budget);
      const slots: Instant[] = [];
      let state = UNUSED_BUDGET;

      for (let now = NOW; now < NOW + 5 * MINUTE; now += SECOND) {
        for (const purpose of ['poll', 'reconciliation'] as const) {
          const booking = bookSlots(rates, state, now, { purpose, count: budget });
          slots.push(...booking.slots);
          state = booking.state;
        }
      }

      expect(mostWithin(64 * SECOND, slots)).toBe(budget);
    },
  );
});

describe('the share of the rate', () => {
  it.each([
    { minutes: -1, share: 0.5 },
    { minutes: 0, share: 0.5 },
    { minutes: 1, share: 0.6 },
    { minutes: 2.5, share: 0.75 },
    { minutes: 5, share: 1 },
    { minutes: 60, share: 1 },
  ])('is $share if it was halved $minutes min ago', ({ minutes, share }) => {
    expect(shareAt(stateOf({ rateShare: 0.5, rateChangedAt: NOW }), NOW + minutes * MINUTE)).toBeCloseTo(
      share,
      9,
    );
  });

  it('makes slots rarer and the burst smaller', () => {
    const { slots } = book('poll', 12, { rateShare: 0.5, rateChangedAt: NOW });

    expect(slots.slice(0, 10)).toEqual(Array(10).fill(NOW));
    expect(slots.slice(10)).toEqual([NOW + 2 * COMMON.interval, NOW + 4 * COMMON.interval]);
  });

  it('applies to both parts', () => {
    const { state } = book('reconciliation', 2, {
      rateShare: 0.25,
      rateChangedAt: NOW,
      reservedArrival: NOW + 5 * SECOND,
    });

    expect(state.theoreticalArrival).toBe(NOW + 4 * COMMON.interval);
    expect(state.reservedArrival).toBe(NOW + 5 * SECOND + 4 * RESERVED.interval);
  });
});
