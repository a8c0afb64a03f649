// Unstable ties: rows whose stamps are equal come in another order with each request, within a page and across its
// edges. Only the runs of equal stamps that the page touches are looked at.

import type { SortKey } from './orders.ts';
import type { Random } from './seeded-random.ts';
import type { View } from './view.ts';

interface Sort {
  readonly key: SortKey;
  readonly isDescending: boolean;
}

/** `count` ranks from `first`, within the ranks [from, to) that the query matched. */
interface Ranks {
  readonly first: number;
  readonly count: number;
  readonly from: number;
  readonly to: number;
}

export function orderTies(view: View, sort: Sort, ranks: Ranks, unit: number, random: Random): number[] {
  const { first, count, from, to } = ranks;
  const index = view.index(sort.key);
  const value = view.keyOf(sort.key);
  const isStamp = sort.key === 'updated_at' || sort.key === 'created_at';
  const stampOf = (row: number) => (isStamp ? Math.floor(value(row) / unit) : value(row));

  const edge = (rank: number) => stampOf(index.slice(rank, rank + 1)[0] as number);
  const runFrom = Math.max(from, index.countBelow(isStamp ? edge(first) * unit : edge(first)));
  const runTo = Math.min(
    to,
    index.countBelow(isStamp ? (edge(first + count - 1) + 1) * unit : edge(first + count - 1) + 1),
  );

  const rows = random
    .shuffle(index.slice(runFrom, runTo))
    .sort((one, other) => stampOf(one) - stampOf(other));
  const shown = rows.slice(first - runFrom, first - runFrom + count);
  return sort.isDescending ? shown.reverse() : shown;
}
