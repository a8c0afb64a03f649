// R7, the walk over all groups by time of creation, whatever their stamps say. The baseline and reconciliation use it.
// It proves each range by reading on, and never takes a short page for an end. The density of groups at the end of one
// range sets the width of the next; a few requests then find out whether it has too many pages before it is read. A
// range that still takes too long is left off at the point up to which it was proved.
import { type Instant, MINUTE, SECOND } from '../instant.ts';
import {
  CLOSED_AFTER,
  CLOSED_FOR_SURE_AFTER,
  FIRST_WIDTH,
  MAX_CROWD_PAGES,
  MAX_WALK_PAGES,
  NARROWEST_RANGE,
} from '../limits.ts';
import { type Coverage, coverRange, readStraight } from './cover-range.ts';
import { type RowStamps, stampsOf } from './cut-range.ts';
import { createDensity } from './density.ts';
import { fitRange, WALKED_SHARE, type WishedRange } from './fit-range.ts';
import { rowsToPage } from './list-depth.ts';
import { type Interval, type Page, PageOutOfReach } from './page.ts';
import { provePage } from './prove-page.ts';
import { halfWidth } from './range-width.ts';
import { readPage } from './read-pass.ts';
import type { Reader } from './reader.ts';
import { withRoom } from './reading-room.ts';
import { stampsTime } from './stamps-clock.ts';
import { walkPieces } from './walk-pieces.ts';
import type { WalkOptions, WalkPosition, WalkStep } from './walk-step.ts';

/**
 * The widest stored width. A width is stored as if there were room for all pages a range may have (`asIfWhole`), so
 * with little room the stored width is many times the one that was read. Up to this bound numbers are exact. Less one,
 * so that halving it never gives exactly `FIRST_WIDTH`, which is read at once, whatever the room.
 */
const WIDEST = 8 * FIRST_WIDTH - 1;
/**
 * Groups nearer than this to the end of the closed part are read with the newest groups: the end moves on while a range
 * is read, so a walk that followed it would never finish.
 */
const NEWEST_WIDTH = 5 * MINUTE;
/** The service's time is known by `Date`, in whole seconds: a new group may have a later stamp. */
const MOMENT_KNOWN_WITHIN = 2 * SECOND;
/** Tries at the closed part of the newest range. A list without order may need them; polls find the rest. */
const TRIES_AT_NEWEST = 3;

/** Reads the walk's next range and passes its rows to `take`; call again until `isDone`. */
export async function walkOn(position: WalkPosition, options: WalkOptions): Promise<WalkStep> {
  const closedUpTo = closedToWalks(options);
  const { coveredThrough: from, rangeWidth } = position;
  const reader = { ...withRoom(options), trustsShortPages: false };
  const lowest = from ?? closedUpTo - FIRST_WIDTH;
  const inPieces = await walkPieces(position, closedUpTo - NEWEST_WIDTH, reader);
  if (inPieces !== undefined) return inPieces;
  const isLastPiece = options.pieces !== undefined && from !== undefined;
  if (isLastPiece || lowest >= closedUpTo - NEWEST_WIDTH) {
    return walkNewest({ ...position, coveredThrough: lowest }, options, reader);
  }
  // A range this wide leads through empty decades.
  const isSparse = from === undefined || rangeWidth >= FIRST_WIDTH;
  const width = rangeWidth === FIRST_WIDTH ? rangeWidth : Math.floor(rangeWidth * shareOf(options));
  const to = Math.min(lowest + Math.max(width, NARROWEST_RANGE), closedUpTo);
  return walkRange({ from, to, lowest, isSparse }, rangeWidth, reader);
}

