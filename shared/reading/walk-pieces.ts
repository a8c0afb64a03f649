// A walk over a list without any order: piece by piece, where the known groups show that a page ends, instead of finding
// these places again in each walk (R5). Each piece is one page, and one page is proved in any order.
import type { Instant } from '../instant.ts';
import { DeadlineReached } from '../pacing/errors.ts';
import { coverRange } from './cover-range.ts';
import { stampsOf } from './cut-range.ts';
import { identityOf, type Page, type Range, versionOf } from './page.ts';
import { provePage } from './prove-page.ts';
import { readPage } from './read-pass.ts';
import type { Reader } from './reader.ts';
import type { KnownPieces, WalkOptions, WalkPosition, WalkStep } from './walk-step.ts';

type PieceReader = Reader & Required<Pick<Reader, 'hasRoom'>> & Pick<WalkOptions, 'pieces'>;

/**
 * Reads as many pieces as there is room for.
 *
 * @param upTo the latest end of a piece: newer groups are read as the newest
 * @returns undefined if no known piece is left
 */
export async function walkPieces(
  position: WalkPosition,
  upTo: Instant,
  reader: PieceReader,
): Promise<WalkStep | undefined> {
  const { pieces } = reader;
  if (pieces === undefined) return undefined;
  const { coveredThrough } = position;
  const cuts = (await pieces.cutsAfter(coveredThrough)).filter((cut) => cut <= upTo);
  if (cuts.length === 0) return undefined;
  const order = createOrderWatch();
  const watched = { ...reader, take: order.watch(reader.take) };
  let through = coveredThrough;
  for (const to of cuts) {
    if (!reader.hasRoom()) break;
    order.startPiece();
    try {
      through = await coverPiece(through, to, { reader, watched, pieces });
    } catch (error) {
      // Keep what was proved: otherwise ticks that always end in the second piece would prove the first again and again.
      if (!(error instanceof DeadlineReached) || through === coveredThrough) throw error;
      break;
    }
    if (through !== to) break;
  }
  const covered = through === coveredThrough ? undefined : { from: coveredThrough, to: through };
  const hasNoOrder = order.hasChanged();
  const unstable = hasNoOrder ? ANOTHER_ORDER : undefined;
  return { position: { ...position, coveredThrough: through }, covered, isDone: false, unstable, hasNoOrder };
}

interface PieceReaders {
  readonly reader: Reader;
  readonly watched: Reader;
  readonly pieces: KnownPieces;
}

/** @returns the instant up to which the piece was covered */
async function coverPiece(
  from: Instant | undefined,
  to: Instant,
  { reader, watched, pieces }: PieceReaders,
): Promise<Instant | undefined> {
  const piece = { created: { from, to } };
  const first = await readPage(piece, 0, watched);
  const proof = await provePage(piece, first, watched);
  if (proof === 'whole') return to;
  if (proof === 'larger' && pieces.onCutShort(first.rows.length)) return from;
  return (await coverAnyway(piece, first, reader)) ?? from;
}

const ANOTHER_ORDER = 'a page shows its rows in another order when it is read again';

/** Reads a piece that is not one page: too many groups were created at once, or others are not known yet. */
async function coverAnyway(piece: Range, first: Page, reader: Reader): Promise<Instant | undefined> {
  const known = { outcome: 'void', isShifted: false, stamps: stampsOf(first.rows) } as const;
  return (await coverRange(piece, reader, first, known)).through;
}

/** Notes whether a page that is read again shows rows that have not changed in another order. */
function createOrderWatch() {
  let first: readonly string[] | undefined;
  let hasChanged = false;
  return {
    startPiece() {
      first = undefined;
    },
    watch: (take: Reader['take']) => (page: Page) => {
      const rows = page.rows.map((row) => `${identityOf(row)} ${versionOf(row)}`);
      if (first !== undefined) hasChanged ||= !isInOrder(rows, first);
      first ??= rows;
      return take(page);
    },
    hasChanged: () => hasChanged,
  };
}

/** Whether the rows that both lists have are in the same order. */
function isInOrder(rows: readonly string[], before: readonly string[]): boolean {
  const stayed = new Set(rows);
  const known = new Set(before);
  const earlier = before.filter((row) => stayed.has(row));
  return rows.filter((row) => known.has(row)).every((row, index) => row === earlier[index]);
}
