// Selects the rows of a query from a view, in the cheapest of three ways: the few candidate rows of a name; a stretch
// of the order's own index, if the only range is on the sort key; otherwise a walk that checks each row's stamps, along
// the narrowest index if it holds few rows, or along the order's index.

import { isNamed } from './name-index.ts';
import { type GroupFilter, type GroupQuery, isWithin, type Manner, type Range } from './query.ts';
import type { Random } from './seeded-random.ts';
import { sortedRanks, sortingOf, sortRows } from './sorting.ts';
import type { StoredGroup } from './stored-group.ts';
import type { View } from './view.ts';

const FEW_ROWS = 20_000;

/** The groups of one page, in order. */
export function selectGroups(view: View, query: GroupQuery, manner: Manner, random: Random): StoredGroup[] {
  return selectRows(view, query, manner, random).flatMap((row) => view.group(row) ?? []);
}

function selectRows(view: View, query: GroupQuery, manner: Manner, random: Random): number[] {
  const isWanted = inRanges(view, query);
  const named = view.names.candidates(query, manner.strings, view.columns.rows);
  if (named !== undefined) {
    const rows = [...named].filter((row) => isWanted(row) && hasName(view, query, manner, row));
    return page(inOrder(view, rows, manner, random), query);
  }
  const { key, isAsIndexed } = sortingOf(manner);
  const index = view.index(key);
  const own = key === 'created_at' ? query.created : key === 'updated_at' ? query.updated : undefined;
  const from = own === undefined ? 0 : index.countBelow(own.from);
  const to = own === undefined ? index.size : Math.max(from, index.countBelow(own.until));
  if (!hasOtherRanges(query, own)) return stretch(view, { from, to }, query, manner, random);
  const narrow = narrowest(view, query);
  const isShort = narrow !== undefined && narrow.to - narrow.from <= Math.min(FEW_ROWS, to - from);
  if (isShort || manner.order === 'random' || !isAsIndexed) {
    const source = narrow ?? { index, from, to };
    const rows = source.index.slice(source.from, source.to).filter(isWanted);
    return page(inOrder(view, rows, manner, random), query);
  }
  return walk(view, { from, to }, query, manner);
}

interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** A page from a stretch of the order's own index. */
function stretch(
  view: View,
  { from, to }: Stretch,
  query: GroupQuery,
  manner: Manner,
  random: Random,
): number[] {
  const count = Math.max(0, Math.min(query.limit, to - from - query.offset));
  if (count === 0) return [];
  const sorting = sortingOf(manner);
  if (manner.order === 'random') {
    const index = view.index(sorting.key);
    return sample(to - from, count, random).flatMap((rank) => index.slice(from + rank, from + rank + 1));
  }
  const first = sorting.isDescending ? to - query.offset - count : from + query.offset;
  return sortedRanks(view, sorting, { first, count, from, to }, random);
}

/** A page from a stretch that also holds other rows. */
function walk(view: View, { from, to }: Stretch, query: GroupQuery, manner: Manner): number[] {
  const found: number[] = [];
  const isWanted = inRanges(view, query);
  const { key, isDescending } = sortingOf(manner);
  let skipped = 0;
  if (query.limit === 0) return found;
  view.index(key).find(from, to, isDescending, (row) => {
    if (!isWanted(row)) return false;
    if (skipped === query.offset) return found.push(row) >= query.limit;
    skipped += 1;
    return false;
  });
  return found;
}

function inOrder(view: View, rows: number[], manner: Manner, random: Random): number[] {
  return manner.order === 'random' ? random.shuffle(rows) : sortRows(view, sortingOf(manner), rows, random);
}

function page(rows: number[], query: GroupQuery): number[] {
  return rows.slice(query.offset, query.offset + query.limit);
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

function narrowest(view: View, query: GroupQuery) {
  const stretches = [
    { key: 'created_at', range: query.created },
    { key: 'updated_at', range: query.updated },
  ] as const;
  return stretches
    .flatMap(({ key, range }) => {
      if (range === undefined) return [];
      const index = view.index(key);
      const from = index.countBelow(range.from);
      return [{ index, from, to: Math.max(from, index.countBelow(range.until)) }];
    })
    .sort((one, other) => one.to - one.from - (other.to - other.from))[0];
}

function hasOtherRanges(query: GroupFilter, own: Range | undefined): boolean {
  return [query.created, query.updated, query.shipped].some((range) => range !== undefined && range !== own);
}

function hasName(view: View, query: GroupQuery, manner: Manner, row: number): boolean {
  const group = view.group(row);
  return group !== undefined && isNamed(group, query, manner.strings);
}

/** A test whether a row exists and its stamps are in the query's ranges. Called a million times. */
function inRanges(view: View, query: GroupFilter): (row: number) => boolean {
  const { createdAt, updatedAt, isPresent } = view.columns;
  const [createdFrom, createdUntil] = limitsOf(query.created);
  const [updatedFrom, updatedUntil] = limitsOf(query.updated);
  const { shipped } = query;
  return (row) => {
    if (isPresent[row] !== 1) return false;
    const created = createdAt[row] as number;
    const updated = updatedAt[row] as number;
    if (created < createdFrom || created >= createdUntil) return false;
    if (updated < updatedFrom || updated >= updatedUntil) return false;
    return shipped === undefined || wasShippedWithin(view, shipped, row);
  };
}

function limitsOf(range: Range | undefined): [number, number] {
  return range === undefined
    ? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
    : [range.from, range.until];
}

function wasShippedWithin(view: View, range: Range, row: number): boolean {
  const first = view.columns.firstShippedAt[row] as number;
  const last = view.columns.lastShippedAt[row] as number;
  if (Number.isNaN(first)) return false;
  if (isWithin(first, range) || isWithin(last, range)) return true;
  if (first >= range.until || last < range.from) return false;
  // Only a group with three or more shipments can have one between its first and its last.
  return (
    view
      .group(row)
      ?.shipments.some((parcel) => parcel.shipped_at !== null && isWithin(parcel.shipped_at, range)) ?? false
  );
}
