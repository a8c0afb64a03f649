// Makes one group of its copies in an answer. A list that joins its groups with their shipments shows a group once per
// shipment: each time whole, or each time with one of them. What any copy shows is there. Copies must agree on watched
// fields; of their other fields, the first copy's are taken. An entity whose copies disagree can't be read.
import { WATCHED_FIELDS, type WatchedKind } from '../contract/watched-fields.ts';
import { type Fault, type Lenient, shown, UNREADABLE } from './field-kinds.ts';
import type { ReturnGroup } from './read-row.ts';

type Refunds = ReturnGroup['refund_transactions'];
type Entity = { readonly id: number | string };
type Shown = Entity | false;

/**
 * @param copies of one group, with the same stamps; one alone may show an entity several times
 * @param faults where an entity that is shown with different values is noted
 * @returns undefined if the copies disagree on fields of the group itself
 */
export function uniteGroups(
  copies: readonly [ReturnGroup, ...ReturnGroup[]],
  faults: Fault[],
): ReturnGroup | undefined {
  const [first] = copies;
  const { shipments, returns, exchange_line_items } = first;
  const isPlain = copies.length === 1 && ![shipments, returns, exchange_line_items].some(hasDoubledId);
  if (isPlain) return first;
  if (!copies.every((copy) => agree('return_group', first, copy))) return undefined;
  const unite = <List>(kind: WatchedKind, listOf: (group: ReturnGroup) => List) =>
    uniteEntities(kind, copies.map(listOf), faults);
  return {
    ...first,
    shipments: unite('shipment', ({ shipments }) => shipments),
    returns: unite('return_line_item', ({ returns }) => returns),
    exchange_line_items: unite('exchange_line_item', (group) => group.exchange_line_items),
    refund_transactions: uniteRefunds(copies.map((copy) => copy.refund_transactions)),
  };
}

/** Each entity once. A list that is absent or can't be read says nothing, so one that is shown counts. */
function uniteEntities<List>(kind: WatchedKind, lists: readonly List[], faults: Fault[]): List {
  const all = lists.filter(shown) as readonly (readonly Shown[])[];
  if (all.length === 0) return lists[0] as List;
  const byId = new Map<number | string, Shown>();
  // A list that can't be read may hold what the others lack.
  const others: Shown[] = lists.includes(UNREADABLE as List) ? [UNREADABLE] : [];
  for (const entity of all.flat()) {
    if (entity === UNREADABLE) {
      others.push(entity);
      continue;
    }
    const known = byId.get(entity.id);
    if (known === undefined) byId.set(entity.id, entity);
    else if (known !== UNREADABLE && !agree(kind, known, entity)) {
      byId.set(entity.id, UNREADABLE);
      faults.push({ field: `${kind}.id`, shape: 'is shown with different values' });
    }
  }
  return [...byId.values(), ...others] as List;
}

function hasDoubledId(list: Lenient<readonly Shown[]>): boolean {
  if (!shown(list) || list.length < 2) return false;
  const named = list.filter((entity) => entity !== UNREADABLE);
  return new Set(named.map((entity) => entity.id)).size < named.length;
}

/**
 * Refunds have no id of the service's own, and two may be equal: so each counts as often as the copy that shows it most
 * often does.
 */
function uniteRefunds(lists: readonly Refunds[]): Refunds {
  const all = lists.filter(shown);
  if (all.length < 2) return all[0] ?? lists[0];
  const most = new Map<string, NonNullable<(typeof all)[number]>>();
  for (const list of all) {
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

function agree<Copy extends object>(kind: WatchedKind, one: Copy, other: Copy): boolean {
  const [first, second] = [one, other] as Readonly<Record<string, unknown>>[];
  return WATCHED_FIELDS[kind].every((field) => spell(first?.[field]) === spell(second?.[field]));
}

/** Absent, null and an empty list are the same, and lists mean the same in every order, as in a projection. */
function spell(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'null' : JSON.stringify([...value].sort());
  return JSON.stringify(value ?? null, (_, inner: unknown) => (inner === UNREADABLE ? [] : (inner ?? null)));
}
