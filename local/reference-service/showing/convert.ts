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

const NO_ORDER = { order: 'none' };

/** Ways in which a part of a row can't be read. */
const WAYS: readonly ((group: ShownGroup) => object)[] = [
  (group) => withFirst('shipments', group, { carrier: { name: 'UPS' } }),
  (group) => withFirst('returns', group, { quantity: 1.5 }),
  (group) => withFirst('returns', group, { status: undefined }),
  // Beyond 2^53, where JSON.parse rounds and two ids become one.
  (group) => withFirst('returns', group, { id: 9_007_199_254_740_992 }),
  ({ returns }) => {
    const [first] = returns ?? [];
    // In another status, since an equal double can be read.
    return first === undefined
      ? NO_ORDER
      : { returns: [...returns, { ...first, status: otherThan(first.status) }] };
  },
  () => ({ exchange_line_items: {} }),
  () => ({ updated_at: 'yesterday' }),
  () => NO_ORDER,
];

/** For each group always in the same way. */
export function breakRow(group: ShownGroup, turn: number): Shown {
  const way = WAYS[turn % WAYS.length] as (typeof WAYS)[number];
  return { ...group, ...way(group) };
}

/** The list with its first entity changed; another field of the group is broken where there is none. */
function withFirst(name: 'returns' | 'shipments', group: ShownGroup, change: Shown): object {
  const [first, ...others] = group[name] ?? [];
  return first === undefined ? NO_ORDER : { [name]: [{ ...first, ...change }, ...others] };
}

function otherThan(status: unknown): string {
  return status === 'CANCELED' ? 'OPEN' : 'CANCELED';
}
