import { describe, expect, it } from 'vitest';
import { DAY, HOUR, type Instant, MILLISECOND, MINUTE, SECOND } from '../../../shared/instant.ts';
import {
  bookSlots,
  type Purpose,
  pausedFor,
  ratesFor,
  shareAt,
  UNUSED_BUDGET,
} from '../../../shared/pacing/budget-state.ts';
import type { BudgetState } from '../../../shared/ports.ts';
import { mostWithin } from './most-within.ts';

const NOW: Instant = Date.UTC(2026, 10, 20) * MILLISECOND;
// A budget of 240 requests has 192 common ones with a burst of 19, and 48 for reconciliation with a burst of 4.
const RATES = ratesFor(240);
const COMMON = { interval: 367_817, tolerance: 18 * 367_817 };
const RESERVED = { interval: 1_422_223, tolerance: 3 * 1_422_223 };
const POLL_AHEAD = 5 * SECOND;
const COVERING_AHEAD = 3 * SECOND;
const RECONCILIATION_AHEAD = 3 * SECOND;

function stateOf(changes: Partial<BudgetState> = {}): BudgetState {
  return { ...UNUSED_BUDGET, ...changes };
}

function book(purpose: Purpose, count: number, changes: Partial<BudgetState> = {}, now = NOW) {
  return bookSlots(RATES, stateOf(changes), now, { purpose, count });
}

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

describe('booking for polls', () => {
  it('gives the burst at once and the rest evenly, up to five seconds ahead', () => {
    const { slots, state, next } = book('poll', 100);

    expect(slots.slice(0, 19)).toEqual(Array(19).fill(NOW));
    expect(slots.slice(19)).toEqual(Array.from({ length: 13 }, (_, i) => NOW + (i + 1) * COMMON.interval));
    expect(next).toBe(NOW + 14 * COMMON.interval);
    expect(state).toEqual(stateOf({ theoreticalArrival: NOW + 32 * COMMON.interval }));
  });

  it('gives at most the requested number', () => {
    const { slots, state } = book('poll', 2);

    expect(slots).toEqual([NOW, NOW]);
    expect(state.theoreticalArrival).toBe(NOW + 2 * COMMON.interval);
  });

  it('gives a slot exactly five seconds ahead, but not a microsecond later', () => {
    const theoreticalArrival = NOW + COMMON.tolerance + POLL_AHEAD;

    const within = book('poll', 1, { theoreticalArrival });
    const beyond = book('poll', 1, { theoreticalArrival: theoreticalArrival + 1 });

    expect(within.slots).toEqual([NOW + POLL_AHEAD]);
    expect(beyond).toEqual({
      state: stateOf({ theoreticalArrival: theoreticalArrival + 1 }),
      slots: [],
      next: NOW + POLL_AHEAD + 1,
    });
  });

  it('returns the same state object if it gives no slot', () => {
    const state = stateOf({ theoreticalArrival: NOW + 12 * SECOND });

    const booking = bookSlots(RATES, state, NOW, { purpose: 'poll', count: 3 });

    expect(booking.state).toBe(state);
  });

  it('never takes slots that are reserved for reconciliation', () => {
    const { state } = book('poll', 100, { reservedArrival: 7 });

    expect(state.reservedArrival).toBe(7);
  });
});

