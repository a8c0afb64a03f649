import type { Instant } from '../instant.ts';
import type { Interval } from '../reading/page.ts';

/** How many of the groups that were read belong to the range that was covered, and so to no other. */
export function createdWithin(covered: Interval | undefined, read: ReadonlyMap<number, Instant>): number {
  if (covered === undefined) return 0;
  const { from = -Infinity, to = Infinity } = covered;
  return [...read.values()].filter((createdAt) => createdAt >= from && createdAt < to).length;
}
