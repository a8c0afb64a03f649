// How long a source rests after its token was refused. The rest doubles because each further try may count towards a
// lock of the account and trigger an alarm of the service, and people take minutes to fix a token. It is capped, so
// that a fixed token is used within a quarter of an hour.
import { type Instant, MINUTE, SECOND } from '../instant.ts';

/** The shortest rest, however often a source is polled: a token that is refused for a shorter time is tried once. */
const SHORTEST_REST = 5 * SECOND;
const LONGEST_REST = 15 * MINUTE;

/**
 * The rest after refusals in a row, in the unit of Instant: one interval after the first, twice as long after each
 * further one, up to a quarter of an hour: 1, 2, 4, 8, 15 min for a source that is polled every minute.
 *
 * @param refusals in a row, from 1; 0 means no rest
 * @param interval between polls, in the unit of Instant
 */
export function restAfter(refusals: number, interval: number): number {
  if (refusals < 1) return 0;
  return Math.min(LONGEST_REST, Math.max(SHORTEST_REST, interval) * 2 ** (refusals - 1));
}

/** How long a rest still lasts, 0 if it is over. One above the maximum comes from a wrong clock and does not count. */
export function restLeft(restUntil: Instant, now: Instant): number {
  const left = restUntil - now;
  return left <= LONGEST_REST ? Math.max(0, left) : 0;
}