async function walkRange(wished: WishedRange, rangeWidth: number, options: Reader): Promise<WalkStep> {
  const { from, lowest } = wished;
  const density = createDensity();
  const reader = density.watch(options);
  const { to, fits, first, isWhole } = await fitRange(wished, reader);
  const isNarrowed = to < wished.to;
  const notYet = (width: number, seen: OrderSeen = {}): WalkStep => ({
    position: { coveredThrough: from, rangeWidth: asIfWhole(width, options) },
    covered: undefined,
    isDone: false,
    ...orderOf(seen),
  });
  if (!fits) return notYet(to - lowest);
  const coverage: Omit<Coverage, 'outcome'> = isWhole
    ? { through: to }
    : await coverRange({ created: { from, to } }, reader, first);
  const { through } = coverage;
  // Keep what was proved: else a range that takes longer than a tick would start anew each time and never finish.
  if (through === undefined || through === from) return notYet(halfWidth(to - lowest), coverage);
  const covered = { from, to: through };
  const mostRows = options.depth && rowsToPage(options.depth.current({ created: covered }));
  const dense = density.timeOf(WALKED_SHARE * MAX_WALK_PAGES, { from: lowest, to: through }, mostRows);
  // With too few groups to measure the density, the width grows until there are more. It does not grow from the width
  // that was wished if that was narrowed: each range would be narrowed again, to about as little.
  const wider = asIfWhole(2 * (through - lowest), options);
  const width = dense ?? (through === to && !isNarrowed ? Math.max(rangeWidth, wider) : wider);
  const most = dense === undefined ? WIDEST : FIRST_WIDTH;
  const next = Math.min(Math.max(Math.floor(width), NARROWEST_RANGE), most);
  // A halved width that grows back to exactly `FIRST_WIDTH` would be read at once, whatever the room.
  const hasGrownBack = next === FIRST_WIDTH && dense === undefined && through - lowest < FIRST_WIDTH;
  const position = { coveredThrough: through, rangeWidth: hasGrownBack ? next + 1 : next };
  return { position, covered, isDone: false, ...orderOf(coverage) };
}

type OrderSeen = Pick<Coverage, 'unstable' | 'isShifted'>;

function orderOf({ unstable, isShifted }: OrderSeen): Pick<WalkStep, 'unstable' | 'hasNoOrder'> {
  return { unstable, hasNoOrder: unstable !== undefined && isShifted !== true };
}

/**
 * Reads the newest groups and those with stamps from the future: the range is open-ended, so no stamp is too absurd. If
 * groups keep entering, an open end can't be proved, however often it is read. Then the part that is closed by now is
 * covered, and the rest is read once more.
 */
async function walkNewest(
  position: WalkPosition & { readonly coveredThrough: Instant },
  options: WalkOptions,
  reader: Reader,
): Promise<WalkStep> {
  const { coveredThrough: from } = position;
  const unlimited = { ...reader, maxPages: Math.max(MAX_CROWD_PAGES, reader.maxPages) };
  const all: Interval = { from, to: undefined };
  const closedUpTo = () => closedToWalks(options);
  // A stamp that is ahead by more than the time passed since is of no new group: the stamps' clock was behind.
  const comeSinceNow = () => {
    const now = Math.max(closedUpTo() + CLOSED_AFTER, options.stamps().newest ?? Number.NEGATIVE_INFINITY);
    const begunAt = options.now();
    return ({ createdAt }: RowStamps) =>
      createdAt > now && createdAt <= now + options.now() - begunAt + MOMENT_KNOWN_WITHIN;
  };
  const cameMeanwhile = comeSinceNow();
  const page = options.pieces && (await readPage({ created: all }, 0, unlimited));
  const proof = page && (await provePage({ created: all }, page, unlimited));
  if (page !== undefined && proof === 'larger' && (await isFull(page, all, unlimited))) {
    // Before its other pages are read: a tick may be too short for that. Smaller pieces show the others.
    const areSmaller = options.pieces?.onCutShort(page.rows.length);
    if (areSmaller) return { position, covered: undefined, isDone: false, ...orderOf({}) };
  }
  const open =
    proof === 'whole'
      ? ({ outcome: 'whole', reason: undefined, isShifted: false } as const)
      : await readStraight({ created: all }, notFollowing(cameMeanwhile, unlimited), page);
  const order = orderOf({ unstable: open.reason, isShifted: open.isShifted });
  const done = (covered: Interval | undefined): WalkStep => ({
    position,
    covered,
    isDone: true,
    ...order,
  });
  if (open.outcome === 'whole') return done(all);
  const to = Math.max(closedUpTo(), from);
  const closed = to > from ? { from, to } : undefined;
  if (closed !== undefined) {
    const coverage = await coverClosed(closed, unlimited);
    if (coverage.outcome !== 'proved') {
      if (coverage.lacksRoom) return { ...done(undefined), ...leftOff(position, coverage) };
      // Newer stamps showed that these were not the newest groups: they are read in ranges, as all others.
      return { ...done(undefined), isDone: from >= to - NEWEST_WIDTH };
    }
  }
  const created: Interval = { from: to, to: undefined };
  // Read the first page again, even if nothing is closed yet: rows that came meanwhile show in what is read after it.
  const first = await readPage({ created }, 0, unlimited);
  // The stamps' clock may have jumped by now: groups that were new to it are not new any more.
  const tail = await readStraight({ created }, notFollowing(comeSinceNow(), unlimited), first);
  if (tail.outcome === 'whole') return done(all);
  if (tail.stamps.some(cameMeanwhile)) return done(closed);
  // Otherwise the order itself is not stable, and pieces are the remedy (R5).
  const coverage = await coverRange({ created }, unlimited, first, tail);
  if (coverage.outcome === 'proved') return done(all);
  return coverage.lacksRoom ? { ...done(undefined), ...leftOff(position, coverage) } : done(closed);
}

