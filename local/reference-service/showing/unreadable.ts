// Makes groups unreadable in one of several ways. A group is always unreadable in the same way.

import type { Shown, ShownGroup } from './show-group.ts';

const REFUND_IN_WORDS = {
  platform_id: null,
  amount: { shop_money: { amount: '12.00', currency_code: 'USD' }, presentment_money: null },
  gateway: null,
};

const WAYS = {
  'no-object': () => 'return group unavailable',
  'no-id': ({ id: _id, ...rest }) => rest,
  'null-row': () => null,
  'empty-object': () => ({}),
  'null-id': (group) => ({ ...group, id: null }),
  // The id itself, as a text.
  'id-quoted': (group) => ({ ...group, id: String(group.id) }),
  'id-beyond-integers': (group) => ({ ...group, id: 9_007_199_254_740_992 + 2 * Number(group.id) }),
  'id-as-text': (group) => ({ ...group, id: `RG-${String(group.id)}` }),
  // Beyond 2^53, where JSON.parse rounds and two ids become one.
  'huge-id': (group) => ({ ...group, returns: changedFirst(group.returns, { id: 9_007_199_254_740_992 }) }),
  'doubled-ids': (group) => ({
    ...group,
    returns: [
      ...group.returns,
      ...group.returns.slice(0, 1).map((item) => ({ ...item, status: 'CANCELED' })),
    ],
  }),
  'no-status': (group) => ({ ...group, returns: changedFirst(group.returns, { status: undefined }) }),
  'status-as-number': (group) => ({ ...group, returns: changedFirst(group.returns, { status: 3 }) }),
  'bad-stamp': (group) => ({ ...group, updated_at: 'yesterday' }),
  'money-as-text': (group) => ({ ...group, refund_transactions: [REFUND_IN_WORDS] }),
} satisfies Record<string, (group: ShownGroup) => unknown>;

type Way = keyof typeof WAYS;

export const UNREADABLE_WAYS = Object.keys(WAYS) as readonly Way[];

/** An unreadable row of the group. @param turn see {@link wayOf} */
export function makeUnreadable(group: ShownGroup, way: Way | 'mixed', turn: number): unknown {
  return WAYS[wayOf(way, turn)](group);
}

/** The way for a group. @param turn selects the way for `mixed` */
export function wayOf(way: Way | 'mixed', turn: number): Way {
  return way === 'mixed' ? (UNREADABLE_WAYS[turn % UNREADABLE_WAYS.length] ?? 'no-object') : way;
}

function changedFirst(entities: readonly Shown[], change: Shown): Shown[] {
  return entities.map((entity, place) => (place === 0 ? { ...entity, ...change } : entity));
}
