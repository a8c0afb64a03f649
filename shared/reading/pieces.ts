// Where to cut a store's groups, by creation, into pieces of one page each. A group's creation does not change, so the
// groups known so far show it before any request. A list without any order is read in such pieces, each with one
// request, and proved in such pieces, each with three.
import type { Instant } from '../instant.ts';
import type { KnownGroup } from '../ports.ts';

/** The share of a page that is used: the rest is for neighbours at the bounds, and for groups not known yet. */
const USED_SHARE = 0.9;

/**
 * Returns the instants at which a new piece begins, ascending; the last piece has no end.
 *
 * @param known ascending by creation
 * @param pageRows rows of a full page
 * @param most the most instants to return
 */
export async function cutIntoPieces(
  known: AsyncIterable<Pick<KnownGroup, 'createdAt'>>,
  pageRows: number,
  most: number,
): Promise<readonly Instant[]> {
  const rows = rowsOfPiece(pageRows);
  const cuts: Instant[] = [];
  let inPiece = 0;
  let last = Number.NEGATIVE_INFINITY;
  for await (const { createdAt } of known) {
    if (inPiece >= rows && createdAt > last) {
      cuts.push(createdAt);
      inPiece = 0;
      if (cuts.length === most) break;
    }
    inPiece += 1;
    last = createdAt;
  }
  return cuts;
}

/** How many known groups a piece has, at least. */
export function rowsOfPiece(pageRows: number): number {
  return Math.max(1, Math.floor(pageRows * USED_SHARE));
}
