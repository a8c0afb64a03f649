// The terms of reading. A range is an interval of one stamp, which one request reads from its start. A part of a crowd
// (cut-range.ts) is bounded by both stamps. Bounds are sent a second wider on both sides, so that neither exclusive
// bounds nor rounded stamps leave a gap between neighbours (R4).
import * as z from 'zod';
import { DAY, floorToDigits, formatInstant, type Instant, SECOND } from '../instant.ts';
import { idOf } from '../returns-service/own-rows.ts';
import type { ReadableRow, RowReading } from '../returns-service/parse-return-group.ts';
import type { ReturnGroupsQuery } from '../returns-service/return-groups-query.ts';
import { instant, type Stored } from '../source/stored-object.ts';

export type Axis = 'updated' | 'created';

/** From (included) to (excluded), by the service's stamps; undefined is open-ended. */
export interface Interval {
  readonly from?: Instant | undefined;
  readonly to?: Instant | undefined;
}

/** The bounds of an open interval. */
export const EARLIEST = Number.NEGATIVE_INFINITY;
export const LATEST = Number.POSITIVE_INFINITY;

const interval = { from: instant.optional(), to: instant.optional() };

/** As stored with the state: a round survives ticks by its ranges. */
export const range = z.object({
  axis: z.enum(['updated', 'created']),
  ...interval,
  /** Of a part of a crowd: its interval of the other stamp. */
  cross: z.object(interval).optional(),
  /** Of a walk: its next piece is planned before it is read. */
  isRest: z.boolean().optional(),
  /** Set if its rows can't be divided: it is read by offset, until two passes in a row show the same groups. */
  pass: z.object({ number: z.int(), offset: z.int() }).optional(),
  /** Set if it is too narrow to be cut and fails: its rows are read a few at a time (cut-on-failure.ts). */
  few: z.object({ offset: z.int(), limit: z.int(), failing: z.int(), reason: z.string() }).optional(),
  /** How often it failed. */
  failures: z.int().optional(),
  /** Part of a range that failed: it is tried once. */
  isSuspect: z.boolean().optional(),
  /** Part of a range that timed out: it has a quarter of the time. */
  isSlow: z.boolean().optional(),
});

export type Range = Stored<typeof range>;

/** The form of the service's stamps, in which bounds are sent. */
export interface StampForm {
  readonly zoned: boolean;
  /** Digits after the second. */
  readonly digits: number;
}

/** One answer of the list. */
export interface Page {
  readonly rows: readonly RowReading[];
  /** Size of the answer's body, decompressed, and of the largest row in it. */
  readonly bytes: number;
  readonly largestRow: number;
  /** Its time, by the local clock: when it was requested and received, less its age (pacing/requests.ts). */
  readonly sentAt: Instant;
  readonly receivedAt: Instant;
}

/**
 * How many groups the rows show. A join shows a group in several rows, and the service may count either: so offsets are
 * never moved by more than the groups, and an answer is full by both.
 */
export function countGroups(rows: readonly RowReading[]): number {
  const ids = new Set<number>();
  let others = 0;
  for (const row of rows) {
    const id = idOf(row);
    if (id === undefined) others += 1;
    else ids.add(id);
  }
  return ids.size + others;
}

/**
 * The rows of an answer that did not show the end of its list: where groups take several rows, the last one may lack some
 * of them, and after an offset the first one as well.
 */
export function withoutEnds(page: Page, offset = 0): Page {
  const { rows } = page;
  if (countGroups(rows) === rows.length) return page;
  const ends = [...(offset === 0 ? [] : rows.slice(0, 1)), ...rows.slice(-1)].map(idOf);
  return { ...page, rows: rows.filter((row) => !ends.includes(idOf(row))) };
}

/** How much wider than the range both bounds are sent. */
const OVERLAP = SECOND;

export function otherAxis(axis: Axis): Axis {
  return axis === 'updated' ? 'created' : 'updated';
}

export function stampOf(row: Pick<ReadableRow, 'createdAt' | 'updatedAt'>, axis: Axis): Instant {
  return axis === 'updated' ? row.updatedAt : row.createdAt;
}

/** The interval that divides the range further: of a part of a crowd the other stamp's. */
export function activeOf({ axis, from, to, cross }: Range): Interval & { readonly axis: Axis } {
  return cross === undefined ? { axis, from, to } : { axis: otherAxis(axis), ...cross };
}

/** The range with another active interval. */
export function withActive(range: Range, active: Interval): Range {
  const { from, to } = active;
  return range.cross === undefined ? { ...range, from, to } : { ...range, cross: { from, to } };
}

export function isWithin(stamp: Instant, { from = EARLIEST, to = LATEST }: Interval): boolean {
  return stamp >= from && stamp < to;
}

/** Whether the interval holds all of another one. */
export function contains({ from = EARLIEST, to = LATEST }: Interval, inner: Interval): boolean {
  return (inner.from ?? EARLIEST) >= from && (inner.to ?? LATEST) <= to;
}

/** The bounds of a range as the service's parameters. */
export function boundsOf({ axis, from, to, cross }: Range, form: StampForm): ReturnGroupsQuery {
  const intervals = { [axis]: { from, to }, [otherAxis(axis)]: cross ?? {} } as Record<Axis, Interval>;
  const bound = (at: Instant | undefined, by: number) =>
    at === undefined ? undefined : formatBound(at + by, form);
  return {
    minUpdatedAt: bound(intervals.updated.from, -OVERLAP),
    maxUpdatedAt: bound(intervals.updated.to, OVERLAP),
    minCreatedAt: bound(intervals.created.from, -OVERLAP),
    maxCreatedAt: bound(intervals.created.to, OVERLAP),
  };
}

/** An instant in the form of the service's stamps; finer digits are cut off. */
export function formatBound(at: Instant, { zoned, digits }: StampForm): string {
  const text = formatInstant(floorToDigits(at, digits));
  const withoutZone = text.slice(0, digits === 0 ? 19 : 20 + digits);
  return zoned ? `${withoutZone}Z` : withoutZone;
}

/** Later than any stamp. */
const NEVER = 400 * DAY;

/** The bounds of a range without rows. */
export function emptyRange(now: Instant, form: StampForm): ReturnGroupsQuery {
  return boundsOf({ axis: 'updated', from: now + NEVER }, form);
}

/** How far a row may lie outside of the bounds that were sent: they are cut to the digits of the stamps. */
const TOLERANCE = 2 * SECOND;

/** The rows outside of the range that was asked for: the service ignores or shifts its filter. */
export function rowsOutside({ axis, from, to, cross }: Range, rows: readonly RowReading[]): ReadableRow[] {
  const isOutside = (stamp: Instant, { from = EARLIEST, to = LATEST }: Interval) =>
    stamp < from - TOLERANCE || stamp > to + TOLERANCE;
  return rows
    .filter((row) => row.kind === 'readable')
    .filter(
      (row) =>
        // A service may find a row without `updated_at` by any time.
        row.group.updated_at !== undefined &&
        (isOutside(stampOf(row, axis), { from, to }) ||
          isOutside(stampOf(row, otherAxis(axis)), cross ?? {})),
    );
}
