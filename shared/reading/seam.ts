// R2, the seam between two pages. Rows leave a list while it is read, and all behind them move up: a page that
// starts where the last one ended then skips as many rows as have left. So each page starts a few rows earlier,
// and where it joins shows whether anything was skipped. In a stable order, rows already read must come first, in
// their old order and none of them moved back, and then only rows never read.

/** Where each row was last seen, by its identity. */
export type Places = ReadonlyMap<string, number>;

export type Seam =
  /** Nothing was skipped; `fresh` counts the never-read rows, which all stand at the page's end. */
  | { readonly verdict: 'joined'; readonly fresh: number }
  /** No row of the page is known: it lies beyond what has moved up. Ask from further back. */
  | { readonly verdict: 'apart' }
  /** The order is not stable, or rows have entered: the pass proves nothing. */
  | { readonly verdict: 'void'; readonly reason: string };

/**
 * Judges how a page joins what was read before.
 *
 * @param page identities of the page's rows, in its order
 * @param offset the place of its first row
 */
export function judgeSeam(places: Places, page: readonly string[], offset: number): Seam {
  if (new Set(page).size < page.length) return { verdict: 'void', reason: 'a row came twice in one page' };
  const firstFresh = page.findIndex((identity) => !places.has(identity));
  const known = firstFresh === -1 ? page : page.slice(0, firstFresh);
  const fresh = page.slice(known.length);
  if (fresh.some((identity) => places.has(identity))) {
    return { verdict: 'void', reason: 'a row already read came after one never read' };
  }
  if (places.size === 0) return { verdict: 'joined', fresh: fresh.length };
  if (known.length === 0) return { verdict: 'apart' };
  const oldPlaces = known.map((identity) => places.get(identity) ?? -1);
  if (oldPlaces.some((place, index) => index > 0 && place <= (oldPlaces[index - 1] ?? -1))) {
    return { verdict: 'void', reason: 'rows already read came in another order' };
  }
  if ((oldPlaces[0] ?? -1) < offset) {
    return { verdict: 'void', reason: 'a row already read moved back: others entered before it' };
  }
  return { verdict: 'joined', fresh: fresh.length };
}
