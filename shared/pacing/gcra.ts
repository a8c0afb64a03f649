// How fast requests may follow each other so that no 60 seconds hold more of them than the budget: GCRA, whose
// bound holds for slots in any order of booking, so no holder of the token need know of another, or what time it
// is to the second.
//
// With an interval T and a tolerance τ = (burst − 1) · T, a window of length W holds the times of at most
// ⌊W ÷ T⌋ + burst slots. What arrives within 60 s has slots within 60 s + SLOT_LATENESS + TRANSIT_SPREAD = W. So
// T = ⌊W ÷ (requests − burst + 1)⌋ + 1 µs is the shortest interval for which ⌊W ÷ T⌋ + burst ≤ requests.
import { type Instant, MINUTE, SECOND } from '../instant.ts';

/** So long after its time a slot may still be used: a second for the Date of the store, two for who uses it. */
export const SLOT_LATENESS = 3 * SECOND;
/** So much longer than another may a request be on its way: a new connection against one that is open. */
export const TRANSIT_SPREAD = SECOND;
/** The slots of this window are what the budget bounds. */
export const SLOT_WINDOW = MINUTE + SLOT_LATENESS + TRANSIT_SPREAD;
/** Share of a budget that may go out at once. More would make a poll of many pages faster, all else slower. */
const BURST_SHARE = 0.1;

/** All durations in the unit of {@link Instant}. */
export interface Pace {
  /** Between two slots, evenly spaced. */
  readonly interval: number;
  /** So long before its evenly spaced time a slot may be. */
  readonly tolerance: number;
}

/** @param requests at most so many in any 60 seconds, an integer from 1. */
export function paceFor(requests: number): Pace {
  const burst = Math.max(1, Math.floor(requests * BURST_SHARE));
  const interval = Math.floor(SLOT_WINDOW / (requests - burst + 1)) + 1;
  return { interval, tolerance: (burst - 1) * interval };
}

/** The first time from `from` on at which a slot may be. */
export function nextSlot(arrival: Instant, tolerance: number, from: Instant): Instant {
  return Math.max(from, arrival - tolerance);
}

/** The theoretical arrival once the slot is booked. */
export function arrivalAfter(arrival: Instant, slot: Instant, interval: number): Instant {
  return Math.max(arrival, slot) + interval;
}
