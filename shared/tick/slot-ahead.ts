import { MILLISECOND } from '../instant.ts';
import { SLOT_TOO_FAR_AHEAD } from '../limits.ts';

/**
 * Whether a slot is so far ahead of a moment that no scheduler with a right clock can have sent it.
 *
 * @param slot in milliseconds since the epoch
 * @param nowMs in milliseconds since the epoch
 */
export function isSlotTooFarAhead(slot: number, nowMs: number): boolean {
  return (slot - nowMs) * MILLISECOND > SLOT_TOO_FAR_AHEAD;
}
