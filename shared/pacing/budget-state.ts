// The slots that may be booked of a token's budget. Two GCRAs add up to it: four fifths for all, one fifth that only
// reconciliation may use, so that polls never starve it, whichever books first. In the common part polls go first:
// covering gets half of its burst, reconciliation none, and both book less far ahead. With a budget below about a hundred,
// that burst is so small that a poll may wait for one request of covering. Pure; the state is shared, see budget.ts.
import { type Instant, MILLISECOND, MINUTE, SECOND } from '../instant.ts';
import type { BudgetState } from '../ports.ts';
import { MAX_RETRY_AFTER_MS } from '../returns-service/http-headers.ts';
import { arrivalAfter, nextSlot, SLOT_WINDOW, type SlotRate, slotRateFor } from './gcra.ts';

/** Polls go first; covering proves what they read, and reconciliation has a fifth of the budget of its own. */
export type Purpose = 'poll' | 'covering' | 'reconciliation';

/**
 * How far ahead slots are booked. Never more than 5 s, which G6 promises: booked slots are lost to other holders, and
 * their holder learns of a pause only at its next booking. Reconciliation's value is below the tolerance of a budget of
 * 25 and more, so that a poll finds a slot at once even while reconciliation takes all it can get.
 */
export const BOOKED_AHEAD: Readonly<Record<Purpose, number>> = {
  poll: 5 * SECOND,
  covering: 3 * SECOND,
  reconciliation: 3 * SECOND,
};

/** The lowest share of the full rate. */
const LOWEST_SHARE = 1 / 8;
/** The share's rise: from half to whole in five minutes, because a service in trouble needs a few to recover. */
const SHARE_RISE_PER_MINUTE = 0.1;
/** How much two holders' idea of the store's time may differ: a second of its Date, and an answer on its way. */
const STORE_TIME_DOUBT = 15 * SECOND;
const LONGEST_PAUSE = MAX_RETRY_AFTER_MS * MILLISECOND;
/** After an impossible state the requests sent are unknown; after this pause the window is empty anyway. */
const RECOVERY_PAUSE = SLOT_WINDOW + BOOKED_AHEAD.poll + STORE_TIME_DOUBT;

export interface Rates {
  readonly common: SlotRate;
  /** Undefined for a budget of one request, which can't be divided. */
  readonly reserved: SlotRate | undefined;
}

/** @throws {RangeError} unless the budget is an integer from 1. */
export function ratesFor(requestsPerMinute: number): Rates {
  if (!Number.isSafeInteger(requestsPerMinute) || requestsPerMinute < 1) {
    throw new RangeError(
      `The budget must be a whole number of requests a minute, at least 1 (got ${requestsPerMinute}).`,
    );
  }
  const reserved = requestsPerMinute === 1 ? 0 : Math.ceil(requestsPerMinute / 5);
  return {
    common: slotRateFor(requestsPerMinute - reserved),
    reserved: reserved === 0 ? undefined : slotRateFor(reserved),
  };
}

/** Before the first booking. */
export const UNUSED_BUDGET: BudgetState = {
  theoreticalArrival: 0,
  reservedArrival: 0,
  rateShare: 1,
  rateChangedAt: 0,
  pausedUntil: 0,
  reach: 0,
};

export interface Booking {
  /** The same object if nothing changed. */
  readonly state: BudgetState;
  /** Ascending; at most the wanted number, and none further ahead than may be booked. */
  readonly slots: readonly Instant[];
  /** The slot that would follow. */
  readonly next: Instant;
}

/**
 * Books as many of the wanted slots as lie close enough ahead.
 *
 * @param now a time that the store's clock has reached, not necessarily the latest
 */
