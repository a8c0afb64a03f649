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

/** The time since which a field is sent, for instance `shipment.carrier`; an array counts as `shipment.id`. */
export type FieldsSince = Readonly<Record<string, Instant>>;

/** When answers last showed a field in each of these ways; undefined: never. */
export interface FieldShown {
  /** With any value, or null. */
  readonly at?: Instant | undefined;
  /** Null or an empty list: the service does not leave it out instead. */
  readonly asNull?: Instant | undefined;
  /** In some entities of an answer and not in others: the service leaves it out instead of null. */
  readonly inPart?: Instant | undefined;
  /** In none of the entities of a walk's answer. */
  readonly nowhere?: Instant | undefined;
}

export interface FieldMemory {
  readonly fieldsSince: FieldsSince;
  readonly fieldsShown: Readonly<Record<string, FieldShown>>;
}

export interface FieldKnowledge extends FieldMemory {
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
  let { fieldsSince, fieldsShown } = memory;
  for (const { kind, field, name } of FIELDS) {
    const { isSent, isNull, isLacking } = lookFor(groups, kind, field);
    if (isSent && !(name in fieldsSince)) fieldsSince = { ...fieldsSince, [name]: since };
    if (field === 'id' || !(isSent || (isLacking && isWalk))) continue;
    const now = {
      ...(isSent ? { at: sentAt } : { nowhere: sentAt }),
      ...(isNull && { asNull: sentAt }),
      ...(isSent && isLacking && { inPart: sentAt }),
    };
    fieldsShown = { ...fieldsShown, [name]: { ...fieldsShown[name], ...now } };
  }
  return { fieldsSince, fieldsShown };
}

/** The `id` stands for the array: even an empty one says that there are no entities. */
function lookFor(groups: readonly ReturnGroup[], kind: Kind, field: string) {
  let [isSent, isNull, isLacking] = [false, false, false];
  for (const group of groups) {
    const entities = entitiesOf(group, kind);
    if (entities === undefined || entities === null) continue;
    if (entities === UNREADABLE || field === 'id') isSent = true;
    else
      for (const entity of entities) {
        const value = entity === UNREADABLE ? UNREADABLE : Reflect.get(entity, field);
        if (value === undefined) isLacking = true;
        else isSent = true;
        isNull ||= value === null || (Array.isArray(value) && value.length === 0);
      }
  }
  return { isSent, isNull, isLacking };
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
 * The fields whose absence is not null, so that they keep their known values: within a day an answer showed them as null,
 * or answers showed them everywhere or nowhere. Then another version of the service answers.
 */
export function keptFields({ fieldsShown }: Pick<FieldMemory, 'fieldsShown'>, now: Instant): FieldNames {
  const isRecent = (at: Instant | undefined) => at !== undefined && at > now - DAY;
  const kept = Object.entries(fieldsShown).filter(
    ([, { at, asNull, inPart }]) => isRecent(asNull) || (isRecent(at) && !isRecent(inPart)),
  );
  return new Set(kept.map(([name]) => name));
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
  const { fieldsSince, fieldsShown, walkedAt = Number.NEGATIVE_INFINITY } = knowledge;
  const kept = keptFields(knowledge, reading.sentAt);
  return (kind, field) => {
    const name = `${kind}.${field}`;
    const isUnread = (since = Number.NEGATIVE_INFINITY) => walkedAt < since + settle;
    const since = fieldsSince[name];
    if (since !== undefined && snapshot.receivedAt < since && isUnread(since)) return true;
    return kept.has(name) && isUnread(fieldsShown[name]?.nowhere);
  };
}
