// When a failed event is posted again: 5 s, 30 s, 2 min and 5 min after the attempts before, then every 15 minutes, as
// long as the ledger keeps it. The pause follows from how long the event has failed, so nothing counts attempts.
import { MILLISECOND, MINUTE, SECOND } from '../instant.ts';

const FIRST_PAUSES = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 5 * MINUTE];
const LAST_PAUSE = 15 * MINUTE;
/** A message can be invisible for 12 hours in all; this leaves time for the attempts. */
export const LONGEST_PAUSE_MS = 11 * 3_600_000;
/** Added to a pause, at random: events that failed together are not posted together again. */
const JITTER = 0.1;

/** Returns the pause after an event that has failed for this long. Both in the unit of Instant. */
export function pauseAfter(failingFor: number): number {
  let begins = 0;
  for (const pause of FIRST_PAUSES) {
    begins += pause;
    if (failingFor < begins) return pause;
  }
  return LAST_PAUSE;
}

/**
 * Returns the milliseconds until the next attempt.
 *
 * @param failingFor how long the event has failed, in the unit of Instant
 * @param askedMs the endpoint's Retry-After, which only lengthens the pause
 * @param random from 0 to below 1
 */
export function retryInMs(failingFor: number, askedMs: number, random: number): number {
  const pauseMs = (pauseAfter(failingFor) / MILLISECOND) * (1 + JITTER * random);
  return Math.ceil(Math.min(Math.max(pauseMs, askedMs), LONGEST_PAUSE_MS));
}
