// The data that queries need of every group without making it: its stamps and whether it exists. Typed arrays by row: a
// million groups take about forty megabytes.

import type { Instant } from '../../../shared/instant.ts';

interface RowStamps {
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly shippedAt: readonly Instant[];
}

export interface Columns {
  /** All rows ever used, including removed groups. */
  readonly rows: number;
  readonly createdAt: Float64Array;
  readonly updatedAt: Float64Array;
  /** First and last `shipped_at` of the group's shipments; NaN if nothing was shipped. */
  readonly firstShippedAt: Float64Array;
  readonly lastShippedAt: Float64Array;
  /** 1 for existing groups. */
  readonly isPresent: Uint8Array;
  put(row: number, stamps: RowStamps): void;
  remove(row: number): void;
  presentRows(): Uint32Array;
  copy(): Columns;
}

interface Arrays {
  readonly createdAt: Float64Array;
  readonly updatedAt: Float64Array;
  readonly firstShippedAt: Float64Array;
  readonly lastShippedAt: Float64Array;
  readonly isPresent: Uint8Array;
}

export function createColumns(capacity: number): Columns {
  return columnsOver(
    {
      createdAt: new Float64Array(capacity),
      updatedAt: new Float64Array(capacity),
      firstShippedAt: new Float64Array(capacity).fill(Number.NaN),
      lastShippedAt: new Float64Array(capacity).fill(Number.NaN),
      isPresent: new Uint8Array(capacity),
    },
    0,
  );
}

function columnsOver(initial: Arrays, used: number): Columns {
  let arrays = initial;
  let rows = used;
  return {
    get rows() {
      return rows;
    },
    get createdAt() {
      return arrays.createdAt;
    },
    get updatedAt() {
      return arrays.updatedAt;
    },
    get firstShippedAt() {
      return arrays.firstShippedAt;
    },
    get lastShippedAt() {
      return arrays.lastShippedAt;
    },
    get isPresent() {
      return arrays.isPresent;
    },
    put(row, stamps) {
      if (row >= arrays.isPresent.length) arrays = resized(arrays, Math.ceil(row * 1.5) + 64);
      rows = Math.max(rows, row + 1);
      arrays.isPresent[row] = 1;
      arrays.createdAt[row] = stamps.createdAt;
      arrays.updatedAt[row] = stamps.updatedAt;
      const { shippedAt } = stamps;
      arrays.firstShippedAt[row] = shippedAt.length === 0 ? Number.NaN : Math.min(...shippedAt);
      arrays.lastShippedAt[row] = shippedAt.length === 0 ? Number.NaN : Math.max(...shippedAt);
    },
    remove(row) {
      if (row < arrays.isPresent.length) arrays.isPresent[row] = 0;
    },
    presentRows() {
      const present = new Uint32Array(rows);
      let count = 0;
      for (let row = 0; row < rows; row += 1) {
        if (arrays.isPresent[row] === 1) {
          present[count] = row;
          count += 1;
        }
      }
      return present.slice(0, count);
    },
    copy: () => columnsOver(resized(arrays, arrays.isPresent.length), rows),
  };
}

function resized(arrays: Arrays, capacity: number): Arrays {
  const floats = (old: Float64Array) => {
    const fresh = new Float64Array(capacity).fill(Number.NaN);
    fresh.set(old);
    return fresh;
  };
  const isPresent = new Uint8Array(capacity);
  isPresent.set(arrays.isPresent);
  return {
    createdAt: floats(arrays.createdAt),
    updatedAt: floats(arrays.updatedAt),
    firstShippedAt: floats(arrays.firstShippedAt),
    lastShippedAt: floats(arrays.lastShippedAt),
    isPresent,
  };
}
