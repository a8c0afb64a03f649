import type { Random } from './seeded-random.ts';

/** A set of rows that returns a random row in constant time. */
export interface RowSet {
  readonly size: number;
  add(row: number): void;
  delete(row: number): void;
  /** A random row. The set must not be empty. */
  pick(random: Random): number;
}

export function createRowSet(initial: readonly number[]): RowSet {
  const rows = [...initial];
  const placeOf = new Map(rows.map((row, place) => [row, place]));
  return {
    get size() {
      return rows.length;
    },
    add(row) {
      if (placeOf.has(row)) return;
      placeOf.set(row, rows.length);
      rows.push(row);
    },
    delete(row) {
      const place = placeOf.get(row);
      if (place === undefined) return;
      const last = rows.pop() as number;
      placeOf.delete(row);
      if (last === row) return;
      rows[place] = last;
      placeOf.set(last, place);
    },
    pick: (random) => random.pick(rows),
  };
}
