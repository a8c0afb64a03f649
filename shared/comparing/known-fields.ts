// Since when the service sends which watched field. A service that starts to send a field has not changed every group at
// once: a snapshot from before gets the field filled in without an event, unless the group's own stamp shows a change.
import { WATCHED_FIELDS, type WatchedKind } from '../contract/watched-fields.ts';
import type { Instant } from '../instant.ts';
import type { ReturnGroup } from '../returns-service/read-row.ts';
import type { Unknowable } from './changes.ts';
import type { Reading, Snapshot } from './snapshot.ts';

/** The time since which a field is sent, for instance `shipment.carrier`; an array counts as `shipment.id`. */
export type FieldsSince = Readonly<Record<string, Instant>>;

export interface FieldKnowledge {
  readonly fieldsSince: FieldsSince;
  /** When the last complete walk over all groups began; undefined before the first. */
  readonly walkedAt: Instant | undefined;
}

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
 * Learns the fields of a group, including null ones: the service knows them.
 *
 * @param sentAt since when it counts as sent: when the page was requested, so that no snapshot of this or a later page
 *   may seem older; before the baseline is completed the feed's start, because every snapshot is younger
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

/** The `id` stands for the array: even an empty one says that there are no entities. */
function isSent(entities: readonly object[] | null | undefined, field: string): boolean {
  if (!entities) return false;
  return field === 'id' || entities.some((entity) => Reflect.get(entity, field) !== undefined);
}

/**
 * Finds the fields that the snapshot compared with this reading could not have known. Once a walk over all groups has
 * read a field wherever it was, a group that shows it for the first time has changed.
 *
 * @param settle how long a read may be stale, in the unit of Instant
 */
export function createUnknowable(
  { fieldsSince, walkedAt = Number.NEGATIVE_INFINITY }: FieldKnowledge,
  snapshot: Pick<Snapshot, 'receivedAt' | 'updatedAt'> | undefined,
  reading: Pick<Reading, 'updatedAt'>,
  settle: number,
): Unknowable {
  if (snapshot === undefined || reading.updatedAt > snapshot.updatedAt) return () => false;
  return (kind, field) => {
    const since = fieldsSince[`${kind}.${field}`] ?? Number.NEGATIVE_INFINITY;
    return snapshot.receivedAt < since && walkedAt < since + settle;
  };
}