describe('booking for covering', () => {
  it('gives half of the burst at once and the rest evenly, up to three seconds ahead', () => {
    const { slots, state } = book('covering', 100);

    expect(slots.slice(0, 10)).toEqual(Array(10).fill(NOW));
    expect(slots.slice(10)).toEqual(Array.from({ length: 8 }, (_, i) => NOW + (i + 1) * COMMON.interval));
    expect(state).toEqual(stateOf({ theoreticalArrival: NOW + 18 * COMMON.interval }));
  });

  it('gives a slot exactly three seconds ahead, but not a microsecond later', () => {
    const theoreticalArrival = NOW + COMMON.tolerance / 2 + COVERING_AHEAD;

    const within = book('covering', 1, { theoreticalArrival });
    const beyond = book('covering', 1, { theoreticalArrival: theoreticalArrival + 1 });

    expect(within.slots).toEqual([NOW + COVERING_AHEAD]);
    expect(beyond.slots).toEqual([]);
  });

  it('never takes slots that are reserved for reconciliation', () => {
    const { state } = book('covering', 100, { reservedArrival: 7 });

    expect(state.reservedArrival).toBe(7);
  });

  it.each([100, 240, 3_000])(
    'delays no poll with a budget of %s, however many requests it takes',
    (budget) => {
      const rates = ratesFor(budget);
      const { state } = bookSlots(rates, stateOf(), NOW, { purpose: 'covering', count: 10_000 });

      const { slots } = bookSlots(rates, state, NOW, { purpose: 'poll', count: 1 });

      expect(slots).toEqual([NOW]);
    },
  );

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
      }),
    );
  });

  it('takes from its own part first', () => {
    const { state } = book('reconciliation', 1);

    expect(state).toEqual(stateOf({ reservedArrival: NOW + RESERVED.interval }));
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

describe('a pause', () => {
  const before = stateOf({ theoreticalArrival: NOW + SECOND, reservedArrival: NOW - SECOND });

  it('after a 429 halves the rate and removes the burst', () => {
    const state = pausedFor(RATES, before, NOW, { duration: 15 * SECOND, tooFast: true, sentAt: NOW - 1 });

    expect(state).toEqual({
      theoreticalArrival: NOW + 15 * SECOND + COMMON.tolerance,
      reservedArrival: NOW + 15 * SECOND + RESERVED.tolerance,
      rateShare: 0.5,
      rateChangedAt: NOW,
      pausedUntil: NOW + 15 * SECOND,
    });
    const { slots } = bookSlots(RATES, state, NOW + 14 * SECOND, { purpose: 'poll', count: 2 });
    expect(slots).toEqual([
      NOW + 15 * SECOND,
      NOW + 15 * SECOND + Math.ceil(COMMON.interval / shareAt(state, NOW + 14 * SECOND)),
    ]);
  });

  it('for another reason does not change the rate', () => {
    const state = pausedFor(RATES, before, NOW, { duration: SECOND, tooFast: false, sentAt: NOW - 1 });

    expect(state).toMatchObject({ rateShare: 1, rateChangedAt: 0, pausedUntil: NOW + SECOND });
  });

  it('halves the rate once for all requests that were sent before it', () => {
    const once = pausedFor(RATES, before, NOW, { duration: SECOND, tooFast: true, sentAt: NOW - 1 });

    const twice = pausedFor(RATES, once, NOW + SECOND, { duration: SECOND, tooFast: true, sentAt: NOW });
    const again = pausedFor(RATES, once, NOW + SECOND, { duration: SECOND, tooFast: true, sentAt: NOW + 1 });

    expect(twice).toMatchObject({ rateShare: 0.5, rateChangedAt: NOW, pausedUntil: NOW + 2 * SECOND });
    expect(again.rateShare).toBeCloseTo((0.5 + 0.1 / 60) / 2, 9);
    expect(again.rateChangedAt).toBe(NOW + SECOND);
  });

  it('never lowers the rate below an eighth', () => {
    const low = stateOf({ rateShare: 0.2, rateChangedAt: NOW });

    const state = pausedFor(RATES, low, NOW, { duration: SECOND, tooFast: true, sentAt: NOW + 1 });

    expect(state.rateShare).toBe(1 / 8);
  });

  it('never shortens a longer pause, nor moves an arrival forward', () => {
    const far = stateOf({
      pausedUntil: NOW + MINUTE,
      theoreticalArrival: NOW + HOUR,
      reservedArrival: NOW + 2 * HOUR,
    });

    const state = pausedFor(RATES, far, NOW, { duration: SECOND, tooFast: false, sentAt: NOW });

    expect(state).toEqual(far);
  });

  it('lasts at most an hour', () => {
    const state = pausedFor(RATES, before, NOW, { duration: DAY, tooFast: false, sentAt: NOW });

    expect(state.pausedUntil).toBe(NOW + HOUR);
  });

  it('applies to a budget without a part for reconciliation', () => {
    const state = pausedFor(ratesFor(1), before, NOW, { duration: SECOND, tooFast: false, sentAt: NOW });

    expect(state).toMatchObject({ theoreticalArrival: NOW + SECOND, reservedArrival: NOW + SECOND });
  });

  it('delays all slots, including those of reconciliation', () => {
    const changes = { pausedUntil: NOW + 2 * SECOND };

    expect(book('poll', 1, changes).slots).toEqual([NOW + 2 * SECOND]);
    expect(book('reconciliation', 1, changes).slots).toEqual([NOW + 2 * SECOND]);
    expect(book('poll', 1, { pausedUntil: NOW + MINUTE })).toMatchObject({ slots: [], next: NOW + MINUTE });
  });
});

describe('a state that no correct clock can have caused', () => {
  const DOUBT = 15 * SECOND;
  const RECOVERY = 64 * SECOND + POLL_AHEAD + DOUBT;
  const latestCommon = NOW + DOUBT + POLL_AHEAD + COMMON.tolerance + 8 * COMMON.interval;
  const latestReserved = NOW + DOUBT + POLL_AHEAD + RESERVED.tolerance + 8 * RESERVED.interval;

  it.each([
    { name: 'an arrival', field: 'theoreticalArrival', latest: latestCommon },
    { name: 'a reserved arrival', field: 'reservedArrival', latest: latestReserved },
    { name: 'a pause', field: 'pausedUntil', latest: NOW + DOUBT + HOUR },
    { name: 'a change of the rate', field: 'rateChangedAt', latest: NOW + DOUBT },
  ])(
    'has $name a microsecond beyond the latest, and is replaced after a minute and a half',
    ({ field, latest }) => {
      const possible = stateOf({ rateShare: 0.5, [field]: latest });
      const impossible = stateOf({ rateShare: 0.5, [field]: latest + 1 });

      const kept = bookSlots(RATES, possible, NOW, { purpose: 'poll', count: 1 });
      const left = bookSlots(RATES, impossible, NOW, { purpose: 'poll', count: 1 });

      expect(kept.state.pausedUntil).toBe(possible.pausedUntil);
      expect(left).toEqual({
        state: {
          theoreticalArrival: NOW,
          reservedArrival: NOW,
          rateShare: 0.5,
          rateChangedAt: field === 'rateChangedAt' ? NOW : 0,
          pausedUntil: NOW + RECOVERY,
        },
        slots: [],
        next: NOW + RECOVERY,
      });
    },
  );

  it('is not the state after a long pause', () => {
    const paused = pausedFor(RATES, UNUSED_BUDGET, NOW, { duration: HOUR, tooFast: true, sentAt: NOW });
    const busy = { ...paused, theoreticalArrival: NOW + HOUR + COMMON.tolerance + 8 * COMMON.interval };

    const booking = bookSlots(RATES, busy, NOW, { purpose: 'poll', count: 1 });

    expect(booking).toEqual({ state: busy, slots: [], next: NOW + HOUR + 8 * COMMON.interval });
  });
});
