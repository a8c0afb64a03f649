// How wide ranges are made: near the most pages that one may have, and still with room for a crowd.
import { NARROWEST_RANGE } from '../limits.ts';

/** Of the pages that a range may have, the share that it is made for. */
const AIMED_SHARE = 0.8;
const MAX_GROWTH = 4;

/** The width of the next range, after one of a width took so many pages. */
export function nextWidth(width: number, pages: number, maxPages: number): number {
  const growth = Math.min(MAX_GROWTH, (AIMED_SHARE * maxPages) / Math.max(pages, 1));
  return Math.max(Math.floor(width * growth), NARROWEST_RANGE);
}

/** The width to try next, after a range that had too many pages. */
export function halfWidth(width: number): number {
  return Math.max(Math.floor(width / 2), NARROWEST_RANGE);
}
