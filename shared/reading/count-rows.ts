// R5, the last resort: a range that is too narrow to cut and too full for a page, in an order that is never the same
// twice. It is paged again and again. Each empty page sets an upper bound of the rows at that moment. Once that many
// different rows were seen after the empty page, they are all: rows leave a closed range and none enter, so whatever is
// seen later was there. Passes that merely agree would prove nothing.
import { MAX_COUNTING_REQUESTS, PAGE_LIMIT } from '../limits.ts';
import { confirmEnd, type SeenList, seenInPage } from './confirm-end.ts';
import type { RowStamps } from './cut-range.ts';
import { nameOf, type Page, PageOutOfReach, type Range } from './page.ts';
import type { Reader } from './reader.ts';

/** Page sizes differ by up to this many rows between passes: an order may depend on where pages are cut. */
const DIFFERENT_SIZES = 8;

/** @returns whether all rows of the range were seen */
export async function readByCounting(range: Range, reader: Reader): Promise<boolean> {
  try {
    const list = await countRows(range, reader);
    return list !== undefined && (await confirmEnd(range, list, reader));
  } catch (error) {
    if (error instanceof PageOutOfReach) return false;
    throw error;
  }
}

/** @returns the whole list; undefined if it was not seen */
async function countRows(range: Range, reader: Reader): Promise<SeenList | undefined> {
  const census = createCensus();
  const rows = new Map<string, RowStamps>();
  let offset = 0;
  let passes = 0;
  let largest = 1;
  for (let requests = 0; requests < MAX_COUNTING_REQUESTS; requests += 1) {
    const limit = passes === 0 ? PAGE_LIMIT : Math.max(1, largest - (passes % DIFFERENT_SIZES));
    const page = await reader.fetch({ range, offset, limit });
    await reader.take(page);
    if (page.rows.length > 0) {
      census.note(page);
      for (const [name, stamps] of seenInPage(page).rows) rows.set(name, stamps);
      largest = Math.max(largest, page.rows.length);
      offset += page.rows.length;
    } else {
      census.bound(offset);
      offset = 0;
      passes += 1;
    }
    const end = census.wholeUpTo();
    if (end !== undefined) return { end, rows };
  }
  return undefined;
}

interface Bound {
  /** The most rows that the list can have had at that moment. */
  readonly rows: number;
  /** Different rows seen since. */
  seen: number;
  /** Rows without an id can't be distinguished: the most that one page has shown since. */
  unnamed: number;
}

function createCensus() {
  /** The number of bounds when a row was last seen: the row is new to the bounds since. */
  const lastSeen = new Map<string, number>();
  const bounds: Bound[] = [];
  return {
    note({ rows }: Page): void {
      const named = rows.map(nameOf).filter((name) => name !== undefined);
      for (const name of named) {
        for (const bound of bounds.slice(lastSeen.get(name))) bound.seen += 1;
        lastSeen.set(name, bounds.length);
      }
      const unnamed = rows.length - named.length;
      for (const bound of bounds) bound.unnamed = Math.max(bound.unnamed, unnamed);
    },
    bound(rows: number): void {
      bounds.push({ rows, seen: 0, unnamed: 0 });
    },
    /** The number of all rows; undefined while some may be missing. */
    wholeUpTo: () => bounds.find(({ rows, seen, unnamed }) => seen + unnamed >= rows)?.rows,
  };
}
