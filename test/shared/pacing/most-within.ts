import type { Instant } from '../../../shared/instant.ts';

/** The largest number of moments within any window of the length, both ends included. */
export function mostWithin(length: number, moments: readonly Instant[]): number {
  const sorted = [...moments].sort((a, b) => a - b);
  let most = 0;
  let first = 0;
  for (const [last, moment] of sorted.entries()) {
    while (moment - sorted[first]! > length) first += 1;
    most = Math.max(most, last - first + 1);
  }
  return most;
}
