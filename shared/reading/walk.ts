// R7, the walk over all groups by their time of creation, whatever their stamps say: the baseline's way, and
// reconciliation's. It proves each range by reading on and never takes a short page for an end. How wide a range is
// made follows from how densely groups were created at the end of the one before; whether it then has too many
// pages is found out before it is read. What takes longer all the same is left off where it was proved up to.
import { type Instant, MINUTE } from '../instant.ts';
import {
  CLOSED_AFTER,
  CLOSED_FOR_SURE_AFTER,
  FIRST_WIDTH,
  MAX_CROWD_PAGES,
  MAX_WALK_PAGES,
  NARROWEST_RANGE,
} from '../limits.ts';
import type { StampsState } from '../source/source-state.ts';
import { type Coverage, coverRange, readStraight } from './cover-range.ts';
import type { RowStamps } from './cut-range.ts';
import { createDensity } from './density.ts';
import { AIMED_SHARE, fitRange, type WishedRange } from './fit-range.ts';
import { rowsToPage } from './list-depth.ts';
import type { Interval } from './page.ts';
import { halfWidth } from './range-width.ts';
import { readPage } from './read-pass.ts';
import type { Reader } from './reader.ts';
import { withRoom } from './reading-room.ts';
import { stampsTime } from './stamps-clock.ts';

/**
 * With room for few pages a wide range is noted as many times as wide; numbers are exact up to there. Halved again and
 * again it is never just all time, which would be read at once, whatever the room.
 */
const WIDEST = 8 * FIRST_WIDTH - 1;
/**
 * What is nearer than this to the end of what is closed is read with the newest groups: reading a range takes its
 * time, by which the end has moved on, and a walk that went after it would never come to its own.
 */
const NEWEST_WIDTH = 5 * MINUTE;
/** Tries at what is closed of the newest range. A list without order may need them; what then is left, polls find. */
const TRIES_AT_NEWEST = 3;

export interface WalkPosition {
  /** Everything created before was read; undefined at the start of a walk. */
  readonly coveredThrough: Instant | undefined;
  /** Width of the next range where it may have all the pages of one, in the unit of Instant. */
  readonly rangeWidth: number;
}

export interface WalkOptions extends Omit<Reader, 'trustsShortPages'> {
  readonly stamps: () => StampsState;
  readonly now: () => Instant;
}

export interface WalkStep {
  readonly position: WalkPosition;
  /** The range that was covered, which may be the beginning of one that there was no room for; undefined where none was. */
  readonly covered: Interval | undefined;
  /** Whether the walk is through. If not, and nothing was covered, a narrower range is tried next. */
  readonly isDone: boolean;
  readonly unstable: string | undefined;
}

/** Reads the walk's next range. Its rows are handed to `take`; call again until `isDone`. */
export async function walkOn(position: WalkPosition, options: WalkOptions): Promise<WalkStep> {
  const closedByNow = () => closedBefore(options.stamps(), options.now());
  const closedUpTo = closedByNow();
  const { coveredThrough: from, rangeWidth } = position;
  const reader = { ...withRoom(options), trustsShortPages: false };
  const lowest = from ?? closedUpTo - FIRST_WIDTH;
  if (lowest >= closedUpTo - NEWEST_WIDTH) {
    return walkNewest({ ...position, coveredThrough: lowest }, closedByNow, reader);
  }
  // A width that no groups were seen in leads through empty decades.
  const isSparse = from === undefined || rangeWidth >= FIRST_WIDTH;
  const width = rangeWidth === FIRST_WIDTH ? rangeWidth : Math.floor(rangeWidth * shareOf(options));
  const to = Math.min(lowest + Math.max(width, NARROWEST_RANGE), closedUpTo);
  return walkRange({ from, to, lowest, isSparse }, rangeWidth, reader);
}

async function walkRange(wished: WishedRange, rangeWidth: number, options: Reader): Promise<WalkStep> {
  const { from, lowest } = wished;
  const density = createDensity();
  const reader = density.watch(options);
  const { to, fits, first } = await fitRange(wished, reader);
  const notYet = (width: number, unstable: string | undefined): WalkStep => ({
    position: { coveredThrough: from, rangeWidth: asIfWhole(width, options) },
    covered: undefined,
    isDone: false,
    unstable,
  });
  if (!fits) return notYet(to - lowest, undefined);
  const { unstable, through } = await coverRange({ created: { from, to } }, reader, first);
  // What was proved is kept: read anew from its start, a range that takes longer than a tick would never be.
  if (through === undefined || through === from) return notYet(halfWidth(to - lowest), unstable);
  const covered = { from, to: through };
  const mostRows = options.depth && rowsToPage(options.depth.current());
  const dense = density.timeOf(AIMED_SHARE * MAX_WALK_PAGES, { from: lowest, to: through }, mostRows);
  // Where too few groups were seen to tell, the width grows until there are more.
  const wider = asIfWhole(2 * (through - lowest), options);
  const width = dense ?? (through === to ? Math.max(rangeWidth, wider) : wider);
  const most = dense === undefined ? WIDEST : FIRST_WIDTH;
  const position = {
    coveredThrough: through,
    rangeWidth: Math.min(Math.max(Math.floor(width), NARROWEST_RANGE), most),
  };
  return { position, covered, isDone: false, unstable };
}

