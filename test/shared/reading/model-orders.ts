// The possible orders of a list. In all but `random`, unchanged rows keep their relative order.
import type { ModelRow, RowVersion } from './model-row.ts';

export const STABLE_ORDERS = [
  'updated asc',
  'updated desc',
  'created asc',
  'created desc',
  'id asc',
  'id desc',
  /** A changed row moves to the end, as in a heap. */
  'heap',
  /** A changed row moves to any place. */
  'shuffled',
] as const;

export const ORDERS = [...STABLE_ORDERS, 'random'] as const;

export type Order = (typeof ORDERS)[number];

interface Ranked {
  readonly row: ModelRow;
  readonly version: RowVersion;
}

const KEYS: Record<Exclude<Order, 'random'>, (ranked: Ranked) => number> = {
  'updated asc': ({ version }) => version.updatedAt,
  'updated desc': ({ version }) => -version.updatedAt,
  'created asc': ({ version }) => version.createdAt,
  'created desc': ({ version }) => -version.createdAt,
  'id asc': ({ row }) => row.id,
  'id desc': ({ row }) => -row.id,
  heap: ({ version }) => version.change,
  shuffled: ({ version }) => version.luck,
};

export function compareRows(order: Exclude<Order, 'random'>): (a: Ranked, b: Ranked) => number {
  const keyOf = KEYS[order];
  return (a, b) => keyOf(a) - keyOf(b);
}
