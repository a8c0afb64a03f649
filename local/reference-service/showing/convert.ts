// Values of other types than documented: some mean the same, others can't be read.

import type { Shown, ShownGroup } from './show-group.ts';

/** As JSON has whole numbers that a number holds exactly. */
const DIGITS = /^(0|[1-9]\d{0,14})$/;
/** Texts that are no ids or codes. */
const TEXTS = new Set(['type', 'status', 'name', 'email', 'phone', 'zip', 'note', 'path', 'answers']);

/** Writes numbers as texts, digits as numbers and empty arrays as `[null]`. */
export function convert(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.length === 0 ? [null] : value.map((each) => convert(each, name));
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return DIGITS.test(value) && !TEXTS.has(name) ? Number(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([field, each]) => [field, convert(each, field)]));
}

/** What can't be read of a broken row. */
const WAYS: readonly ((group: ShownGroup) => object)[] = [
  ({ shipments }) => ({ shipments: withFirst(shipments, { carrier: { name: 'UPS' } }) }),
  ({ returns }) => ({ returns: withFirst(returns, { quantity: 1.5 }) }),
  ({ returns }) => ({ returns: withFirst(returns, { status: undefined }) }),
  // Beyond 2^53, where JSON.parse rounds and two ids become one.
  ({ returns }) => ({ returns: withFirst(returns, { id: 9_007_199_254_740_992 }) }),
  // In another status, since an equal double can be read.
  ({ returns }) => ({
    returns: [
      ...returns,
      ...returns.slice(0, 1).map((item) => ({ ...item, status: otherThan(item.status) })),
    ],
  }),
  () => ({ exchange_line_items: {} }),
  () => ({ updated_at: 'yesterday' }),
  () => ({ order: 'none' }),
];

/** For each group always in the same way. */
export function breakRow(group: ShownGroup, turn: number): Shown {
  const way = WAYS[turn % WAYS.length] as (typeof WAYS)[number];
  return { ...group, ...way(group) };
}

function withFirst(entities: readonly Shown[] | null | undefined, change: Shown): Shown[] {
  return (entities ?? []).map((entity, place) => (place === 0 ? { ...entity, ...change } : entity));
}

function otherThan(status: unknown): string {
  return status === 'CANCELED' ? 'OPEN' : 'CANCELED';
}
