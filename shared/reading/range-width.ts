// The width of ranges: close to the most pages that one may have, with room for more rows than expected.
import { NARROWEST_RANGE } from '../limits.ts';

/** The share of the allowed pages that a poll's range is made for: the density of updates changes fast. */
const POLLED_SHARE = 0.8;
const MAX_GROWTH = 4;

/** The width of the next range, after one of this width took this many pages. */
export function nextWidth(width: number, pages: number, maxPages: number): number {
  const growth = Math.min(MAX_GROWTH, (POLLED_SHARE * maxPages) / Math.max(pages, 1));
  return Math.max(Math.floor(width * growth), NARROWEST_RANGE);
}

/** The width to try next, after a range that had too many pages; never a larger one. */
export function halfWidth(width: number): number {
  return Math.min(width, Math.max(Math.floor(width / 2), NARROWEST_RANGE));
}
