// Whether a range has more pages than it may, found out with one request behind what they hold instead of by reading
// them all; and where it is to end then.
import type { Instant } from '../instant.ts';
import { NARROWEST_RANGE } from '../limits.ts';
import { stampsOf } from './cut-range.ts';
import { rowsToPage } from './list-depth.ts';
import { type Page, PageOutOfReach, type Range } from './page.ts';
import { isShort, readPage } from './read-pass.ts';
import type { Reader } from './reader.ts';

/** Times that a range is narrowed in one go. */
const MAX_NARROWINGS = 24;
/** Pages that go into finding a range's end. */
const END_PAGES = 4;
/** Of the pages that a range may have, the share that it is made for: how densely groups are created changes slowly. */
export const AIMED_SHARE = 0.87;

export interface Fitted {
  readonly to: Instant;
  /** False where even more narrowing is needed. */
  readonly fits: boolean;
  /** The range's first page, if it was read. */
  readonly first?: Page;
}

/** A range of creation; its start may be open, its end is not. */
export interface WishedRange {
  readonly from: Instant | undefined;
  readonly to: Instant;
  /** Where its rows begin at the earliest. */
  readonly lowest: Instant;
  /**
   * Whether most of it may be decades in which nothing was created; then it is narrowed by the rows that are found
   * instead of by its length.
   */
  readonly isSparse: boolean;
}

/** Narrows a range of creation to the pages that it may have. */
export async function fitRange(wished: WishedRange, reader: Reader): Promise<Fitted> {
  const { from, to, lowest, isSparse } = wished;
  const first = await readPage({ created: { from, to } }, 0, reader);
  if (isShort(first)) return { to, fits: true, first };
  let beyond = Math.max(first.rows.length - 1, 1) * Math.max(reader.maxPages - END_PAGES, 1);
  if (reader.depth !== undefined) beyond = Math.min(beyond, rowsToPage(reader.depth.current()));
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
    // Each narrowing leaves off what was reached: as often as the whole store has ranges, unless it reaches further.
    if (isSparse && newestOf(first) > oldestOf(page)) reach *= 2;
  }
  return { to: end, fits: false };
}

/** @returns undefined where the service refuses the offset */
async function readWithinReach(range: Range, offset: number, reader: Reader): Promise<Page | undefined> {
  try {
    return await readPage(range, offset, reader);
  } catch (error) {
    if (error instanceof PageOutOfReach) return undefined;
    throw error;
  }
}

/**
 * Where a list that is sorted by creation would have the pages that it may: just before the oldest row found beyond
 * them or, where the latest come first, if groups were created as densely all the time as at its end. Other orders
 * tell nothing: then it is nowhere.
 */
function wishedEnd(first: Page, beyond: Page, to: Instant, lowest: Instant): Instant {
  if (newestOf(first) <= oldestOf(beyond)) return oldestOf(beyond) - 1;
  if (oldestOf(first) < newestOf(beyond)) return Number.NEGATIVE_INFINITY;
  return Math.floor(lowest + AIMED_SHARE * (to - newestOf(beyond)));
}

/** Where a range that is too long ends instead: where it is wished, if that makes it narrower, else in its middle. */
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
