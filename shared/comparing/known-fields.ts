// Since when the service sends which watched field, and what its absence means. A service that starts to send a field has
// not changed every group at once: a snapshot from before gets the field filled in without an event, unless the group's
// own stamp shows a change. While servers of two versions answer in turn, a field comes and goes with the server: then an
// absent one keeps its known value.
import { WATCHED_FIELDS, type WatchedKind } from '../contract/watched-fields.ts';
import { DAY, type Instant } from '../instant.ts';
import { type Lenient, UNREADABLE } from '../returns-service/field-kinds.ts';
import type { ReturnGroup } from '../returns-service/read-row.ts';
import type { Unknowable } from './changes.ts';
import type { FieldNames } from './project-group.ts';
import type { Reading, Snapshot } from './snapshot.ts';

/** Moments by the name of a field, for instance `shipment.carrier`; an array counts as `shipment.id`. */
export type FieldMoments = Readonly<Record<string, Instant>>;

/** What answers have shown of fields. */
export interface FieldMemory {
  /** When a field was first sent. */
  readonly fieldsSince: FieldMoments;
  /** When a field was last null or an empty list: the service does not leave it out instead. */
  readonly nullsSeen: FieldMoments;
  /** When an answer of a walk last had no such field at all. */
  readonly lackedAt: FieldMoments;
}

export interface FieldKnowledge extends FieldMemory {
  /** When the last complete walk over all groups began; undefined before the first. */
  readonly walkedAt: Instant | undefined;
  /** The feed's start: fields that are known since then are not new. */
  readonly startedAt: Instant;
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
 * Learns what an answer shows of the fields.
 *
 * @param since when a new field counts as first sent: when the page was requested, so that no snapshot of this or a later
 *   page may seem older; before the baseline is completed the feed's start, because every snapshot is younger
 */
export function learnFields(
  memory: FieldMemory,
  groups: readonly ReturnGroup[],
  { since, sentAt, isWalk }: { readonly since: Instant; readonly sentAt: Instant; readonly isWalk: boolean },
): FieldMemory {
  const found = { since: [] as string[], nulls: [] as string[], lacked: [] as string[] };
  for (const { kind, field, name } of FIELDS) {
    const { isSent, isNull, isLacked } = lookFor(groups, kind, field);
    if (isSent && !(name in memory.fieldsSince)) found.since.push(name);
    if (isNull) found.nulls.push(name);
    if (isLacked && isWalk) found.lacked.push(name);
  }
  return {
    fieldsSince: noted(memory.fieldsSince, found.since, since),
    nullsSeen: noted(memory.nullsSeen, found.nulls, sentAt),
    lackedAt: noted(memory.lackedAt, found.lacked, sentAt),
  };
}

function noted(moments: FieldMoments, names: readonly string[], at: Instant): FieldMoments {
  return names.length === 0
    ? moments
    : { ...moments, ...Object.fromEntries(names.map((name) => [name, at])) };
}

/** The `id` stands for the array: even an empty one says that there are no entities. */
function lookFor(groups: readonly ReturnGroup[], kind: Kind, field: string) {
  let [isSent, isNull, isLacked] = [false, false, false];
  for (const group of groups) {
    const entities = entitiesOf(group, kind);
    if (entities === undefined || entities === null) continue;
    if (entities === UNREADABLE || field === 'id') isSent = true;
    else
      for (const entity of entities) {
        const value = entity === UNREADABLE ? undefined : Reflect.get(entity, field);
        if (value === undefined) isLacked ||= entity !== UNREADABLE;
        else isSent = true;
        isNull ||= value === null || (Array.isArray(value) && value.length === 0);
      }
  }
  return { isSent, isNull, isLacked: isLacked && !isSent };
}

function entitiesOf(group: ReturnGroup, kind: Kind): Lenient<readonly (object | false)[]> {
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

/**
 * The fields whose absence is not null: the service has sent nulls of them within a day, so it does not leave these out,
 * or it has begun to send them within a day.
 */
export function keptFields(
  { fieldsSince, nullsSeen, startedAt }: Omit<FieldKnowledge, 'lackedAt' | 'walkedAt'>,
  now: Instant,
): FieldNames {
  const isRecent = (at: Instant | undefined) => at !== undefined && at > now - DAY;
  const names = FIELDS.map(({ name }) => name);
  return new Set(
    names.filter(
      (name) =>
        isRecent(nullsSeen[name]) ||
        ((fieldsSince[name] ?? startedAt) > startedAt && isRecent(fieldsSince[name])),
    ),
  );
}

/**
 * Finds the fields that the snapshot compared with this reading could not have known. Once a walk over all groups has
 * read a field wherever it was, and met no answer without it, a group that shows it for the first time has changed.
 *
 * @param settle how long a read may be stale, in the unit of Instant
 */
export function createUnknowable(
  knowledge: FieldKnowledge,
  snapshot: Pick<Snapshot, 'receivedAt' | 'updatedAt'> | undefined,
  reading: Pick<Reading, 'updatedAt' | 'sentAt'>,
  settle: number,
): Unknowable {
  if (snapshot === undefined || reading.updatedAt > snapshot.updatedAt) return () => false;
  const { fieldsSince, lackedAt, walkedAt = Number.NEGATIVE_INFINITY } = knowledge;
  const kept = keptFields(knowledge, reading.sentAt);
  return (kind, field) => {
    const name = `${kind}.${field}`;
    const isUnread = (since = Number.NEGATIVE_INFINITY) => walkedAt < since + settle;
    const since = fieldsSince[name];
    if (since !== undefined && snapshot.receivedAt < since && isUnread(since)) return true;
    return kept.has(name) && isUnread(lackedAt[name]);
  };
}
