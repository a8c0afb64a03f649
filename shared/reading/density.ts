// How densely groups were created lately; sets the width of a walk's next range.
import type { Instant } from '../instant.ts';
import { stampsOf } from './cut-range.ts';
import type { Page } from './page.ts';
import type { Reader } from './reader.ts';

/** The fewest rows that show a density. */
const FEWEST = 10;

export interface Density {
  /** The same reader, which also counts the rows it passes on. */
  watch(reader: Reader): Reader;
  /**
   * How long it took, at the end of an interval, to create this many pages of rows, in the unit of Instant.
   *
   * @param mostRows upper bound of the rows in these pages together
   * @returns undefined if too few rows were seen
   */
  timeOf(
    pages: number,
    interval: { readonly from: Instant; readonly to: Instant },
    mostRows?: number,
  ): number | undefined;
}

export function createDensity(): Density {
  const created: Instant[] = [];
  let largestPage = 0;

  function note({ rows }: Page): void {
    largestPage = Math.max(largestPage, rows.length);
    for (const { createdAt } of stampsOf(rows)) created.push(createdAt);
  }

  return {
    watch(reader) {
      return {
        ...reader,
        take(page) {
          note(page);
          return reader.take(page);
        },
      };
    },
    timeOf(pages, { from, to }, mostRows = Number.POSITIVE_INFINITY) {
      const within = created.filter((instant) => instant >= from && instant < to).sort((a, b) => a - b);
      // Only the last quarter: stores grow, and the first range begins long before the first group.
      const first = Math.floor((within.length * 3) / 4);
      const start = within[first] ?? to;
      if (within.length < FEWEST) return undefined;
      return ((to - start) * Math.min(pages * largestPage, mostRows)) / (within.length - first);
    },
  };
}
