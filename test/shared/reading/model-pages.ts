// How a list may be cut into pages: by a limit that is clamped without a word, by one that changes, by bytes.
import type { SeededRandom } from '../../fakes/seeded-random.ts';

export interface PagePolicy {
  /** Most rows of a page: the first applies to the first request, the second from its number on, and so on. */
  readonly limits: readonly { readonly fromRequest: number; readonly rows: number }[];
  /** A page ends before it grows beyond so many bytes, but holds at least one row. */
  readonly bytes: number;
  /** Pages end where they please: anything from one row to the limit. */
  readonly isWhimsical?: boolean;
}

export const UNCUT_PAGES: PagePolicy = { limits: [], bytes: Number.POSITIVE_INFINITY };

export function clampedTo(rows: number): PagePolicy {
  return { ...UNCUT_PAGES, limits: [{ fromRequest: 0, rows }] };
}

export function createCutter(policy: PagePolicy, random: SeededRandom) {
  let requests = 0;
  return function cut<Row extends { readonly row: { readonly bytes: number } }>(
    matches: readonly Row[],
    offset: number,
    asked = 200,
  ): readonly Row[] {
    const most = policy.limits.findLast(({ fromRequest }) => fromRequest <= requests)?.rows ?? asked;
    requests += 1;
    const whim = policy.isWhimsical === true ? 1 + random.upTo(most - 1) : most;
    const page = matches.slice(offset, offset + Math.min(asked, whim));
    let bytes = 0;
    const end = page.findIndex(({ row }, index) => {
      bytes += row.bytes;
      return index > 0 && bytes > policy.bytes;
    });
    return end === -1 ? page : page.slice(0, end);
  };
}
