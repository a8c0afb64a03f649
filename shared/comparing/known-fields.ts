// Which watched fields the service has ever sent, and since when. A service that starts to send a field has not changed
// every group at once: a snapshot from before gets the field filled in without an event, unless the group's own stamp
// shows a change. This ends with the first whole walk that began at least `settle` after the field was first seen. It
// has read the field wherever it was, so a field that a group shows for the first time after it is a change. A service
// that leaves out nulls shows most of its changes like that.
import { WATCHED_FIELDS, type WatchedKind } from '../contract/watched-fields.ts';
import type { Instant } from '../instant.ts';
import type { ReturnGroup } from '../returns-service/read-row.ts';
import type { Unknowable } from './changes.ts';
import { absentSince } from './group-absence.ts';
import type { Reading, Snapshot } from './snapshot.ts';

/** The time since which each field is sent, for instance of `shipment.carrier`; an array counts as `shipment.id`. */
export type FieldsSince = Readonly<Record<string, Instant>>;

/**
 * A completed walk over all groups, by the service's clock. The baseline is not noted: its snapshots know all fields
 * seen before it.
 */
export interface WholeWalk {
  /** The walk read every field that was first seen until then, wherever a group had it. */
  readonly fieldsUntil: Instant;
  /** On the late side. */
  readonly endedAt: Instant;
}

export interface FieldKnowledge {
  readonly fieldsSince: FieldsSince;
  /** Oldest first; only walks that were the first to show some field of every group. */
  readonly wholeWalks: readonly WholeWalk[];
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
 * @param sentAt when the page was requested, on the early side: no snapshot of this or a later page may seem older
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
 * Adds a completed walk, if it is the first that read some field of every group.
 *
 * @returns the same object if the walk adds nothing
 */
export function noteWholeWalk<Known extends FieldKnowledge>(known: Known, walk: WholeWalk): Known {
  const { fieldsSince, wholeWalks } = known;
  const latest = Math.max(...wholeWalks.map(({ fieldsUntil }) => fieldsUntil));
  const isFirst = Object.values(fieldsSince).some((since) => since > latest && since <= walk.fieldsUntil);
  return isFirst ? { ...known, wholeWalks: [...wholeWalks, walk] } : known;
}

/**
 * Finds the fields that the snapshot compared with this reading could not have known.
 *
 * @param unreadSince since when the group could not be read, if so: walks that ended later say nothing of it
 */
export function createUnknowable(
  { fieldsSince, wholeWalks }: FieldKnowledge,
  snapshot: Pick<Snapshot, 'groupId' | 'receivedAt' | 'updatedAt' | 'absences'> | undefined,
  reading: Pick<Reading, 'updatedAt'>,
  unreadSince: Instant = Number.POSITIVE_INFINITY,
): Unknowable {
  if (snapshot === undefined || reading.updatedAt > snapshot.updatedAt) return () => false;
  const groupAbsentSince = absentSince(snapshot) ?? Number.POSITIVE_INFINITY;
  return (kind, field, entityAbsentSince = Number.POSITIVE_INFINITY) => {
    const firstSent = fieldsSince[`${kind}.${field}`] ?? Number.NEGATIVE_INFINITY;
    if (snapshot.receivedAt >= firstSent) return false;
    const walk = wholeWalks.find(({ fieldsUntil }) => fieldsUntil >= firstSent);
    return walk === undefined || walk.endedAt > Math.min(unreadSince, groupAbsentSince, entityAbsentSince);
  };
}
