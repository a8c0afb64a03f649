// Reads a closed range so that nothing in it is missed, whatever the list's order: in one pass where the order
// holds still (R1, R2), else in pieces (R5). Where rows have merely entered, by late changes or because the list is
// sorted by what changes, a piece is read in a pass again, only a shorter one; where the order is none at all, down
// to pieces that are each one page and so true in themselves.
import type { Instant } from '../instant.ts';
import { MAX_COVER_REQUESTS, SHORT_PAGE_ROWS } from '../limits.ts';
import { confirmEnd } from './confirm-end.ts';
import { readByCounting } from './count-rows.ts';
import { axisOf, cutRange, isNarrow, type RowStamps, stampsOf, stampsWithin } from './cut-range.ts';
import type { Page, Range } from './page.ts';
import { provePage } from './prove-page.ts';
import { isShort, readPage, readPass } from './read-pass.ts';
import type { Reader } from './reader.ts';

export interface Coverage {
  /**
   * `proved`: every row that stayed in the range was seen. `overlong`: the range has more pages than it may; ask
   * for a narrower one. `unproved`: the service would not let it be proved; ask again later.
   */
  readonly outcome: 'proved' | 'overlong' | 'unproved';
  /** Up to where, from the range's start, every row was seen; the range's end where it is proved. */
  readonly through: Instant | undefined;
  /** Whether it is for lack of room that the row after `through` was not. */
  readonly lacksRoom?: boolean | undefined;
  /** Why the order was found not to be stable, if it was. */
  readonly unstable?: string | undefined;
}

/**
 * Reads a closed range; its rows are handed to `reader.take` on the way.
 *
 * @param first the range's first page, where it was read just before
 * @param straight what came of reading it straight, where that was tried just before
 */
export async function coverRange(
  range: Range,
  reader: Reader,
  first?: Page,
  straight?: StraightReading,
): Promise<Coverage> {
  const page = first ?? (await readPage(range, 0, reader));
  const read = straight ?? (await readStraight(range, reader, page));
  const { outcome, reason: unstable } = read;
  // What is too narrow to be cut along its axis is cut across it.
  if (outcome === 'overlong' && !isNarrow(range)) return { outcome, through: axisOf(range).from };
  if (outcome === 'whole') return { ...proved(range), unstable };
  return { ...(await coverInPieces(range, read, createPieces(reader, page))), unstable };
}

/** What came of reading a range as if its order were stable. */
export interface StraightReading {
  readonly outcome: 'whole' | 'overlong' | 'void';
  /** Why the order was found not to be stable, if it was. */
  readonly reason?: string | undefined;
  /** Whether that may be only because rows have entered. */
  readonly isShifted: boolean;
  readonly stamps: readonly RowStamps[];
}

/** Reads a range in one pass or, in whatever order, in one page that is all there is. */
export async function readStraight(range: Range, reader: Reader, first?: Page): Promise<StraightReading> {
  const page = first ?? (await readPage(range, 0, reader));
  if (isShort(page) && (await provePage(range, page, reader)) === 'whole') {
    return { outcome: 'whole', isShifted: false, stamps: stampsOf(page.rows) };
  }
  const { outcome, reason, isShifted, stamps, rows, list } = await readPass(range, reader, page);
  if (outcome === 'complete') {
    const isTrue = await confirmEnd(range, list, reader);
    return { outcome: isTrue ? 'whole' : 'overlong', isShifted, stamps };
  }
  if (outcome === 'overlong') return { outcome, isShifted, stamps };
  const mayBeOnePage = rows <= page.rows.length;
  const isWhole = mayBeOnePage && (await provePage(range, page, reader)) === 'whole';
  return { outcome: isWhole ? 'whole' : 'void', reason, isShifted, stamps };
}

/** How a range is being covered piece by piece. */
interface Pieces {
  readonly reader: Reader;
  /** A backstop, far beyond what a range's worth of pages needs. */
  requestsLeft: number;
  /** Rows of the range's first page, which was not all of it: a page of as many is hardly all of its piece. */
  readonly fullPage: number;
}

function createPieces(reader: Reader, { rows }: Page): Pieces {
  const pieces: Pieces = {
    reader: {
      ...reader,
      fetch(request) {
        pieces.requestsLeft -= 1;
        return reader.fetch(request);
      },
    },
    requestsLeft: MAX_COVER_REQUESTS,
    fullPage: Math.max(rows.length, SHORT_PAGE_ROWS),
  };
  return pieces;
}

type Known = Pick<StraightReading, 'stamps' | 'isShifted'>;

async function coverInPieces(range: Range, known: Known, pieces: Pieces): Promise<Coverage> {
  const cut = cutRange(range, known.stamps);
  if (cut === undefined) {
    return (await readByCounting(range, pieces.reader)) ? proved(range) : unproved(range);
  }
  let through: Instant | undefined;
  let lacksRoom: boolean | undefined;
  let isWhole = true;
  // The later piece is read even where the earlier one stays unproved, if there is room: it may hold news.
  for (const piece of cut) {
    const coverage = await coverPiece(piece, known, pieces);
    // The first that stays unproved has the last word; one that is cut across the range's axis says: its start.
    if (isWhole) ({ through, lacksRoom } = coverage);
    isWhole &&= coverage.outcome === 'proved';
  }
  return isWhole ? proved(range) : { outcome: 'unproved', through, lacksRoom };
}

async function coverPiece(range: Range, known: Known, pieces: Pieces): Promise<Coverage> {
  if (pieces.requestsLeft <= 0) return unproved(range);
  if (pieces.reader.hasRoom?.() === false) return { ...unproved(range), lacksRoom: true };
  if (known.isShifted) {
    const read = await readStraight(range, pieces.reader);
    if (read.outcome === 'whole') return proved(range);
    const isStable = read.isShifted || read.outcome === 'overlong';
    return coverInPieces(range, { stamps: read.stamps, isShifted: isStable }, pieces);
  }
  const first = await readPage(range, 0, pieces.reader);
  const isHardlyAll = first.rows.length >= pieces.fullPage;
  if (!isHardlyAll && (await provePage(range, first, pieces.reader)) === 'whole') return proved(range);
  // A page of rows without stamps says nothing of where to cut, and what has no end is not cut blindly.
  const own = stampsOf(first.rows);
  const stamps = own.length > 0 ? own : stampsWithin(range, known.stamps);
  return coverInPieces(range, { stamps, isShifted: false }, pieces);
}

function proved(range: Range): Coverage {
  return { outcome: 'proved', through: axisOf(range).to };
}

function unproved(range: Range): Coverage {
  return { outcome: 'unproved', through: axisOf(range).from };
}
