// Places: intervals of one stamp whose rows are not all known, because they make every answer with them fail, or because
// they can't be divided and were not shown in a stable order. No time ends a place, and no cursor that went beyond it.
// Every `feed.source_read` counts it until a round has read it that began after it was last left out. Rounds of `late`
// ask for it by itself where their own range does not reach it.
import * as z from 'zod';
import { formatInstant, type Instant, MINUTE } from '../instant.ts';
import {
  contains,
  EARLIEST,
  type Interval,
  isWithin,
  LATEST,
  type Range,
  stampOf,
} from '../reading/range.ts';
import { instant, type Stored } from '../source/stored-object.ts';

export const place = z.object({
  axis: z.enum(['updated', 'created']),
  from: instant,
  to: instant,
  /** Whether all ranges leave it out for ten minutes; else its rows were read, and not proved to be all. */
  isLeftOut: z.boolean(),
  /** When its rows last failed, or were not proved. */
  seenAt: instant,
  reason: z.string(),
});

export type Place = Stored<typeof place>;

const LEFT_OUT_FOR = 10 * MINUTE;

/** Until when ranges leave it out. */
export function leftOutUntil({ isLeftOut, seenAt }: Place): Instant {
  return isLeftOut ? seenAt + LEFT_OUT_FOR : seenAt;
}

/** The places that a round of `late` has to ask for by themselves: those outside of its range that are due. */
export function placesToAsk(places: readonly Place[], range: Range, now: Instant): Place[] {
  return places.filter((known) => known.isLeftOut && leftOutUntil(known) <= now && !isInside(known, range));
}

/** Returns the places with another one, which replaces those that it overlaps. */
export function notePlace(places: readonly Place[], next: Place): Place[] {
  const isOther = ({ axis, from, to }: Place) => axis !== next.axis || to <= next.from || from >= next.to;
  const replaced = places.filter((known) => !isOther(known));
  const from = Math.min(next.from, ...replaced.map((known) => known.from));
  const to = Math.max(next.to, ...replaced.map((known) => known.to));
  return [...places.filter(isOther), { ...next, from, to }];
}

/**
 * Returns the places that a complete round has not read.
 *
 * @param asks whether it began with all places that were due
 * @param walkedAt when the last walks over all groups began: if they left nothing out, all is read
 */
export function endPlaces(
  places: readonly Place[],
  { range, asks, asOf }: { readonly range: Range; readonly asks: boolean; readonly asOf: Instant },
  walkedAt: Instant | undefined,
): readonly Place[] {
  if (places.every((known) => leftOutUntil(known) <= (walkedAt ?? 0))) return [];
  const isRead = (known: Place) =>
    leftOutUntil(known) <= asOf && (isInside(known, range) || (asks && known.isLeftOut));
  return places.filter((known) => !isRead(known));
}

function isInside(known: Place, range: Range): boolean {
  return known.axis === range.axis && contains(range, known);
}

/** Returns the place that a range has to leave out now. */
export function placeIn(places: readonly Place[], range: Range, now: Instant): Place | undefined {
  return places.find((known) => now < leftOutUntil(known) && overlaps(known, range));
}

/** Whether a group lies in one of the places. */
export function isInPlaces(
  places: readonly Place[],
  stamps: { readonly createdAt: Instant; readonly updatedAt: Instant },
): boolean {
  return places.some((known) => isWithin(stampOf(stamps, known.axis), known));
}

/** A place by creation lies in every range of updates, in which a failing row moves. */
function overlaps({ axis, from, to }: Place, range: Range): boolean {
  const isBeside = range.cross === undefined && range.axis === 'created';
  if (axis !== range.axis && isBeside) return false;
  const { from: start = EARLIEST, to: end = LATEST } = boundsAlong(axis, range);
  return from < end && to > start;
}

/** The range's interval of a stamp. */
export function boundsAlong(axis: Place['axis'], range: Range): Interval {
  return axis === range.axis ? range : (range.cross ?? {});
}

export function describePlace({ axis, from, to, reason }: Place): string {
  return `${axis} at about ${formatInstant(Math.floor((from + to) / 2))}: ${reason}`;
}
