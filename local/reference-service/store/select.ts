// Selects the rows of a query from a view, in the cheapest of three ways: the few candidate rows of a name; a stretch
// of the order's own index, if the only range is on the sort key; otherwise a filter over the rows of the narrowest
// range, which are sorted if they are few.

import { isNamed } from './name-index.ts';
import type { OrderedIndex } from './ordered-index.ts';
import type { SortKey } from './orders.ts';
import { type GroupQuery, isWithin, type Manner, type Range } from './query.ts';
import type { Random } from './seeded-random.ts';
import { sortedRanks, sortingOf, sortRows } from './sorting.ts';
import type { StoredGroup } from './stored-group.ts';
import type { View } from './view.ts';

/** Above this, filtering a whole index in its order costs less than sorting the rows of a range. */
const FEW_ROWS = 20_000;

/** The groups of one page, in order. */
export function selectGroups(view: View, query: GroupQuery, manner: Manner, random: Random): StoredGroup[] {
  return selectRows(view, query, manner, random).flatMap((row) => view.group(row) ?? []);
}

function selectRows(view: View, query: GroupQuery, manner: Manner, random: Random): number[] {
  const sorting = sortingOf(manner);
  const own = stretchOf(view, sorting.key, query);
  const isWanted = (row: number) => isInRanges(view, query, row);
  const page = (rows: number[]) => rows.slice(query.offset, query.offset + query.limit);
  const inOrder = (rows: number[]) =>
    manner.order === 'random' ? random.shuffle(rows) : sortRows(own.index, sorting, rows, random);

  const named = view.names.candidates(query, manner.strings, view.rows);
  if (named !== undefined) {
    return page(inOrder(named.filter((row) => isWanted(row) && hasName(view, query, manner, row))));
  }
  const ranges = [query.created, query.updated, query.shipped].filter((range) => range !== undefined);
  if (ranges.every((range) => range === own.range)) return pageOfStretch(own, query, manner, random);
  const [narrow = own] = (['created_at', 'updated_at'] as const)
    .map((key) => stretchOf(view, key, query))
    .filter(({ range }) => range !== undefined)
    .sort((one, other) => one.to - one.from - (other.to - other.from));
  if (manner.order !== 'random' && sorting.isAsIndexed && narrow.to - narrow.from > FEW_ROWS) {
    const rows = own.index.slice(own.from, own.to).filter(isWanted);
    return page(sorting.isDescending ? rows.reverse() : rows);
  }
  return page(inOrder(narrow.index.slice(narrow.from, narrow.to).filter(isWanted)));
}

/** The ranks [from, to) of an index with keys within the query's range on that key, or all ranks without a range. */
interface Stretch {
  readonly index: OrderedIndex;
  readonly range: Range | undefined;
  readonly from: number;
  readonly to: number;
}

function stretchOf(view: View, key: SortKey, query: GroupQuery): Stretch {
  const index = view.index(key);
  const range = key === 'created_at' ? query.created : key === 'updated_at' ? query.updated : undefined;
  if (range === undefined) return { index, range, from: 0, to: index.size };
  const from = index.countBelow(range.from);
  return { index, range, from, to: Math.max(from, index.countBelow(range.until)) };
}

/** A page from a stretch of the order's own index. All rows of the stretch match. */
function pageOfStretch(
  { index, from, to }: Stretch,
  query: GroupQuery,
  manner: Manner,
  random: Random,
): number[] {
  const count = Math.max(0, Math.min(query.limit, to - from - query.offset));
  if (count === 0) return [];
  if (manner.order === 'random') {
    return sample(to - from, count, random).flatMap((rank) => index.slice(from + rank, from + rank + 1));
  }
  const sorting = sortingOf(manner);
  const first = sorting.isDescending ? to - query.offset - count : from + query.offset;
  return sortedRanks(index, sorting, { first, count, from, to }, random);
}

/** `count` different ranks of [0, bound) in random order, like a page of a shuffle of all ranks. */
function sample(bound: number, count: number, random: Random): number[] {
  if (count * 3 > bound) {
    return random.shuffle(Array.from({ length: bound }, (_, rank) => rank)).slice(0, count);
  }
  const ranks = new Set<number>();
  while (ranks.size < count) ranks.add(random.below(bound));
  return [...ranks];
}

function hasName(view: View, query: GroupQuery, manner: Manner, row: number): boolean {
  const group = view.group(row);
  return group !== undefined && isNamed(group, query, manner.strings);
}

/** Whether the row exists and its stamps are in the query's ranges. */
function isInRanges(view: View, { created, updated, shipped }: GroupQuery, row: number): boolean {
  const stamps = view.stamps(row);
  return (
    stamps !== undefined &&
    isWithin(stamps.createdAt, created) &&
    isWithin(stamps.updatedAt, updated) &&
    (shipped === undefined || stamps.shippedAt.some((at) => isWithin(at, shipped)))
  );
}
