// The possible orders of a list. Each sort key has an index, made when a request first needs it.

import { mix } from './seeded-random.ts';

export const ORDERS = [
  'updated_at:desc',
  'updated_at:asc',
  'created_at:desc',
  'created_at:asc',
  'id:desc',
  'id:asc',
  'heap',
  'shuffled',
  'random',
] as const;

export type Order = (typeof ORDERS)[number];

/** The keys that rows can be sorted by. */
export type SortKey = 'updated_at' | 'created_at' | 'id' | 'heap' | 'shuffled';

export function sortOf(order: Order): { key: SortKey; isDescending: boolean } {
  const [key, direction] = order.split(':') as [SortKey | 'random', 'asc' | 'desc' | undefined];
  return { key: key === 'random' ? 'id' : key, isDescending: direction === 'desc' };
}

/** The keys of all rows. */
export interface Keys {
  of(row: number): number;
  /** Gives a changed row another key. Call this while no index has the row. */
  move?(row: number): void;
}

/** `heap` moves a row to the end, as in a table without an order; `shuffled` to a random place. */
export function createPlaces(key: 'heap' | 'shuffled', rows: number, seed: number): Keys {
  const moved = new Map<number, number>();
  let moves = rows;
  const original = (row: number) => (key === 'heap' ? row : mix(seed, row, 21));
  return {
    of: (row) => moved.get(row) ?? original(row),
    move: (row) => {
      moves += 1;
      moved.set(row, key === 'heap' ? moves : mix(seed, moves, 22));
    },
  };
}
