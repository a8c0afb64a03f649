// Rows in the order of a key, for offset paging: among a million rows that come, go and move, both the n-th row and the
// rank of a key are found in microseconds. It consists of sorted blocks of a few hundred rows: plain arrays are faster
// here than any tree.

export interface OrderedIndex {
  readonly size: number;
  /** Adds a row at the place of its present key. The row must not be in the index. */
  add(row: number): void;
  /** Removes a row. Its key must not have changed since it was added. */
  delete(row: number): void;
  /** The number of rows with a smaller key. */
  countBelow(key: number): number;
  /** Rows of the ranks [from, to), ascending. */
  slice(from: number, to: number): number[];
  /** Visits the rows of the ranks [from, to), ascending or descending, until a visit returns true. */
  find(from: number, to: number, isDescending: boolean, visit: (row: number) => boolean): void;
}

const BLOCK = 512;

/**
 * @param keyOf the key of a row; rows with equal keys are ordered by their numbers
 * @param rows the initial rows, ascending
 */
export function createOrderedIndex(keyOf: (row: number) => number, rows: Uint32Array): OrderedIndex {
  const blocks = toBlocks(sortedByKey(rows, keyOf));
  let size = rows.length;

  const isBefore = (row: number, key: number, other: number) => {
    const own = keyOf(row);
    return own < key || (own === key && row < other);
  };

  /** The last block whose first row is before (key, row), or the first block. */
  const blockFor = (key: number, row: number): number => {
    let low = 0;
    let high = blocks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      const first = blocks[middle]?.[0];
      if (first !== undefined && isBefore(first, key, row)) low = middle;
      else high = middle - 1;
    }
    return low;
  };

  const placeIn = (block: readonly number[], key: number, row: number): number => {
    let low = 0;
    let high = block.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBefore(block[middle] as number, key, row)) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  const locate = (rank: number): { block: number; place: number } => {
    let place = rank;
    for (let block = 0; block < blocks.length; block += 1) {
      const length = blocks[block]?.length ?? 0;
      if (place < length) return { block, place };
      place -= length;
    }
    return { block: blocks.length, place: 0 };
  };

  const slice = (from: number, to: number): number[] => {
    const rows: number[] = [];
    let { block, place } = locate(Math.max(0, from));
    for (let left = Math.min(to, size) - Math.max(0, from); left > 0; block += 1) {
      const part = blocks[block]?.slice(place, place + left) ?? [];
      for (const row of part) rows.push(row);
      left -= part.length;
      place = 0;
    }
    return rows;
  };

  return {
    get size() {
      return size;
    },
    add(row) {
      const key = keyOf(row);
      const at = blockFor(key, row);
      const block = blocks[at] as number[];
      block.splice(placeIn(block, key, row), 0, row);
      size += 1;
      if (block.length > 2 * BLOCK) blocks.splice(at + 1, 0, block.splice(BLOCK));
    },
    delete(row) {
      const key = keyOf(row);
      // The row is at the place found, or first in the next block.
      let at = blockFor(key, row);
      let place = placeIn(blocks[at] as number[], key, row);
      if (place === blocks[at]?.length) {
        at += 1;
        place = 0;
      }
      if (blocks[at]?.[place] !== row) throw new Error(`row ${row} is not at the place of its key`);
      blocks[at]?.splice(place, 1);
      size -= 1;
      if (blocks[at]?.length === 0 && blocks.length > 1) blocks.splice(at, 1);
    },
    countBelow(key) {
      const at = blockFor(key, -1);
      let count = placeIn(blocks[at] as number[], key, -1);
      for (let block = 0; block < at; block += 1) count += blocks[block]?.length ?? 0;
      return count;
    },
    slice,
    find(from, to, isDescending, visit) {
      const step = isDescending ? -1 : 1;
      let { block, place } = locate(isDescending ? Math.min(to, size) - 1 : from);
      let current = blocks[block] ?? [];
      for (let left = Math.min(to, size) - from; left > 0; left -= 1) {
        while (place < 0 || place >= current.length) {
          block += step;
          current = blocks[block] ?? [];
          place = isDescending ? current.length - 1 : 0;
        }
        if (visit(current[place] as number)) return;
        place += step;
      }
    },
  };
}

function sortedByKey(rows: Uint32Array, keyOf: (row: number) => number): Uint32Array {
  const keys = new Float64Array((rows.at(-1) ?? 0) + 1);
  let isSorted = true;
  let previous = Number.NEGATIVE_INFINITY;
  for (const row of rows) {
    const key = keyOf(row);
    keys[row] = key;
    isSorted &&= key >= previous;
    previous = key;
  }
  if (isSorted) return rows;
  return rows.slice().sort((one, other) => (keys[one] as number) - (keys[other] as number) || one - other);
}

function toBlocks(sorted: Uint32Array): number[][] {
  const blocks: number[][] = [];
  for (let start = 0; start < sorted.length; start += BLOCK) {
    blocks.push(Array.from(sorted.subarray(start, start + BLOCK)));
  }
  return blocks.length === 0 ? [[]] : blocks;
}
