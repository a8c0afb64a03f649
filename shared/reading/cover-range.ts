// Reads a closed range so that nothing in it is missed: in one pass if the order is stable (R1, R2), else in pieces
// (R5). If rows have merely entered, by late changes or because the list is sorted by what changes, each piece is read
// in a shorter pass. If there is no order at all, pieces become so small that each is one page, which is consistent by
// itself.
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
   * `proved`: every row that stayed in the range was seen. `overlong`: the range has more pages than allowed; request a
   * narrower one. `unproved`: the service did not allow a proof; try again later.
   */
  readonly outcome: 'proved' | 'overlong' | 'unproved';
  /**
   * Every row from the range's start up to here was seen; the range's end if it is proved. Undefined if that range has
   * no end, or if nothing is proved and it has no start.
   */
  readonly through: Instant | undefined;
  /** Whether the rows after `through` are missing for lack of room. */
  readonly lacksRoom?: boolean | undefined;
  /** Why the order was found not to be stable, if it was. */
  readonly unstable?: string | undefined;
  /** Whether the only reason may be that rows have entered. */
  readonly isShifted?: boolean | undefined;
}

/**
 * Reads a closed range and passes its rows to `reader.take` on the way.
 *
 * @param first the range's first page, if it was read just before
 * @param straight the outcome of reading it straight, if that was tried just before
 */
export async function coverRange(
  range: Range,
  reader: Reader,
  first?: Page,
  straight?: StraightReading,
): Promise<Coverage> {
  const page = first ?? (await readPage(range, 0, reader));
  const read = straight ?? (await readStraight(range, reader, page));
  const { outcome, reason: unstable, isShifted } = read;
  // A range that is too narrow to be cut along its axis is cut across it.
  if (outcome === 'overlong' && !isNarrow(range)) return { outcome, through: axisOf(range).from };
  if (outcome === 'whole') return { ...proved(range), unstable, isShifted };
  const pieces = createPieces(reader, page);
  const coverage = await coverInPieces(range, read, pieces);
  return { ...coverage, unstable, isShifted: isShifted && !pieces.haveNoOrder };
}

/** The outcome of reading a range as if its order were stable. */
export interface StraightReading {
  readonly outcome: 'whole' | 'overlong' | 'void';
  /** Why the order was found not to be stable, if it was. */
  readonly reason?: string | undefined;
  /** Whether the only reason may be that rows have entered. */
  readonly isShifted: boolean;
  readonly stamps: readonly RowStamps[];
}

/** Reads a range in one pass or, if the whole range fits in one page, in any order. */
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

/** The state of covering a range piece by piece. */
interface Pieces {
  readonly reader: Reader;
  /** A backstop, far beyond what a range's worth of pages needs. */
  requestsLeft: number;
  /** Whether a piece showed that rows have no order at all; then the whole range looked shifted by chance. */
  haveNoOrder: boolean;
  /** Rows of the range's first page, which was not all of it: a page this full is probably not the whole piece. */
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
    haveNoOrder: false,
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
  // The later piece is read even if the earlier one stays unproved, if there is room: it may have changes.
  for (const piece of cut) {
    const coverage = await coverPiece(piece, known, pieces);
    // The first unproved piece sets `through`; for a piece cut across the range's axis that is the range's start.
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
    pieces.haveNoOrder ||= !isStable;
    return coverInPieces(range, { stamps: read.stamps, isShifted: isStable }, pieces);
  }
  const first = await readPage(range, 0, pieces.reader);
  const isHardlyAll = first.rows.length >= pieces.fullPage;
  if (!isHardlyAll && (await provePage(range, first, pieces.reader)) === 'whole') return proved(range);
  // Rows without stamps give no place to cut at, and a range without an end must not be cut blindly.
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
