// How long a source rests after its token was refused. Each further try is a request that a locked account counts
// and an alarm of the service may sound on, and mending a token takes people minutes, hence the doubling; once it is
// mended nobody should wait longer than for a cup of tea, hence the cap.
import { MINUTE, SECOND } from '../instant.ts';

/** However often a source is polled: a refusal that is gone by then was none. */
const SHORTEST_REST = 5 * SECOND;
export const LONGEST_REST = 15 * MINUTE;

/**
 * One interval after the first refusal in a row, twice as long after each further one, up to a quarter of an hour:
 * 1, 2, 4, 8, 15 min for a source that is polled every minute.
 *
 * @param refusals in a row, from 1; 0 rests not at all.
 * @param interval between polls, in the unit of Instant.
 */
export function restAfter(refusals: number, interval: number): number {
  if (refusals < 1) return 0;
  return Math.min(LONGEST_REST, Math.max(SHORTEST_REST, interval) * 2 ** (refusals - 1));
}