/**
 * The newest groups, and those with stamps from the future: open-ended, so that none is too absurd to be read. Where
 * groups keep entering meanwhile nothing is proved of an open end, however often it is read: then what is closed by
 * now is covered, and the rest read once more.
 */
async function walkNewest(
  position: WalkPosition & { readonly coveredThrough: Instant },
  closedUpTo: () => Instant,
  reader: Reader,
): Promise<WalkStep> {
  const { coveredThrough: from } = position;
  const unlimited = { ...reader, maxPages: Math.max(MAX_CROWD_PAGES, reader.maxPages) };
  const all: Interval = { from, to: undefined };
  const closedAtFirst = closedUpTo();
  const open = await readStraight({ created: all }, unlimited);
  const done = (covered: Interval | undefined): WalkStep => ({
    position,
    covered,
    isDone: true,
    unstable: open.reason,
  });
  if (open.outcome === 'whole') return done(all);
  const to = Math.max(closedUpTo(), from);
  const closed = to > from ? { from, to } : undefined;
  if (closed !== undefined) {
    const coverage = await coverClosed(closed, unlimited);
    if (coverage.outcome !== 'proved')
      return coverage.lacksRoom ? leftOff(position, coverage, open.reason) : done(undefined);
  }
  const created: Interval = { from: to, to: undefined };
  // Anew, also where nothing is closed yet: what came meanwhile shows in what is read after it.
  const first = await readPage({ created }, 0, unlimited);
  const tail = await readStraight({ created }, unlimited, first);
  const cameMeanwhile = ({ createdAt }: RowStamps) =>
    createdAt > closedAtFirst + CLOSED_AFTER && createdAt <= closedUpTo() + CLOSED_AFTER;
  if (tail.outcome === 'whole') return done(all);
  if (tail.stamps.some(cameMeanwhile)) return done(closed);
  // Else it is the order that does not hold still, which is what pieces are for (R5).
  const coverage = await coverRange({ created }, unlimited, first, tail);
  if (coverage.outcome === 'proved') return done(all);
  return coverage.lacksRoom ? leftOff(position, coverage, open.reason) : done(closed);
}

/** Where there was no room for the rest, that is read next: where nothing was proved, once more. */
function leftOff(
  position: WalkPosition & { readonly coveredThrough: Instant },
  { through = position.coveredThrough }: Coverage,
  unstable: string | undefined,
): WalkStep {
  const { coveredThrough: from, rangeWidth } = position;
  if (through > from) {
    const next = { coveredThrough: through, rangeWidth };
    return { position: next, covered: { from, to: through }, isDone: false, unstable };
  }
  const next = { coveredThrough: from, rangeWidth: NARROWEST_RANGE };
  return { position: next, covered: undefined, isDone: rangeWidth === NARROWEST_RANGE, unstable };
}

/** @returns what came of the last try */
async function coverClosed(created: Interval, reader: Reader): Promise<Coverage> {
  for (let tries = 1; ; tries += 1) {
    const coverage = await coverRange({ created }, reader);
    if (coverage.outcome === 'proved' || coverage.lacksRoom || tries === TRIES_AT_NEWEST) return coverage;
  }
}

/** The width of a range that may have all the pages there are at most, for one of a width that may have fewer. */
function asIfWhole(width: number, options: Pick<Reader, 'maxPages'>): number {
  return width >= FIRST_WIDTH ? FIRST_WIDTH : Math.min(Math.floor(width / shareOf(options)), WIDEST);
}

/** Of the pages that a range may have at most, those that this one may have: what there is time for. */
function shareOf({ maxPages }: Pick<Reader, 'maxPages'>): number {
  return maxPages / MAX_WALK_PAGES;
}

function closedBefore(stamps: StampsState, now: Instant): Instant {
  const time = stampsTime(stamps, now);
  return time === undefined ? now - CLOSED_FOR_SURE_AFTER : time - CLOSED_AFTER;
}
