// The possible ways to cut a list into pages: by a silently clamped limit, by a limit that changes, by bytes.
import type { SeededRandom } from '../../fakes/seeded-random.ts';

export interface PagePolicy {
  /** The maximum of rows in a page, from the request with this number on. */
  readonly limits: readonly { readonly fromRequest: number; readonly rows: number }[];
  /** The maximum of bytes in a page, which has at least one row. */
  readonly bytes: number;
  /** Pages have a random number of rows, from one to the limit. */
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
    limit = 200,
  ): readonly Row[] {
    const most = policy.limits.findLast(({ fromRequest }) => fromRequest <= requests)?.rows ?? limit;
    requests += 1;
    const whim = policy.isWhimsical === true ? 1 + random.upTo(most - 1) : most;
    const page = matches.slice(offset, offset + Math.min(limit, whim));
    let bytes = 0;
    const end = page.findIndex(({ row }, index) => {
      bytes += row.bytes;
      return index > 0 && bytes > policy.bytes;
    });
    return end === -1 ? page : page.slice(0, end);
  };
}
