// Reads a model list, and computes the rows that reading must have shown: those that stayed in the range, unchanged,
// from before the first request to after the last.
import type { Instant } from '../../../shared/instant.ts';
import type { Interval, Page, Range } from '../../../shared/reading/page.ts';
import type { Reader } from '../../../shared/reading/reader.ts';
import type { ModelList } from './model-list.ts';
import type { ModelRow, RowVersion } from './model-row.ts';

export interface Witness {
  readonly reader: Reader;
  readonly seen: ReadonlySet<ModelRow>;
  /** Rows of a range that stayed since the witness was created, and were not seen. */
  missedOf(range: Range): number[];
}

export function createWitness(
  list: ModelList,
  { maxPages = 50, trustsShortPages = false }: Partial<Pick<Reader, 'maxPages' | 'trustsShortPages'>> = {},
): Witness {
  const before = new Map<ModelRow, RowVersion>();
  for (const row of list.rows) {
    const version = list.current(row);
    if (version !== undefined) before.set(row, version);
  }
  const seen = new Set<ModelRow>();
  return {
    seen,
    reader: {
      maxPages,
      trustsShortPages,
      fetch: list.fetch,
      take: async ({ rows }: Page) => {
        for (const reading of rows) {
          const row = list.rowOf(reading);
          if (row !== undefined) seen.add(row);
        }
      },
    },
    missedOf: (range) =>
      list.rows
        .filter((row) => !seen.has(row))
        .filter((row) => {
          const version = before.get(row);
          return version !== undefined && version === row.versions.at(-1) && isInRange(version, range);
        })
        .map(({ id }) => id),
  };
}

export function isInRange({ createdAt, updatedAt }: RowVersion, range: Range): boolean {
  return isInInterval(updatedAt, range.updated) && isInInterval(createdAt, range.created);
}

function isInInterval(instant: Instant, interval: Interval | undefined): boolean {
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = interval ?? {};
  return instant >= from && instant < to;
}
