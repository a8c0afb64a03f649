import { type Instant, MINUTE } from '../../../shared/instant.ts';

/** The largest number of the given moments that lie within any 60 seconds, both ends included. */
export function mostInAMinute(moments: readonly Instant[]): number {
  const sorted = [...moments].sort((a, b) => a - b);
  let most = 0;
  let first = 0;
  for (const [last, moment] of sorted.entries()) {
    while (moment - sorted[first]! > MINUTE) first += 1;
    most = Math.max(most, last - first + 1);
  }
  return most;
}
