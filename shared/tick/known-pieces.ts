// The pieces of one page into which the known groups cut a list without any order (reading/pieces.ts).
import type { Instant } from '../instant.ts';
import type { Page } from '../reading/page.ts';
import { cutIntoPieces } from '../reading/pieces.ts';
import type { KnownPieces } from '../reading/walk-step.ts';
import type { TickRun } from './tick-run.ts';

/** Pieces that a walk reads before it keeps what it has: what the tick's end cuts off is read again. */
const MOST_PIECES = 5;

/** Returns where pieces lie; undefined while the list seems to keep its order. */
export function knownPieces(run: TickRun): KnownPieces | undefined {
  const { list } = run.session;
  if (!list.isUnordered) return undefined;
  return {
    cutsAfter: (from) => cutsAfter(run, from, MOST_PIECES),
    onCutShort(rows) {
      const isSmaller = rows > 0 && rows < rowsOfPage(run);
      if (isSmaller) list.fullPage = rows;
      return isSmaller;
    },
  };
}

/** Returns where pieces end, ascending, at most so many. @param from undefined for the start of all */
export function cutsAfter(
  run: TickRun,
  from: Instant = Number.NEGATIVE_INFINITY,
  most = Number.POSITIVE_INFINITY,
): Promise<readonly Instant[]> {
  const { store, settings } = run.session;
  const source = { source: settings.name, generation: run.state.generation };
  const known = store.knownCreatedBetween(source, from, Number.POSITIVE_INFINITY);
  return cutIntoPieces(known, rowsOfPage(run), most);
}

/** Whether a page is as long as pages get, so that its range may have more rows. */
export function isFullPage(run: TickRun, { rows }: Page): boolean {
  return rows.length >= rowsOfPage(run);
}

function rowsOfPage({ session, state }: TickRun): number {
  return Math.min(session.list.fullPage ?? state.pageLimit, state.pageLimit);
}
