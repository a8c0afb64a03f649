// Makes one group of its copies in an answer. A list that joins its groups with their shipments shows a group once per
// shipment: each time whole, or each time with one of them. What any copy shows is there. Copies must agree on watched
// fields; of their other fields, the first copy's are taken.
import { WATCHED_FIELDS, type WatchedKind } from '../contract/watched-fields.ts';
import type { Lenient } from './read-context.ts';
import type { ReturnGroup } from './read-row.ts';

type Entities = Lenient<{ readonly id: number | string }[]>;
type Refunds = ReturnGroup['refund_transactions'];

/** The group, or the first of its lists that shows one entity with different values; itself if its own differ. */
export type UnitedGroup =
  | { readonly group: ReturnGroup }
  | { readonly contradictory: 'return_group' | 'shipments' | 'returns' | 'exchange_line_items' };

/** @param copies of one group, with the same stamps; one alone may show an entity several times */
export function uniteGroups(copies: readonly [ReturnGroup, ...ReturnGroup[]]): UnitedGroup {
  const [first] = copies;
  if (!copies.every((copy) => agree('return_group', first, copy))) return { contradictory: 'return_group' };
  const shipments = uniteEntities(
    'shipment',
    copies.map((copy) => copy.shipments),
  );
  if (shipments === 'contradictory') return { contradictory: 'shipments' };
  const returns = uniteEntities(
    'return_line_item',
    copies.map((copy) => copy.returns),
  );
  if (returns === 'contradictory') return { contradictory: 'returns' };
  const exchanges = uniteEntities(
    'exchange_line_item',
    copies.map((copy) => copy.exchange_line_items),
  );
  if (exchanges === 'contradictory') return { contradictory: 'exchange_line_items' };
  const refunds = uniteRefunds(copies.map((copy) => copy.refund_transactions));
  const lists = { shipments, returns, exchange_line_items: exchanges, refund_transactions: refunds };
  return { group: { ...first, ...lists } };
}

/** Each entity once. A list that is absent or null says nothing, so one that is shown counts. */
function uniteEntities<List extends Entities>(
  kind: WatchedKind,
  lists: readonly List[],
): List | 'contradictory' {
  const shown = lists.filter(isShown);
  if (shown.length === 0) return lists[0] as List;
  const byId = new Map<number | string, NonNullable<List>[number]>();
  for (const entity of shown.flat()) {
    const known = byId.get(entity.id);
    if (known === undefined) byId.set(entity.id, entity);
    else if (!agree(kind, known, entity)) return 'contradictory';
  }
  return [...byId.values()] as List;
}

/**
 * Refunds have no id of the service's own, and two may be equal: so each counts as often as the copy that shows it most
 * often does.
 */
function uniteRefunds(lists: readonly Refunds[]): Refunds {
  const shown = lists.filter(isShown);
  if (shown.length === 0) return lists[0];
  const most = new Map<string, NonNullable<Refunds>>();
  for (const list of shown) {
    const counts = new Map<string, number>();
    for (const refund of list) {
      const key = spell(refund);
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      const known = most.get(key);
      if (known === undefined) most.set(key, [refund]);
      else if (count > known.length) known.push(refund);
    }
  }
  return [...most.values()].flat();
}

function isShown<List>(list: List): list is NonNullable<List> {
  return list !== null && list !== undefined;
}

function agree<Copy extends object>(kind: WatchedKind, one: Copy, other: Copy): boolean {
  const [first, second] = [one, other] as Readonly<Record<string, unknown>>[];
  return WATCHED_FIELDS[kind].every((field) => spell(first?.[field]) === spell(second?.[field]));
}

/** Absent, null and an empty list are the same, and lists mean the same in every order, as in a projection. */
function spell(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'null' : JSON.stringify([...value].sort());
  return JSON.stringify(value ?? null, (_, inner: unknown) => inner ?? null);
}
