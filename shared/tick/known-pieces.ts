// The pieces of one page into which the known groups cut a list without any order (reading/pieces.ts).
import type { Instant } from '../instant.ts';
import { FEWEST_IMPROBABLE } from '../limits.ts';
import type { Interval, Page } from '../reading/page.ts';
import { cutIntoPieces, rowsOfPiece } from '../reading/pieces.ts';
import type { KnownPieces } from '../reading/walk-step.ts';
import { sourceOf, type TickRun } from './tick-run.ts';

/** Pieces that a walk reads before it saves its position. If the tick ends before that, they are read again. */
const PIECES_OF_STEP = 5;
/** The fewest groups that it reads, however short pages are: with fewer, a guard can't judge whether most differ. */
const GROUPS_OF_STEP = 3 * FEWEST_IMPROBABLE;

/** Returns where pieces lie; undefined while the list seems to keep its order. */
export function knownPieces(run: TickRun): KnownPieces | undefined {
  const { list } = run.session;
  if (!list.isUnordered) return undefined;
  return {
    cutsAfter: (from) => cutsAfter(run, from, piecesOfStep(run)),
    onCutShort(rows) {
      const isSmaller = rows > 0 && rows < rowsOfPage(run);
      if (isSmaller) list.fullPage = rows;
      return isSmaller;
    },
  };
}

function piecesOfStep(run: TickRun): number {
  return Math.max(PIECES_OF_STEP, Math.ceil(GROUPS_OF_STEP / rowsOfPiece(rowsOfPage(run))));
}

/** Returns the pieces into which an interval is cut. */
export async function piecesOf(run: TickRun, { from, to }: Interval): Promise<readonly Interval[]> {
  const cuts = await cutsAfter(run, from, Number.POSITIVE_INFINITY, to);
  const starts = [from, ...cuts];
  return starts.map((start, index) => ({ from: start, to: starts[index + 1] ?? to }));
}

/** Returns the first `most` instants at which pieces end, ascending. @param from undefined for the beginning of time */
function cutsAfter(
  run: TickRun,
  from: Instant = Number.NEGATIVE_INFINITY,
  most: number,
  to: Instant = Number.POSITIVE_INFINITY,
): Promise<readonly Instant[]> {
  const known = run.session.store.knownCreatedBetween(sourceOf(run), from, to);
  return cutIntoPieces(known, rowsOfPage(run), most);
}

/**
 * Notes the length of the longest page if all pages since a walk over all groups began were shorter than a piece should
 * be: they are cut short. Reading pieces does not show that, because each page seems to hold its whole piece.
 */
export function noteCutShort({
  session: { list },
  state: { baseline, longestPage, pageLimit },
}: TickRun): void {
  // A page that lacks only a few groups is whole: they came later.
  const isCutShort = longestPage > 0 && longestPage < rowsOfPiece(Math.min(baseline.groups, pageLimit));
  if (isCutShort) list.fullPage ??= longestPage;
}

/**
 * Whether a page is as long as pages get, and longer than its piece was made for: the piece has more rows then. Pages
 * of one row never count: they are as long as their pieces.
 */
export function isFullPage(run: TickRun, { rows }: Page): boolean {
  return rows.length >= rowsOfPage(run) && rows.length > rowsOfPiece(rowsOfPage(run));
}

/** Rows of a full page, as far as is known. */
export function rowsOfPage({ session, state }: TickRun): number {
  return Math.min(session.list.fullPage ?? state.pageLimit, state.pageLimit);
}
