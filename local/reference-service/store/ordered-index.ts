// Rows in the order of a key, for offset paging. A sorted array: a page is a slice of it, and a change moves one row.
// Among a million rows a move copies a few megabytes, which takes less than a millisecond.

export interface OrderedIndex {
  readonly size: number;
  readonly keyOf: (row: number) => number;
  /** Adds a row at the place of its present key. The row must not be in the index. */
  add(row: number): void;
  /** Removes a row. Its key must not have changed since it was added. */
  delete(row: number): void;
  /** The number of rows with a smaller key. */
  countBelow(key: number): number;
  /** Rows of the ranks [from, to), ascending. */
  slice(from: number, to: number): number[];
}

/** @param keyOf the key of a row; rows with equal keys are ordered by their numbers */
export function createOrderedIndex(keyOf: (row: number) => number, rows: readonly number[]): OrderedIndex {
  const sorted = rows.toSorted((one, other) => keyOf(one) - keyOf(other) || one - other);

  /** The number of rows before (key, row). */
  const countBefore = (key: number, row: number): number => {
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = sorted[middle] as number;
      const otherKey = keyOf(other);
      if (otherKey < key || (otherKey === key && other < row)) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  return {
    keyOf,
    get size() {
      return sorted.length;
    },
    add(row) {
      sorted.splice(countBefore(keyOf(row), row), 0, row);
    },
    delete(row) {
      const rank = countBefore(keyOf(row), row);
      if (sorted[rank] !== row) throw new Error(`row ${row} is not at the place of its key`);
      sorted.splice(rank, 1);
    },
    countBelow: (key) => countBefore(key, -1),
    slice: (from, to) => sorted.slice(from, to),
  };
}
