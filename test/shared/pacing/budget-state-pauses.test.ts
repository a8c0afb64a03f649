import { describe, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '../../../shared/instant.ts';
import {
  bookSlots,
  pausedFor,
  ratesFor,
  shareAt,
  UNUSED_BUDGET,
} from '../../../shared/pacing/budget-state.ts';
import { book, COMMON, NOW, RATES, RESERVED, stateOf } from './some-bookings.ts';

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
      reach: 0,
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
      reach: MINUTE,
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
  const POLL_AHEAD = 5 * SECOND;
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
          reach: 0,
        },
        slots: [],
        next: NOW + RECOVERY,
      });
    },
  );

  it.each([1, 2, 5, 10, 25, 60])('is not one that a holder with a budget of %s has left', (budget) => {
    for (const purpose of ['poll', 'reconciliation'] as const) {
      const slow = bookSlots(ratesFor(budget), stateOf({ rateShare: 1 / 8, rateChangedAt: NOW }), NOW, {
        purpose,
        count: 100,
      });

      const { state } = book('poll', 1, slow.state);

      expect(state.pausedUntil).toBe(0);
    }
  });

  it('lies further ahead once a holder with a smaller budget has booked, and is replaced as well', () => {
    const { state: slow } = bookSlots(ratesFor(10), stateOf(), NOW, { purpose: 'poll', count: 1 });
    const latest = NOW + DOUBT + POLL_AHEAD + 8 * ratesFor(10).reserved!.interval;

    const kept = book('poll', 0, { ...slow, theoreticalArrival: latest });
    const left = book('poll', 0, { ...slow, theoreticalArrival: latest + 1 });

    expect(kept.state.pausedUntil).toBe(0);
    expect(left.state).toMatchObject({ theoreticalArrival: NOW, pausedUntil: NOW + RECOVERY, reach: 0 });
  });

  it('is not the state after a long pause', () => {
    const paused = pausedFor(RATES, UNUSED_BUDGET, NOW, { duration: HOUR, tooFast: true, sentAt: NOW });
    const busy = { ...paused, theoreticalArrival: NOW + HOUR + COMMON.tolerance + 8 * COMMON.interval };

    const booking = bookSlots(RATES, busy, NOW, { purpose: 'poll', count: 1 });

    expect(booking).toEqual({ state: busy, slots: [], next: NOW + HOUR + 8 * COMMON.interval });
  });
});
