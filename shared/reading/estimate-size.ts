// Estimates the number of groups: probes offsets, four times as far each time until a page is empty, then halves the
// interval. A dozen requests estimate a million to a tenth. The estimate only shows progress; nothing depends on it.
import type { FetchPage } from './page.ts';

const FIRST_OFFSET = 1_000;
const GROWTH = 4;
/** Requests that halve the interval after that. */
const HALVINGS = 4;
/** Four billion: no store is larger. */
const MOST = FIRST_OFFSET * GROWTH ** 11;

/** @returns the number of groups, to about a tenth; below the first offset an upper bound */
export async function estimateSize(fetch: FetchPage): Promise<number> {
  const reaches = async (offset: number) => (await fetch({ range: {}, offset, limit: 1 })).rows.length > 0;
  let low = 0;
  let high = FIRST_OFFSET;
  while (high < MOST && (await reaches(high))) {
    low = high;
    high *= GROWTH;
  }
  if (low === 0) return high;
  for (let halving = 0; halving < HALVINGS; halving += 1) {
    const middle = Math.floor((low + high) / 2);
    if (await reaches(middle)) low = middle;
    else high = middle;
  }
  return Math.floor((low + high) / 2);
}
