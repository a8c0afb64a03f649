// Reads a closed range so that nothing in it is missed, whatever the list's order: in one pass where the order
// holds still (R1, R2), else in pieces that are each one page and so true in themselves (R5).
import type { Instant } from '../instant.ts';
import { readByCounting } from './count-rows.ts';
import { cutRange, type RowStamps } from './cut-range.ts';
import type { Range } from './page.ts';
import { provePage } from './prove-page.ts';
import { type Reader, readPass, stampsOf } from './read-pass.ts';

export interface Coverage {
  /**
   * `proved`: every row that stayed in the range was seen. `overlong`: the range has more pages than it may; ask
   * for a narrower one. `unproved`: the service would not let it be proved; ask again later.
   */
  readonly outcome: 'proved' | 'overlong' | 'unproved';
  /** Up to where, from the range's start, every row was seen; the range's end where it is proved. */
  readonly through: Instant | undefined;
  /** Why the order was found not to be stable, if it was. */
  readonly unstable?: string;
}

/** Pieces that a range may be cut into: a backstop, far beyond what a page's worth of rows needs. */
const MAX_PIECES = 400;

/** Reads a closed range; its rows are handed to `reader.take` on the way. */
export async function coverRange(range: Range, reader: Reader): Promise<Coverage> {
  const pass = await readPass(range, reader);
  if (pass.outcome === 'complete') return { outcome: 'proved', through: endOf(range) };
  if (pass.outcome === 'overlong') return { outcome: 'overlong', through: startOf(range) };
  const unstable = pass.reason ?? 'the order changed';
  const pieces = { left: MAX_PIECES };
  return { ...(await coverInPieces(range, pass.stamps, reader, pieces)), unstable };
}

async function coverInPieces(
  range: Range,
  seen: readonly RowStamps[],
  reader: Reader,
  pieces: { left: number },
): Promise<Coverage> {
  const cut = cutRange(range, seen);
  if (cut === undefined) {
    const isProved = await readByCounting(range, reader);
    return isProved ? proved(range) : { outcome: 'unproved', through: startOf(range) };
  }
  let through = startOf(range);
  let isWhole = true;
  // The later piece is read even where the earlier one stays unproved: it may hold news.
  for (const piece of cut) {
    const coverage = await coverPiece(piece, reader, pieces);
    if (isWhole && cutsByUpdate(range, piece)) through = coverage.through;
    isWhole &&= coverage.outcome === 'proved';
  }
  return isWhole ? proved(range) : { outcome: 'unproved', through };
}

async function coverPiece(range: Range, reader: Reader, pieces: { left: number }): Promise<Coverage> {
  pieces.left -= 1;
  if (pieces.left < 0) return { outcome: 'unproved', through: startOf(range) };
  const first = await reader.fetch({ range, offset: 0 });
  await reader.take(first);
  const verdict = await provePage(range, first, reader);
  if (verdict === 'whole') return proved(range);
  return coverInPieces(range, stampsOf(first.rows), reader, pieces);
}

/** Only pieces along the range's own axis, in its direction, move what is covered from its start. */
function cutsByUpdate(range: Range, piece: Range): boolean {
  return range.updated === undefined || piece.updated !== range.updated;
}

function proved(range: Range): Coverage {
  return { outcome: 'proved', through: endOf(range) };
}

function startOf(range: Range): Instant | undefined {
  return (range.updated ?? range.created)?.from;
}

function endOf(range: Range): Instant | undefined {
  return (range.updated ?? range.created)?.to;
}
