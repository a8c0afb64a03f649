// R2, the seam between two pages. Rows leave a list while it is read, and all rows behind them move up: a page that
// starts where the last one ended then skips as many rows as have left. So each page starts a few rows earlier, and the
// overlap shows whether anything was skipped. In a stable order, rows already read must come first, in their old order
// and none of them moved back, and then only rows never read. Rows that have changed since they were read may be
// anywhere, and rows without an id can't be distinguished: neither proves anything about a seam.

import type { RowReading } from '../returns-service/parse-return-group.ts';
import { nameOf, versionOf } from './page.ts';

export interface Place {
  /** The row's number in the order of first reading. */
  readonly rank: number;
  /** Its last seen place in the list. */
  readonly place: number;
  readonly version: string;
}

/** Each row's place and version, by its name. */
export type Places = ReadonlyMap<string, Place>;

export type Seam =
  /**
   * Nothing was skipped. `fresh` counts the rows never read, all of which follow the known ones. `movedUp` is how many
   * places the last known row is before its old place; undefined if none is known.
   */
  | { readonly verdict: 'joined'; readonly fresh: number; readonly movedUp: number | undefined }
  /** No row of the page is known unchanged: the page may lie beyond rows that moved up. Read from further back. */
  | { readonly verdict: 'apart' }
  /** The pass proves nothing. `isShifted`: rows have entered before; the order itself may be stable. */
  | { readonly verdict: 'void'; readonly reason: string; readonly isShifted: boolean };

/**
 * Judges how a page joins the rows read before.
 *
 * @param places undefined before the first page; empty if no row before it showed its id
 * @param offset the place of the page's first row
 */
export function judgeSeam(places: Places | undefined, page: readonly RowReading[], offset: number): Seam {
  const names = new Set<string>();
  let fresh = 0;
  let last: { readonly rank: number; readonly movedUp: number } | undefined;
  for (const [index, row] of page.entries()) {
    const name = nameOf(row);
    if (name === undefined) continue;
    if (names.has(name)) return disorder('a row came twice in one page');
    names.add(name);
    const known = places?.get(name);
    if (known === undefined) {
      fresh += 1;
    } else if (known.version === versionOf(row)) {
      if (fresh > 0) return disorder('a row already read came after one never read');
      if (last !== undefined && known.rank <= last.rank) {
        return disorder('rows already read came in another order');
      }
      last = { rank: known.rank, movedUp: known.place - (offset + index) };
      if (last.movedUp < 0) return SHIFTED;
    }
  }
  if (last === undefined && places !== undefined) return { verdict: 'apart' };
  return { verdict: 'joined', fresh, movedUp: last?.movedUp };
}

const SHIFTED: Seam = {
  verdict: 'void',
  reason: 'a row already read moved back: others entered before it',
  isShifted: true,
};

function disorder(reason: string): Seam {
  return { verdict: 'void', reason, isShifted: false };
}
