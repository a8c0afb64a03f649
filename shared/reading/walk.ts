// R7, the walk over all groups by their time of creation, whatever their stamps say: the baseline's way, and
// reconciliation's. It proves each range by reading on and never takes a short page for an end. Ranges are made as
// wide as a good part of the pages that a range may have; how wide that is follows from the range before.
import { DAY, type Instant, MINUTE } from '../instant.ts';
import { CLOSED_AFTER, CLOSED_FOR_SURE_AFTER, MAX_RANGE_PAGES } from '../limits.ts';
import type { StampsState } from '../source-state.ts';
import { coverRange } from './cover-range.ts';
import type { Interval } from './page.ts';
import type { Reader } from './read-pass.ts';
import { stampsTime } from './stamps-clock.ts';

/** Pages that a range is made for: near the most it may have, and still with room for a crowd. */
const AIMED_AT_PAGES = 36;
const MAX_GROWTH = 4;
/** No service's groups are older; below this one empty page tells that there is nothing. */
export const FIRST_WIDTH = 32 * 365 * DAY;
/**
 * What is nearer than this to the end of what is closed is read with the newest groups: reading a range takes its
 * time, by which the end has moved on, and a walk that went after it would never come to its own.
 */
const NEWEST_WIDTH = 5 * MINUTE;
/** Tries at the newest range, which new groups enter while it is read. Polls find those in any case. */
const TRIES_AT_NEWEST = 3;

export interface WalkPosition {
  /** Everything created before was read; undefined at the start of a walk. */
  readonly coveredThrough: Instant | undefined;
  /** Width of the next range, in the unit of Instant. */
  readonly rangeWidth: number;
}

export interface WalkOptions extends Omit<Reader, 'trustsShortPages'> {
  readonly stamps: () => StampsState;
  readonly now: () => Instant;
}

export interface WalkStep {
  readonly position: WalkPosition;
  /** The range that was covered; undefined where it could not be, and is asked again with another width. */
  readonly covered: Interval | undefined;
  /** Whether the walk is through. */
  readonly isDone: boolean;
  readonly unstable: string | undefined;
}

/** Reads the walk's next range. Its rows are handed to `take`; call again until `isDone`. */
export async function walkOn(position: WalkPosition, options: WalkOptions): Promise<WalkStep> {
  const range = nextRange(position, options);
  const pages = { count: 0 };
  const reader = countingPages({ ...options, trustsShortPages: false }, pages);
  if (range.to === undefined) return walkNewest(range, position, reader);
  if (await isSurelyOverlong(range, position, reader)) return narrowed(position, range, undefined);
  const coverage = await coverRange({ created: range }, reader);
  if (coverage.outcome !== 'proved') return narrowed(position, range, coverage.unstable);
  return {
    position: { coveredThrough: range.to, rangeWidth: nextWidth(range, pages.count, position) },
    covered: range,
    isDone: false,
    unstable: coverage.unstable,
  };
}

function nextRange({ coveredThrough, rangeWidth }: WalkPosition, { stamps, now }: WalkOptions): Interval {
  const closedUpTo = closedBefore(stamps(), now());
  const from = coveredThrough ?? closedUpTo - FIRST_WIDTH;
  if (coveredThrough === undefined) return { from: undefined, to: from };
  if (from >= closedUpTo - NEWEST_WIDTH) return { from, to: undefined };
  return { from, to: Math.min(from + rangeWidth, closedUpTo) };
}

function closedBefore(stamps: StampsState, now: Instant): Instant {
  const time = stampsTime(stamps, now);
  return time === undefined ? now - CLOSED_FOR_SURE_AFTER : time - CLOSED_AFTER;
}

/** The newest groups, and those with stamps from the future: open-ended, so that none is too absurd to be read. */
async function walkNewest(range: Interval, position: WalkPosition, reader: Reader): Promise<WalkStep> {
  let unstable: string | undefined;
  for (let tries = 0; tries < TRIES_AT_NEWEST; tries += 1) {
    const coverage = await coverRange({ created: range }, reader);
    unstable ??= coverage.unstable;
    if (coverage.outcome === 'proved') break;
  }
  return { position, covered: range, isDone: true, unstable };
}

/**
 * Whether a range has too many pages, found out with two requests instead of fifty. Only asked where the range is
 * far wider than what is known to fit.
 */
async function isSurelyOverlong(
  range: Interval,
  { rangeWidth }: WalkPosition,
  reader: Reader,
): Promise<boolean> {
  if (rangeWidth < PROBED_FROM_WIDTH) return false;
  const first = await reader.fetch({ range: { created: range }, offset: 0 });
  await reader.take(first);
  if (first.rows.length === 0) return false;
  const beyond = await reader.fetch({
    range: { created: range },
    offset: first.rows.length * MAX_RANGE_PAGES,
  });
  await reader.take(beyond);
  return beyond.rows.length > 0;
}

/** Wider ranges are probed before they are read: they come from halving down, not from what the last range held. */
const PROBED_FROM_WIDTH = 20 * DAY;

function narrowed(position: WalkPosition, range: Interval, unstable: string | undefined): WalkStep {
  const width =
    range.from === undefined || range.to === undefined ? position.rangeWidth : range.to - range.from;
  const rangeWidth = Math.max(Math.floor(width / 2), 1);
  return { position: { ...position, rangeWidth }, covered: undefined, isDone: false, unstable };
}

function nextWidth(range: Interval, pages: number, { rangeWidth }: WalkPosition): number {
  if (range.from === undefined || range.to === undefined) return rangeWidth;
  const growth = Math.min(MAX_GROWTH, AIMED_AT_PAGES / Math.max(pages, 1));
  return Math.min(Math.max(Math.floor((range.to - range.from) * growth), 1), FIRST_WIDTH);
}

function countingPages(reader: Reader, pages: { count: number }): Reader {
  return {
    ...reader,
    fetch(request) {
      pages.count += 1;
      return reader.fetch(request);
    },
  };
}
