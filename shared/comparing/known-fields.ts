// Which watched fields the service has ever sent, and since when. A service that starts to send a field it never
// sent has not changed every group at once: a snapshot from before has it filled in without an event, unless the
// group's own stamp says that it was changed.
import { WATCHED_FIELDS, type WatchedKind } from '../contract/watched-fields.ts';
import type { Instant } from '../instant.ts';
import type { ReturnGroup } from '../returns-service/resources/return-group.ts';
import type { Unknowable } from './changes.ts';
import type { Reading, Snapshot } from './snapshot.ts';

/** Since when each field is sent, for instance `shipment.carrier`; an array as `shipment.id`. */
export type FieldsSince = Readonly<Record<string, Instant>>;

type Kind = WatchedKind | 'refund_transaction';

const kinds = Object.keys(WATCHED_FIELDS) as WatchedKind[];

const FIELDS = [
  ...kinds.flatMap((kind) => ['id', ...WATCHED_FIELDS[kind]].map((field) => named(kind, field))),
  named('refund_transaction', 'id'),
];

function named(kind: Kind, field: string) {
  return { kind, field, name: `${kind}.${field}` };
}

/**
 * Takes in the fields of a group, also those that are null: the service knows them.
 *
 * @param sentAt when the page was asked for, on the early side: no snapshot made of it, or of a later one, may seem older
 */
export function learnFields(known: FieldsSince, group: ReturnGroup, sentAt: Instant): FieldsSince {
  const unknown = FIELDS.filter(({ name }) => !(name in known));
  const fresh = unknown.filter(({ kind, field }) => isSent(entitiesOf(group, kind), field));
  if (fresh.length === 0) return known;
  return { ...known, ...Object.fromEntries(fresh.map(({ name }) => [name, sentAt])) };
}

function entitiesOf(group: ReturnGroup, kind: Kind): readonly object[] | null | undefined {
  switch (kind) {
    case 'return_group':
      return [group];
    case 'return_line_item':
      return group.returns;
    case 'shipment':
      return group.shipments;
    case 'exchange_line_item':
      return group.exchange_line_items;
    case 'refund_transaction':
      return group.refund_transactions;
  }
}

/** The `id` stands for the array, which says of its entities that there are none even when it is empty. */
function isSent(entities: readonly object[] | null | undefined, field: string): boolean {
  if (!entities) return false;
  return field === 'id' || entities.some((entity) => Reflect.get(entity, field) !== undefined);
}

/** Which fields the snapshot could not have known that this reading is compared with. */
export function createUnknowable(
  since: FieldsSince,
  snapshot: Pick<Snapshot, 'receivedAt' | 'updatedAt'> | undefined,
  reading: Pick<Reading, 'updatedAt'>,
): Unknowable {
  if (snapshot === undefined || reading.updatedAt > snapshot.updatedAt) return () => false;
  return (kind, field) => {
    const firstSent = since[`${kind}.${field}`] ?? Number.NEGATIVE_INFINITY;
    return snapshot.receivedAt < firstSent;
  };
}