/** Whether this page is as long as pages get. If it is longer when read again, the rows behind it came meanwhile. */
async function isFull({ rows }: Page, created: Interval, reader: Reader): Promise<boolean> {
  return (await readPage({ created }, 0, reader)).rows.length <= rows.length;
}

/**
 * The same reader, which reads no page after one with new groups: in a list by creation they come as fast as it reads.
 */
function notFollowing(isNew: (row: RowStamps) => boolean, reader: Reader): Reader {
  let last: Page | undefined;
  return {
    ...reader,
    async fetch(request) {
      // Only now: the page itself may have moved the stamps' clock.
      if (last !== undefined && stampsOf(last.rows).some(isNew))
        throw new PageOutOfReach('New groups come as fast as they are read.');
      last = await reader.fetch(request);
      return last;
    },
  };
}

/** The step where room ran out: the rest is read next. If nothing was proved, it is tried once more. */
function leftOff(
  position: WalkPosition & { readonly coveredThrough: Instant },
  { through = position.coveredThrough }: Coverage,
): Pick<WalkStep, 'position' | 'covered' | 'isDone'> {
  const { coveredThrough: from, rangeWidth } = position;
  if (through > from) {
    const next = { coveredThrough: through, rangeWidth };
    return { position: next, covered: { from, to: through }, isDone: false };
  }
  const next = { coveredThrough: from, rangeWidth: NARROWEST_RANGE };
  return { position: next, covered: undefined, isDone: rangeWidth === NARROWEST_RANGE };
}

/** @returns the coverage of the last try */
async function coverClosed(created: Interval, reader: Reader): Promise<Coverage> {
  for (let tries = 1; ; tries += 1) {
    const coverage = await coverRange({ created }, reader);
    if (coverage.outcome === 'proved' || coverage.lacksRoom || tries === TRIES_AT_NEWEST) return coverage;
  }
}

/** Converts a width chosen for the pages there is room for into one for all the pages a range may have. */
function asIfWhole(width: number, options: Pick<Reader, 'maxPages'>): number {
  return width >= FIRST_WIDTH ? FIRST_WIDTH : Math.min(Math.floor(width / shareOf(options)), WIDEST);
}

/** The share of a range's maximum pages that there is time for. */
function shareOf({ maxPages }: Pick<Reader, 'maxPages'>): number {
  return maxPages / MAX_WALK_PAGES;
}

function closedToWalks({ stamps, now }: Pick<WalkOptions, 'stamps' | 'now'>): Instant {
  const time = stampsTime(stamps(), now());
  return time === undefined ? now() - CLOSED_FOR_SURE_AFTER : time - CLOSED_AFTER;
}
