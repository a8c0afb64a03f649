// Finds out whether a range has too many pages, with one request behind the allowed ones instead of by reading them
// all, and where to end the range in that case.
import type { Instant } from '../instant.ts';
import { NARROWEST_RANGE } from '../limits.ts';
import { stampsOf } from './cut-range.ts';
import { rowsToPage } from './list-depth.ts';
import { type Page, PageOutOfReach, type Range } from './page.ts';
import { provePage } from './prove-page.ts';
import { isShort, readPage } from './read-pass.ts';
import type { Reader } from './reader.ts';

/** The most narrowings in one call. */
const MAX_NARROWINGS = 24;
/** Pages spent on finding a range's end. */
const END_PAGES = 4;
/** The share of the allowed pages that a walk's range is made for: the density of creations changes slowly. */
export const WALKED_SHARE = 0.87;

export interface Fitted {
  readonly to: Instant;
  /** False if the range needs even more narrowing. */
  readonly fits: boolean;
  /** The range's first page, if it was read. */
  readonly first?: Page;
  /** Whether that page was proved to be the whole range. */
  readonly isWhole?: boolean;
}

/** A range of creation times; its start may be open, its end is not. */
export interface WishedRange {
  readonly from: Instant | undefined;
  readonly to: Instant;
  /** The earliest possible creation of its rows. */
  readonly lowest: Instant;
  /**
   * Whether most of it may be decades without groups; it is then narrowed by the rows that are found, not by its
   * length.
   */
  readonly isSparse: boolean;
}

/** Narrows a range of creation times to the pages that it may have. */
export async function fitRange(wished: WishedRange, reader: Reader): Promise<Fitted> {
  const { from, to, lowest, isSparse } = wished;
  const first = await readPage({ created: { from, to } }, 0, reader);
  // A short page is no end by itself: some services send no longer ones.
  if (isShort(first) && (await provePage({ created: { from, to } }, first, reader)) === 'whole')
    return { to, fits: true, first, isWhole: true };
  let beyond = Math.max(first.rows.length - 1, 1) * Math.max(reader.maxPages - END_PAGES, 1);
  if (reader.depth !== undefined)
    beyond = Math.min(beyond, rowsToPage(reader.depth.current({ created: { from, to } })));
  let end = to;
  let reach = beyond;
  for (let narrowings = 0; narrowings < MAX_NARROWINGS; narrowings += 1) {
    const fitted = { to: end, fits: true, ...(end === to ? { first } : {}) };
    if (end - lowest <= NARROWEST_RANGE) return fitted;
    const page = await readWithinReach({ created: { from, to: end } }, reach, reader);
    if (page === undefined) {
      beyond = Math.max(1, Math.floor(Math.min(beyond, reach) / 2));
      reach = beyond;
      continue;
    }
    if (page.rows.length === 0 && reach === beyond) return fitted;
    if (page.rows.length === 0) {
      reach = Math.max(beyond, Math.floor(reach / 4));
      continue;
    }
    const wish = isSparse ? oldestOf(page) - 1 : wishedEnd(first, page, end, lowest);
    end = narrower(lowest, end, wish);
    // Reach further each time: a narrowing removes only what was reached, so a large store would take too many of them.
    if (isSparse && newestOf(first) > oldestOf(page))
      reach = Math.max(beyond, Math.min(2 * reach, lastShown({ created: { from, to } }, reader)));
  }
  return { to: end, fits: false };
}

/** The last place of a list that the service shows: what lies behind it is refused, or fails after many tries. */
function lastShown(range: Range, { depth }: Reader): number {
  return (depth?.current(range).most ?? Number.POSITIVE_INFINITY) - 1;
}

/** @returns undefined if the service refuses the offset */
async function readWithinReach(range: Range, offset: number, reader: Reader): Promise<Page | undefined> {
  try {
    return await readPage(range, offset, reader);
  } catch (error) {
    if (error instanceof PageOutOfReach) return undefined;
    throw error;
  }
}

/**
 * The end at which a list sorted by creation would have the allowed pages: just before the oldest row found beyond
 * them. If the latest come first, it assumes that groups were always created as densely as at the range's end. Other
 * orders give no hint: then it is minus infinity.
 */
function wishedEnd(first: Page, beyond: Page, to: Instant, lowest: Instant): Instant {
  if (newestOf(first) <= oldestOf(beyond)) return oldestOf(beyond) - 1;
  if (oldestOf(first) < newestOf(beyond)) return Number.NEGATIVE_INFINITY;
  return Math.floor(lowest + WALKED_SHARE * (to - newestOf(beyond)));
}

/** The new end of a range that is too long: the wished end if that makes it narrower, else its middle. */
function narrower(lowest: Instant, to: Instant, wish: Instant): Instant {
  if (wish >= lowest + NARROWEST_RANGE && wish < to) return wish;
  return Math.max(lowest + Math.floor((to - lowest) / 2), lowest + NARROWEST_RANGE);
}

function oldestOf({ rows }: Page): Instant {
  return Math.min(...stampsOf(rows).map(({ createdAt }) => createdAt));
}

function newestOf({ rows }: Page): Instant {
  return Math.max(...stampsOf(rows).map(({ createdAt }) => createdAt));
}
