import type { Instant } from '../instant.ts';
import type { Interval } from '../reading/page.ts';

/** Counts the groups read that were created within the covered range, and so belong to no other. */
export function createdWithin(covered: Interval | undefined, read: ReadonlyMap<number, Instant>): number {
  if (covered === undefined) return 0;
  const { from = -Infinity, to = Infinity } = covered;
  return [...read.values()].filter((createdAt) => createdAt >= from && createdAt < to).length;
}
