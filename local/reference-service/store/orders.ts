// The orders that a list may come in. Each but `random` and the ids is kept as an index of its own, made when a
// request first needs it.

import type { Columns } from './columns.ts';
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

/** What rows can be sorted by. */
export type SortKey = 'updated_at' | 'created_at' | 'id' | 'heap' | 'shuffled';

export function sortOf(order: Order): { key: SortKey; isDescending: boolean } {
  switch (order) {
    case 'heap':
    case 'shuffled':
      return { key: order, isDescending: false };
    case 'random':
      return { key: 'id', isDescending: false };
    default: {
      const [key, direction] = order.split(':') as ['updated_at' | 'created_at' | 'id', 'asc' | 'desc'];
      return { key, isDescending: direction === 'desc' };
    }
  }
}

/** Where rows stand that have no order of their own: a place that changes with each change of the row. */
export interface Places {
  of(row: number): number;
  /** To be called after the row was taken out of the index and before it is put back. */
  move(row: number): void;
}

/** `heap`: the place is the end, as in a table without an order. `shuffled`: the place is anywhere. */
export function createPlaces(key: 'heap' | 'shuffled', columns: Columns, seed: number): Places {
  const moved = new Map<number, number>();
  let moves = columns.rows;
  const original = (row: number) => (key === 'heap' ? row : mix(seed, row, 21));
  return {
    of: (row) => moved.get(row) ?? original(row),
    move: (row) => {
      moves += 1;
      moved.set(row, key === 'heap' ? moves : mix(seed, moves, 22));
    },
  };
}
