// How fast requests may follow each other so that no 60 seconds hold more of them than the budget: GCRA, the generic
// cell rate algorithm. Its bound holds for slots in any order of booking, so a holder of the token need not know of the
// others, nor the exact time.
//
// With an interval T and a tolerance τ = (burst − 1) · T, a window of length W holds the times of at most ⌊W ÷ T⌋ +
// burst slots. Requests that arrive within 60 s have slots within 60 s + SLOT_LATENESS + TRANSIT_SPREAD = W. So T = ⌊W
// ÷ (requests − burst + 1)⌋ + 1 µs is the shortest interval for which ⌊W ÷ T⌋ + burst ≤ requests.
import { type Instant, MINUTE, SECOND } from '../instant.ts';

/** How long after its time a slot may still be used: a second for the Date of the store, two for its user. */
export const SLOT_LATENESS = 3 * SECOND;
/** How much longer than another a request may be on its way: a new connection compared with an open one. */
export const TRANSIT_SPREAD = SECOND;
/** The window in which the budget bounds the slots. */
export const SLOT_WINDOW = MINUTE + SLOT_LATENESS + TRANSIT_SPREAD;
/** The share of a budget that may go out at once. More makes a poll of many pages faster, everything else slower. */
const BURST_SHARE = 0.1;

/** All durations in the unit of {@link Instant}. */
export interface SlotRate {
  /** Time between two evenly spaced slots. */
  readonly interval: number;
  /** How long before its evenly spaced time a slot may be. */
  readonly tolerance: number;
}

/**
 * Returns the fastest rate of slots that keeps the budget.
 *
 * @param requests the most requests in any 60 seconds, an integer from 1
 */
export function slotRateFor(requests: number): SlotRate {
  const burst = Math.max(1, Math.floor(requests * BURST_SHARE));
  const interval = Math.floor(SLOT_WINDOW / (requests - burst + 1)) + 1;
  return { interval, tolerance: (burst - 1) * interval };
}

/** The earliest time at or after `from` at which a slot may be. */
export function nextSlot(arrival: Instant, tolerance: number, from: Instant): Instant {
  return Math.max(from, arrival - tolerance);
}

/** The theoretical arrival once the slot is booked. */
export function arrivalAfter(arrival: Instant, slot: Instant, interval: number): Instant {
  return Math.max(arrival, slot) + interval;
}
