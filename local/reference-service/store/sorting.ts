// The order of rows with equal stamps. Full stamps are almost never equal, so the index's order is sufficient. If the
// service compares whole seconds, or its ties are unstable, rows with equal stamps are sorted again: by id, or randomly
// for each request.

import type { OrderedIndex } from './ordered-index.ts';
import { type SortKey, sortOf } from './orders.ts';
import type { Manner } from './query.ts';
import type { Random } from './seeded-random.ts';

export interface Sorting {
  readonly key: SortKey;
  readonly isDescending: boolean;
  /** In microseconds; keys within the same unit are equal. */
  readonly unit: number;
  readonly areTiesStable: boolean;
  /** Whether rows keep the order of the key's index. */
  readonly isAsIndexed: boolean;
}

/** `count` ranks from `first`, within the ranks [from, to) that match the query. */
export interface Ranks {
  readonly first: number;
  readonly count: number;
  readonly from: number;
  readonly to: number;
}

export function sortingOf({ order, ties, unit }: Manner): Sorting {
  const { key, isDescending } = sortOf(order);
  const own = key === 'updated_at' || key === 'created_at' ? unit : 1;
  const areTiesStable = ties === 'stable';
  return { key, isDescending, unit: own, areTiesStable, isAsIndexed: areTiesStable && own === 1 };
}

/** Sorts rows in place. */
export function sortRows(
  { keyOf }: OrderedIndex,
  { isDescending, unit, areTiesStable }: Sorting,
  rows: number[],
  random: Random,
): number[] {
  const sign = isDescending ? -1 : 1;
  const roundedKey = (row: number) => (unit === 1 ? keyOf(row) : Math.floor(keyOf(row) / unit));
  if (!areTiesStable) random.shuffle(rows);
  const tie = areTiesStable ? (one: number, other: number) => one - other : () => 0;
  return rows.sort((one, other) => sign * (roundedKey(one) - roundedKey(other) || tie(one, other)));
}

/** The rows of these ranks in the sorting's order. Beyond the ranks it reads only the ties at both ends. */
export function sortedRanks(index: OrderedIndex, sorting: Sorting, ranks: Ranks, random: Random): number[] {
  const { isDescending, unit } = sorting;
  const { first, count, from, to } = ranks;
  if (sorting.isAsIndexed) {
    const rows = index.slice(first, first + count);
    return isDescending ? rows.reverse() : rows;
  }
  const unitOf = (rank: number) => Math.floor(index.keyOf(index.slice(rank, rank + 1)[0] as number) / unit);
  const runsFrom = Math.max(from, index.countBelow(unitOf(first) * unit));
  const runsTo = Math.min(to, index.countBelow((unitOf(first + count - 1) + 1) * unit));
  const rows = sortRows(index, sorting, index.slice(runsFrom, runsTo), random);
  const skipped = isDescending ? runsTo - first - count : first - runsFrom;
  return rows.slice(skipped, skipped + count);
}
