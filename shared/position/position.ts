// How far the feed has read, by the service's stamps: where it began, the cursor of the polls, the moments that complete
// rounds stand for, and the places that they left out. Nothing else reads or writes these fields. Stamps are compared
// with stamps, and local moments with local moments, so neither a wrong clock nor a zone moves the cursor past a change.
import * as z from 'zod';
import { DAY, HOUR, type Instant, MINUTE, SECOND } from '../instant.ts';
import { activeOf, type Range } from '../reading/range.ts';
import { instant, maybe, type Stored, storedObject } from '../source/stored-object.ts';
import { endPlaces, notePlace, place } from './places.ts';

/** A stamp at a local moment. */
const pair = z.object({ at: instant, stamp: instant });

export const position = storedObject({
  /** The newest stamp of the service as the feed began, at most a minute ahead; undefined until it is found. */
  origin: maybe(instant),
  /** The stamp from which the next complete poll reads; 0 until there is an origin. */
  cursor: instant,
  /** The newest plausible stamp. */
  newest: maybe(instant),
  /** The newest plausible stamp at moments a minute apart, from which the cursor follows. */
  newestAt: z.array(pair),
  /** Stamps of changes that walks found and polls had passed, each with the moment. */
  passed: z.array(pair),
  /** By lane: the moment of the earliest answer of the last complete round, by the local clock. */
  readAt: storedObject({ late: maybe(instant), recent: maybe(instant), older: maybe(instant) }),
  places: z.array(place),
  /** Since when every answer has been older than `settle`; undefined while they are not. */
  agedSince: maybe(instant),
});

export type Position = Stored<typeof position>;

export const UNKNOWN_POSITION: Position = {
  origin: undefined,
  cursor: 0,
  newest: undefined,
  newestAt: [],
  passed: [],
  readAt: { late: undefined, recent: undefined, older: undefined },
  places: [],
  agedSince: undefined,
};

/** A stamp further ahead of the local time is not plausible: only walks read it. */
export const PLAUSIBLE_AHEAD: number = MINUTE;
/** An empty store has an origin this long before the start: nobody's clock or zone is further behind. */
const BEHIND_AT_MOST = 26 * HOUR;
/** Nearly all groups that still change are younger. */
const RECENT = 45 * DAY;
/** How long before the newest stamp `fresh` begins, and how far ahead of now it reads. */
const OVERLAP = 3 * SECOND;
const AHEAD = HOUR;
/** The cursor lies so much after its stamp that a quiet store's last change is not read again for ever. */
const AFTER_STAMP = 2 * SECOND;
/** Moments of the newest stamp that are kept: more would only be needed after hours without a complete round. */
const MOST_MOMENTS = 600;
/** Clocks of processes are less than this apart; a moment further ahead comes from a clock that was. */
const CLOCKS_APART = MINUTE;

/** How long before a moment a change may be stamped that polls can still find from then on. In the unit of Instant. */
export interface Reach {
  readonly lookback: number;
  readonly settle: number;
}

export function isPlausible(stamp: Instant, at: Instant): boolean {
  return stamp <= at + PLAUSIBLE_AHEAD;
}

/** Returns the newest plausible one of some stamps; undefined if there is none. */
export function newestOf(stamps: readonly (Instant | undefined)[], at: Instant): Instant | undefined {
  return stamps.reduce<Instant | undefined>(
    (newest, stamp) =>
      stamp === undefined || !isPlausible(stamp, at) ? newest : Math.max(newest ?? stamp, stamp),
    undefined,
  );
}

/** The newest stamp of a store is one of these or between them. */
export interface NewestBetween {
  readonly low: Instant;
  readonly high: Instant;
}

/**
 * Returns the position with its origin. An origin that is too late announces less as new, and a cursor that is too early
 * reads more: so each has its end of the interval. A position that has a cursor keeps it.
 *
 * @param newest undefined for an empty store
 */
export function beginAt(
  position: Position,
  newest: NewestBetween | undefined,
  { lookback, settle }: Reach,
  now: Instant,
): Position {
  const empty = now - BEHIND_AT_MOST;
  const { low, high } = newest ?? { low: empty, high: empty };
  const cursor = position.cursor === 0 ? low - lookback - settle : position.cursor;
  return observe({ ...position, origin: high, cursor, newestAt: [{ at: now, stamp: low }] }, [low], now);
}

/** Returns the position after answers with these stamps, whose rows are saved. */
export function observe(position: Position, stamps: readonly Instant[], at: Instant): Position {
  const newest = newestOf([position.newest, ...stamps], at);
  return newest === position.newest ? position : { ...position, newest };
}

/**
 * Returns the range that a round reads, by the stamps of its lane: `alone` is `late` without `fresh`, and `all` a walk over
 * all groups.
 *
 * @param since for `fresh`: the newest stamp of its own last round. @default the newest that is known
 */
export function rangeOf(
  { cursor, newest, readAt }: Position,
  lane: 'fresh' | 'late' | 'alone' | 'recent' | 'older' | 'all',
  now: Instant,
  since: Instant = newest ?? cursor,
): Range {
  switch (lane) {
    case 'fresh': {
      const from = Math.max(cursor, Math.min(since, newest ?? since, now) - OVERLAP);
      return { axis: 'updated', from, to: Math.max(from, now) + AHEAD };
    }
    case 'late':
      // An open end never empties where groups change as fast as it reads.
      return { axis: 'updated', from: cursor, to: Math.max(now, newest ?? now, cursor) + SECOND };
    case 'alone':
      return { axis: 'updated', from: cursor, to: Math.max(now + PLAUSIBLE_AHEAD, cursor) + SECOND };
    case 'recent':
      // From where the last walk over older groups ended: what turned 45 days old since is in one of both.
      return { axis: 'created', from: Math.min(readAt.older ?? now, now) - RECENT };
    case 'older':
      return { axis: 'created', to: now - RECENT };
    case 'all':
      return { axis: 'created' };
  }
}

