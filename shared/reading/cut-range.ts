// R5: where a range without a stable order is cut. By time of update until a piece is a few seconds wide, then by time
// of creation. The cut is in the middle of the seen rows, so that it halves the rows and not the empty hours around
// them.
import type { Instant } from '../instant.ts';
import { NARROWEST_RANGE, SHORT_PAGE_ROWS } from '../limits.ts';
import type { RowReading } from '../returns-service/parse-return-group.ts';
import type { Interval, Range } from './page.ts';

/** When a seen row was created and updated. */
export interface RowStamps {
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** The stamps of those rows whose stamps can be read. */
export function stampsOf(rows: readonly RowReading[]): RowStamps[] {
  return rows.flatMap(({ createdAt, updatedAt }) =>
    createdAt === undefined || updatedAt === undefined ? [] : [{ createdAt, updatedAt }],
  );
}

/** The stamps that belong to a range. */
export function stampsWithin({ updated, created }: Range, stamps: readonly RowStamps[]): RowStamps[] {
  const isWithin = (instant: Instant, { from = -Infinity, to = Infinity }: Partial<Interval> = {}) =>
    instant >= from && instant < to;
  return stamps.filter((row) => isWithin(row.updatedAt, updated) && isWithin(row.createdAt, created));
}

/** @returns the earlier and the later piece, or undefined if the range can't be cut any more */
export function cutRange(range: Range, seen: readonly RowStamps[]): readonly [Range, Range] | undefined {
  if (range.updated !== undefined) {
    const cut = cutInterval(range.updated, instantsOf(seen, 'updatedAt'));
    if (cut !== undefined)
      return [
        { ...range, updated: cut[0] },
        { ...range, updated: cut[1] },
      ];
  }
  const instants = instantsOf(seen, 'createdAt');
  const cut = cutInterval(range.created ?? EVERYWHERE, instants, around(instants));
  return (
    cut && [
      { ...range, created: cut[0] },
      { ...range, created: cut[1] },
    ]
  );
}

/** The interval that a range is cut along: time of update if the range has one, else time of creation. */
export function axisOf({ updated, created }: Range): Partial<Interval> {
  return updated ?? created ?? EVERYWHERE;
}

/** Whether a range is as narrow as ranges get: its rows must then be read together, however many they are. */
export function isNarrow(range: Range): boolean {
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = axisOf(range);
  return to - from <= NARROWEST_RANGE;
}

function instantsOf(rows: readonly RowStamps[], field: 'updatedAt' | 'createdAt'): Instant[] {
  return rows.map((row) => row[field]).sort((a, b) => a - b);
}

/**
 * The time in which the seen groups were created, and as much again on either side. A walk's ranges by creation begin
 * decades before the first group, and pieces there would be empty. Ranges by update do not, and often only their newest
 * rows were seen. Too few rows are not used: each cut around them would separate only these few from the rest.
 */
function around(instants: readonly Instant[]): Interval {
  const sample = instants.length < SHORT_PAGE_ROWS ? [] : instants;
  const first = sample[0] ?? Number.NEGATIVE_INFINITY;
  const last = sample.at(-1) ?? Number.POSITIVE_INFINITY;
  const spread = Math.max(last - first, NARROWEST_RANGE);
  return { from: first - spread, to: last + spread };
}

const EVERYWHERE: Partial<Interval> = {};

/** @param within limits where the cut may be */
function cutInterval(
  { from, to }: Partial<Interval>,
  instants: readonly Instant[],
  within: Partial<Interval> = EVERYWHERE,
): readonly [Interval, Interval] | undefined {
  const lowest = from ?? instants[0];
  const highest = to ?? instants.at(-1);
  if (lowest === undefined || highest === undefined) return undefined;
  if (highest - lowest <= NARROWEST_RANGE) {
    // A range without an end is narrow only as far as rows were seen; more may follow.
    const behind = highest + 1;
    const isCut = to === undefined && behind > (from ?? Number.POSITIVE_INFINITY);
    return isCut ? cutAt(behind, { from, to }) : undefined;
  }
  const least = Math.max(lowest, within.from ?? lowest);
  const most = Math.min(highest, within.to ?? highest);
  const median = instants[Math.floor(instants.length / 2)] ?? lowest + (highest - lowest) / 2;
  // At least an eighth from either end: an uneven sample must not cut off tiny pieces again and again.
  const margin = Math.floor((most - least) / 8);
  const at = Math.floor(Math.min(Math.max(median, least + margin), most - margin));
  return cutAt(at, { from, to });
}

function cutAt(at: Instant, { from, to }: Partial<Interval>): readonly [Interval, Interval] {
  return [
    { from, to: at },
    { from: at, to },
  ];
}
