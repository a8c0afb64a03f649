// R2, the seam between two pages. Rows leave a list while it is read, and all behind them move up: a page that
// starts where the last one ended then skips as many rows as have left. So each page starts a few rows earlier,
// and where it joins shows whether anything was skipped. In a stable order, rows already read must come first, in
// their old order and none of them moved back, and then only rows never read.
//
// Rows that have changed since they were read may stand anywhere, and rows without an id can't be told apart:
// neither speaks for or against a seam.

import type { RowReading } from '../returns-service/parse-return-group.ts';
import { nameOf, versionOf } from './page.ts';

export interface Place {
  /** Counts the rows in the order in which they were first read. */
  readonly rank: number;
  /** Where in the list it was last seen. */
  readonly place: number;
  readonly version: string;
}

/** Where each row was seen, and as what, by its name. */
export type Places = ReadonlyMap<string, Place>;

export type Seam =
  /**
   * Nothing was skipped. `fresh` counts the never-read rows, which all stand behind the known ones; `movedUp` tells
   * by how many places the last of the known ones stands before its old place, undefined where none is known.
   */
  | { readonly verdict: 'joined'; readonly fresh: number; readonly movedUp: number | undefined }
  /** No row of the page is known as it is: it may lie beyond what has moved up. Ask from further back. */
  | { readonly verdict: 'apart' }
  /** The pass proves nothing. `isShifted`: rows have entered before; the order itself may be stable. */
  | { readonly verdict: 'void'; readonly reason: string; readonly isShifted: boolean };

/**
 * Judges how a page joins what was read before.
 *
 * @param places undefined before the first page; empty where no row of those before it showed its id
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
