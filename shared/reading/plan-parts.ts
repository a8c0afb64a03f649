// How a poll is divided before anything is asked: a full answer costs a request. Its parts are intervals of `created_at`,
// which do not overlap by their widened bounds as short intervals of `updated_at` would, and which no change moves a row
// out of. They hold about as many rows each, if the poll shows about the same groups as the last one.
import { type Instant, SECOND } from '../instant.ts';
import type { Range } from './range.ts';

const MOST_PARTS = 24;
/** Cuts nearer to each other than this do not divide. */
const APART = 4 * SECOND;

/**
 * Returns where the next poll is cut.
 *
 * @param created when the groups of the last one were created
 * @param rows that a part should have
 */
export function planCuts(created: Iterable<Instant>, rows: number): Instant[] {
  const sorted = Array.from(created).sort((a, b) => a - b);
  const parts = Math.min(MOST_PARTS, Math.ceil(sorted.length / rows));
  const cuts: Instant[] = [];
  for (let part = 1; part < parts; part += 1) {
    const cut = sorted[Math.floor((sorted.length * part) / parts)] ?? 0;
    if (cut - (cuts.at(-1) ?? Number.NEGATIVE_INFINITY) >= APART) cuts.push(cut);
  }
  return cuts;
}

/** Returns the parts of a range of updates. */
export function cutAt(range: Range, cuts: readonly Instant[]): Range[] {
  if (cuts.length === 0) return [range];
  return [undefined, ...cuts].map((from, index) => ({ ...range, cross: { from, to: cuts[index] } }));
}