/** Returns the position after a complete poll elsewhere that found nothing new. @param at the moment for which it stands */
export function noteRead(position: Position, at: Instant): Position {
  const late = Math.max(position.readAt.late ?? at, at);
  return { ...position, readAt: { ...position.readAt, late } };
}

/** Returns the position after an answer. @param isOld whether it was older than `settle` */
export function noteAge(position: Position, isOld: boolean, now: Instant): Position {
  const agedSince = isOld ? (position.agedSince ?? now) : undefined;
  return agedSince === position.agedSince ? position : { ...position, agedSince };
}

/** Notes the newest stamp once a minute, as a round of `late` begins. */
export function noteMoment(position: Position, at: Instant): Position {
  const { newestAt } = position;
  const newest = newestOf([position.newest], at);
  const last = newestAt.at(-1);
  if (newest === undefined) return position;
  const known = last !== undefined && last.at > at ? [] : newestAt;
  if (known.length > 0 && at - (last?.at ?? 0) < MINUTE - 6 * SECOND) return position;
  return { ...position, newestAt: [...known, { at, stamp: newest }].slice(-MOST_MOMENTS) };
}

/**
 * Returns the position after a range whose rows are not all known.
 *
 * @param isLeftOut whether answers with them fail, so that ranges leave it out for some time
 */
export function leaveOut(
  position: Position,
  range: Range,
  { isLeftOut, reason }: { readonly isLeftOut: boolean; readonly reason: string },
  now: Instant,
): Position {
  const { axis, from = 0, to = now + AHEAD } = isLeftOut ? activeOf(range) : range;
  return {
    ...position,
    places: notePlace(position.places, { axis, from, to, isLeftOut, seenAt: now, reason }),
  };
}

/** A round that was read to its end. */
export interface CompleteRound {
  readonly lane: 'late' | 'recent' | 'older';
  /** Whether a walk read all groups. */
  readonly isWhole?: boolean | undefined;
  readonly startedAt: Instant;
  /** The earliest moment that one of its answers stands for. */
  readonly asOf: Instant;
}

/** Returns the position after a complete round: its claims, its cursor and the places that it read. */
export function close(position: Position, round: CompleteRound, reach: Reach, now: Instant): Position {
  const { lane, isWhole = false, startedAt, asOf } = round;
  // Clocks of processes may be seconds apart.
  const later = (before: Instant | undefined) =>
    before !== undefined && before <= now + CLOCKS_APART ? Math.max(before, asOf) : asOf;
  const lanes = isWhole ? (['recent', 'older'] as const) : [lane];
  const readAt = { ...position.readAt };
  for (const each of lanes) readAt[each] = later(readAt[each]);
  const range = rangeOf(position, isWhole ? 'all' : lane, startedAt);
  const read = { range, asks: lane === 'late', asOf };
  const places = endPlaces(position.places, read, walkedAt({ readAt }));
  const closed = { ...position, readAt, places };
  return lane === 'late' ? moveCursor(closed, asOf, reach) : closed;
}

/**
 * Moves the cursor to the newest stamp that was known the lookback and `settle` before the round's earliest answer: what
 * is stamped earlier has shown by then, or never will to polls.
 */
function moveCursor(position: Position, asOf: Instant, { lookback, settle }: Reach): Position {
  const before = asOf - lookback - settle - AFTER_STAMP;
  const index = position.newestAt.findLastIndex(({ at }) => at <= before);
  const known = position.newestAt[index];
  if (known === undefined) return position;
  const cursor = Math.max(position.cursor, known.stamp + AFTER_STAMP);
  return { ...position, cursor, newestAt: position.newestAt.slice(index) };
}

/** Returns the position from which polls read again. What was known of newer stamps is forgotten, or they would not. */
export function setBack(position: Position, to: Instant, now: Instant): Position {
  const newest = newestOf([position.newest], now);
  return { ...position, cursor: Math.min(position.cursor, to), newest, newestAt: [], passed: [] };
}

/** The polls check: so many changes that polls had passed, within an hour or three walks, set the cursor back. */
const MOST_PASSED = 2;
const PASSED_WITHIN = HOUR;
const WALKS = 3;
const MOST_BACK = 26 * HOUR;

/**
 * Notes the stamps of changes that a walk found and polls had passed.
 *
 * @param rhythm of walks
 * @returns where polls have to read again, if they are too many
 */
export function notePassed(
  position: Position,
  stamps: readonly Instant[],
  rhythm: number,
  now: Instant,
): {
  readonly position: Position;
  readonly found?: { readonly oldest: Instant; readonly count: number; readonly to: Instant };
} {
  const since = now - Math.max(PASSED_WITHIN, WALKS * rhythm);
  const known = position.passed.filter(({ at }) => at >= since && at <= now + CLOCKS_APART);
  const passed = [...known, ...stamps.map((stamp) => ({ at: now, stamp }))];
  if (passed.length <= MOST_PASSED) return { position: { ...position, passed } };
  const oldest = Math.min(...passed.map(({ stamp }) => stamp));
  const to = Math.max(oldest, (position.newest ?? now) - MOST_BACK);
  return { position: { ...position, passed: [] }, found: { oldest, count: passed.length, to } };
}

/** When the last complete walks were read that together read all groups; undefined before the first. */
export function walkedAt({ readAt: { recent, older } }: Pick<Position, 'readAt'>): Instant | undefined {
  return recent === undefined || older === undefined ? undefined : Math.min(recent, older);
}
