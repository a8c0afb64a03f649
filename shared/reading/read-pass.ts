// One pass over the list of a closed range, R1 and R2: page after page, each joined to the one before, to an end that
// is proved by reading on. A complete pass claims: in a stable order, it has seen every row that stayed in the range
// while it was read, whatever else left, however the service cuts its pages.
//
// A page may end anywhere: at a lowered limit, or before a row that is too large to fit. So the pass looks for the end
// behind the last row, where an empty page is not a page cut short, and then reads the rows before it again. If the
// last row is still in its place, nothing has moved up in between, and what came behind it (rows or the end) is its
// neighbour.
import {
  MAX_CROWD_PAGES,
  SEAM_ROWS,
  SEAM_ROWS_BY_CREATION,
  SHORT_PAGE_BYTES,
  SHORT_PAGE_ROWS,
} from '../limits.ts';
import type { RowReading } from '../returns-service/parse-return-group.ts';
import { isNarrow } from './cut-range.ts';
import { nameOf, type Page, PageOutOfReach, type Range } from './page.ts';
import type { Reader } from './reader.ts';
import { createTrack, type Pass, type PlacedPage, type Track } from './track.ts';

/** Fetches a page and passes it to `take`. */
export async function readPage(
  range: Range,
  offset: number,
  { fetch, take }: Pick<Reader, 'fetch' | 'take'>,
): Promise<Page> {
  const page = await fetch({ range, offset });
  await take(page);
  return page;
}

/**
 * Reads a range once. Passes the rows to `reader.take` whatever the outcome.
 *
 * @param first the range's first page, if it was read just before
 */
export async function readPass(range: Range, reader: Reader, first?: Page): Promise<Pass> {
  const track = createTrack();
  try {
    return await readOn(range, reader, track, first);
  } catch (error) {
    if (error instanceof PageOutOfReach) return track.end('overlong');
    throw error;
  }
}

async function readOn(range: Range, reader: Reader, track: Track, first: Page | undefined): Promise<Pass> {
  const overlap = range.updated === undefined ? SEAM_ROWS_BY_CREATION : SEAM_ROWS;
  const maxPages = isNarrow(range) ? Math.max(MAX_CROWD_PAGES, reader.maxPages) : reader.maxPages;
  const read = async (offset: number) => track.place(await readPage(range, offset, reader), offset);
  let at = first === undefined ? await read(0) : track.place(first, 0);
  /** The page seen behind the last page, until that last page is read again. */
  let behind: PlacedPage | undefined;
  let stepBack = overlap;
  let stepsBack = 0;
  /** Offsets of pages in which no row has a name, since the last new row. */
  const nameless = new Set<number>();
  while (track.pages <= maxPages) {
    const seam = track.join(at);
    if (seam.verdict === 'void') return track.fail(seam);
    if (seam.verdict === 'apart') {
      if (at.offset === 0)
        return at.rows.length === 0 ? track.end('complete', at.end) : track.fail(ALL_OTHERS);
      // If rows without an id fill whole pages, stepping back and going on again would never end.
      stepsBack += 1;
      const isNameless = !at.rows.some(isNamed);
      if (stepsBack > mostStepsBack(at) || (isNameless && nameless.has(at.offset)))
        return track.fail(NO_FOOTHOLD);
      if (isNameless) nameless.add(at.offset);
      stepBack *= 2;
      behind = undefined;
      at = await read(Math.max(0, at.offset - stepBack));
      continue;
    }
    stepBack = overlap;
    if (seam.fresh > 0) {
      stepsBack = 0;
      nameless.clear();
    }
    if (at.rows.length === 0 || (reader.trustsShortPages && isShort(at)))
      return track.end('complete', at.end);
    let mayBeLast = seam.fresh === 0;
    if (mayBeLast && seam.movedUp === 0 && behind?.offset === at.end) {
      if (behind.rows.length === 0)
        return track.lacksRows(at.end) ? track.fail(FEWER_SEEN) : track.end('complete', at.end);
      at = track.append(behind);
      mayBeLast = false;
    }
    behind = undefined;
    if (mayBeLast || at.rows.length === 1 || track.noteSize(at)) {
      const next = await read(at.end);
      // A page that joins or that voids the pass needs no look back.
      if (track.judge(next).verdict === 'apart') behind = next;
      // Not from further back than this page: a page cut by bytes might not reach its last row again.
      at = behind === undefined ? next : await read(at.end - rowsBack(at, overlap, track.isFoothold));
    } else {
      at = await read(at.end - Math.min(rowsBack(at, overlap, track.isFoothold), at.rows.length - 1));
    }
  }
  return track.end('overlong');
}

const ALL_OTHERS = { reason: 'no row at its start had been read before', isShifted: false };
const FEWER_SEEN = { reason: 'fewer rows were seen than the list has', isShifted: true };
const NO_FOOTHOLD = { reason: 'no row of a page can be joined to the page before', isShifted: false };

/**
 * How many rows to go back so that the next page repeats this many rows by which it can be joined: at most the page.
 */
function rowsBack({ rows }: PlacedPage, wanted: number, isFoothold: (row: RowReading) => boolean): number {
  let footholds = 0;
  const back = rows.toReversed().findIndex((row) => {
    footholds += isFoothold(row) ? 1 : 0;
    return footholds === wanted;
  });
  return back === -1 ? Math.min(wanted, rows.length) : back + 1;
}

function isNamed(row: RowReading): boolean {
  return nameOf(row) !== undefined;
}

/** Steps double: half of these reach the list's start, the other half find what has moved meanwhile. */
function mostStepsBack({ end }: PlacedPage): number {
  return 2 * Math.ceil(Math.log2(end + 2));
}

/** Whether a page is too small to be cut short: no service cuts a page this small if a larger one was requested. */
export function isShort({
  rows,
  bytes,
  asked = SHORT_PAGE_ROWS,
}: Pick<Page, 'rows' | 'bytes' | 'asked'>): boolean {
  return asked >= SHORT_PAGE_ROWS && rows.length < SHORT_PAGE_ROWS && bytes < SHORT_PAGE_BYTES;
}