export function bookSlots(
  rates: Rates,
  state: BudgetState,
  now: Instant,
  { purpose, count }: { readonly purpose: Purpose; readonly count: number },
): Booking {
  let booked = isPossible(rates, state, now) ? state : recovered(state, now);
  const share = shareAt(booked, now);
  const from = Math.max(now, booked.pausedUntil);
  const reach = Math.max(booked.reach, reachOf(rates.common), reachOf(rates.reserved));
  const slots: Instant[] = [];
  for (;;) {
    const { slot, after } = slotFor(purpose);
    if (slots.length === count || slot > now + BOOKED_AHEAD[purpose]) {
      return { state: booked, slots, next: slot };
    }
    slots.push(slot);
    booked = { ...booked, ...after, reach };
  }

  function slotFor(purpose: Purpose) {
    if (purpose === 'reconciliation') return reconciliationSlot();
    return commonSlot(purpose === 'poll' ? rates.common.tolerance : rates.common.tolerance / 2);
  }

  function reconciliationSlot() {
    const common = commonSlot(0);
    if (rates.reserved === undefined) return common;
    const { tolerance, interval } = rates.reserved;
    const slot = nextSlot(booked.reservedArrival, tolerance, from);
    if (common.slot < slot) return common;
    const reservedArrival = arrivalAfter(booked.reservedArrival, slot, slowed(interval, share));
    return { slot, after: { reservedArrival } };
  }

  function commonSlot(tolerance: number) {
    const slot = nextSlot(booked.theoreticalArrival, tolerance, from);
    const interval = slowed(rates.common.interval, share);
    return { slot, after: { theoreticalArrival: arrivalAfter(booked.theoreticalArrival, slot, interval) } };
  }
}

/** Share of the full rate in force, from {@link LOWEST_SHARE} to 1. */
export function shareAt({ rateShare, rateChangedAt }: BudgetState, now: Instant): number {
  const minutes = Math.max(0, now - rateChangedAt) / MINUTE;
  return Math.min(1, rateShare + minutes * SHARE_RISE_PER_MINUTE);
}

/** A pause that the service asked for. */
export interface Pause {
  /** In the unit of {@link Instant}; more than an hour counts as an hour. */
  readonly duration: number;
  /** Whether it came with a 429: the rate is then halved. */
  readonly tooFast: boolean;
  /** When the request was sent whose answer asked for it. */
  readonly sentAt: Instant;
}

/**
 * The state with no slot before the pause is over and no burst after it. Several 429s of one episode, to requests that
 * were under way together, halve the rate once.
 *
 * @param now a time that the store's clock has not passed yet
 */
export function pausedFor(rates: Rates, state: BudgetState, now: Instant, pause: Pause): BudgetState {
  const pausedUntil = Math.max(state.pausedUntil, now + Math.min(pause.duration, LONGEST_PAUSE));
  const halved = pause.tooFast && pause.sentAt > state.rateChangedAt;
  return {
    ...state,
    theoreticalArrival: Math.max(state.theoreticalArrival, pausedUntil + rates.common.tolerance),
    reservedArrival: Math.max(state.reservedArrival, pausedUntil + (rates.reserved?.tolerance ?? 0)),
    rateShare: halved ? Math.max(LOWEST_SHARE, shareAt(state, now) / 2) : state.rateShare,
    rateChangedAt: halved ? now : state.rateChangedAt,
    pausedUntil,
  };
}

function slowed(interval: number, share: number): number {
  return Math.ceil(interval / share);
}

/** How far from its slot a booking may move the arrival. */
function reachOf(pace: SlotRate | undefined): number {
  return pace === undefined ? 0 : pace.tolerance + slowed(pace.interval, LOWEST_SHARE);
}

/** Whether the state can result from correct clocks: holders with a smaller budget move arrivals further. */
function isPossible(rates: Rates, state: BudgetState, now: Instant): boolean {
  const latest = now + STORE_TIME_DOUBT;
  const lastSlot = Math.max(latest + BOOKED_AHEAD.poll, state.pausedUntil);
  const reaches = (arrival: Instant, pace: SlotRate | undefined) =>
    pace === undefined || arrival <= lastSlot + Math.max(reachOf(pace), state.reach);
  return (
    state.rateChangedAt <= latest &&
    state.pausedUntil <= latest + LONGEST_PAUSE &&
    reaches(state.theoreticalArrival, rates.common) &&
    reaches(state.reservedArrival, rates.reserved)
  );
}

/** A state after a clock's error: it must not block the source for as long as the error was large. */
function recovered(state: BudgetState, now: Instant): BudgetState {
  return {
    theoreticalArrival: now,
    reservedArrival: now,
    rateShare: state.rateShare,
    rateChangedAt: Math.min(state.rateChangedAt, now),
    pausedUntil: now + RECOVERY_PAUSE,
    reach: 0,
  };
}
