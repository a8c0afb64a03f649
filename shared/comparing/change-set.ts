// How a reading differs from the snapshot: the changes in the order of their numbers, and the state once they are
// published. An array that the answer left out changes nothing. An entity that is missing from an array is removed only
// once it is missing from a second reading, `settle` later, and from none that holds an entity that can't be read.
import type { WatchedKind } from '../contract/watched-fields.ts';
import {
  type Change,
  compareEntity,
  type FirstSight,
  type Unknowable,
  type WatchedEntity,
} from './changes.ts';
import { compareRefunds } from './refunds.ts';
import { asKnown } from './same-value.ts';
import {
  type EntityKey,
  entitiesOf,
  GROUP_ARRAYS,
  type GroupProjection,
  type Reading,
  type Shown,
  type Snapshot,
} from './snapshot.ts';
import { isSettled } from './stale-reads.ts';

/** A group's published state: what a snapshot holds besides its times and numbers. */
export interface KnownState {
  readonly projection: GroupProjection;
  readonly absences: Snapshot['absences'];
  readonly unpublished: Snapshot['unpublished'];
}

export interface ChangeSet {
  readonly changes: readonly Change[];
  readonly next: KnownState;
}

/** The arrays of a group whose entities have an id and watched fields. */
export const ENTITY_ARRAYS = ['return_line_items', 'shipments', 'exchange_line_items'] as const;
type EntityArray = (typeof ENTITY_ARRAYS)[number];

const KINDS = {
  return_line_items: 'return_line_item',
  shipments: 'shipment',
  exchange_line_items: 'exchange_line_item',
} as const satisfies Record<EntityArray, WatchedKind>;

export interface Comparison {
  readonly unknowable: Unknowable;
  /** Whether what existed before the feed began is published, as backfill, when it is first seen. */
  readonly emits: boolean;
  /** The same for groups alone. @default `emits` */
  readonly announcesOld?: boolean;
  /** Whether a group existed before the feed began. */
  readonly isOld: (reading: Reading) => boolean;
  /** Whether an entity did whose array shows for the first time in a known group. @default none did */
  readonly isOldEntity?: ((entity: WatchedEntity) => boolean) | undefined;
  /** How long a read may be stale, in the unit of Instant. */
  readonly settle: number;
  /** Whether missing entities are kept as missing instead of published as removed. @default false */
  readonly keepsMissing?: boolean;
  /** Whether all that differs is taken over without an event. @default false */
  readonly adopts?: boolean;
}

export function keyOf(entity: Pick<WatchedEntity, 'type' | 'id'>): EntityKey {
  return `${entity.type}/${entity.id}`;
}

/** An entity as its events have published it: without the fields that were filled in since. */
export function asPublished<Entity extends WatchedEntity>(
  entity: Entity,
  { unpublished }: Pick<KnownState, 'unpublished'>,
): Entity {
  return { ...entity, ...unpublished[keyOf(entity)] };
}

/** A group as its first reading shows it, with null for the fields of which that says nothing. */
export function atFirstSight({ projection }: Pick<Reading, 'projection'>): GroupProjection {
  const lists = GROUP_ARRAYS.map((name) => {
    const list: readonly (object | undefined)[] | undefined = projection[name];
    return [name, readable(list)?.map((entity) => asKnown({}, entity))];
  });
  const group = asKnown({ updated_at: projection.group.created_at }, projection.group);
  return { group, ...Object.fromEntries(lists) } as GroupProjection;
}

/** The entities of a list that can be read. */
function readable<Entity>(list: readonly (Entity | undefined)[] | undefined): Entity[] | undefined {
  return list?.filter((entity) => entity !== undefined);
}

/** The changes of a group's first reading: the group and everything in it as created. */
export function announceGroup(projection: GroupProjection, isOld: boolean): Change[] {
  const refunds = compareRefunds([], projection.refund_transactions ?? []).created;
  const created = { verb: 'created', ...(isOld && BACKFILL) } as const;
  return [
    { ...created, object: projection.group },
    ...entitiesOf(projection).map((object) => ({ ...created, object })),
    ...refunds.map((refund) => ({ ...created, ...refund })),
  ];
}

const BACKFILL = { backfill: true } as const;

/** Compares a reading with a group's known state. Never checks whether the reading may be stale. */
export function findChanges(known: KnownState, reading: Reading, comparison: Comparison): ChangeSet {
  const found: Found = { changes: [], absences: {}, unpublished: {} };
  const group = compareKnown(known.projection.group, reading.projection.group, known, comparison, found);
  const arrays = Object.fromEntries(
    ENTITY_ARRAYS.map((name) => [name, compareArray(name, known, reading, comparison, found)]),
  ) as Pick<GroupProjection, EntityArray>;
  const refunds = compareRefundArrays(known, reading, comparison, found);
  return {
    changes: found.changes,
    next: {
      projection: { group, ...arrays, refund_transactions: refunds } as GroupProjection,
      absences: found.absences,
      unpublished: found.unpublished,
    },
  };
}

interface Found {
  readonly changes: Change[];
  readonly absences: Record<EntityKey, number>;
  readonly unpublished: Record<EntityKey, Readonly<Record<string, unknown>>>;
}

function compareKnown<Entity extends WatchedEntity>(
  before: Entity,
  now: Shown<Entity>,
  known: KnownState,
  { unknowable, adopts = false }: Comparison,
  found: Found,
): Entity {
  const key = keyOf(before);
  const notes = known.unpublished[key] ?? {};
  const { change, entity, unpublished } = compareEntity(before, now, notes, unknowable, adopts);
  if (change !== undefined) found.changes.push(change);
  if (Object.keys(unpublished).length > 0) found.unpublished[key] = unpublished;
  return entity;
}

function compareArray(
  name: EntityArray,
  known: KnownState,
  reading: Reading,
  comparison: Comparison,
  found: Found,
): readonly WatchedEntity[] | undefined {
  const before: readonly WatchedEntity[] | undefined = known.projection[name];
  const now: readonly (Shown<WatchedEntity> | undefined)[] | undefined = reading.projection[name];
  if (now === undefined) {
    if (before !== undefined) carryOver(before, known, found);
    return before;
  }
  const knownByKey = new Map((before ?? []).map((entity) => [keyOf(entity), entity]));
  const created = firstSight(KINDS[name], before, comparison);
  const { emits, isOldEntity = () => false } = comparison;
  const seen = (readable(now) ?? []).map((shown) => {
    const was = knownByKey.get(keyOf(shown));
    knownByKey.delete(keyOf(shown));
    if (was !== undefined) return compareKnown<WatchedEntity>(was, shown, known, comparison, found);
    const entity = asKnown<WatchedEntity>({}, shown);
    const isOld = before === undefined && isOldEntity(entity);
    if (created !== undefined && (emits || !isOld))
      found.changes.push({ verb: 'created', object: entity, ...created, ...(isOld && BACKFILL) });
    return entity;
  });
  const missing = [...knownByKey.values()];
  if (seen.length < now.length) {
    // The one that can't be read may be any of them.
    carryOver(missing, known, found);
    return [...seen, ...missing];
  }
  return [...seen, ...missing.filter((entity) => isStillKnown(entity, known, reading, comparison, found))];
}

/**
 * The extra fields for the change of an entity that is new in its array; undefined if the change is not published. The
 * first time that the array shows at all, its entities may have been there long before.
 */
function firstSight(
  kind: WatchedKind | 'refund_transaction',
  before: readonly unknown[] | undefined,
  { unknowable, adopts = false }: Comparison,
): FirstSight | undefined {
  if (adopts) return undefined;
  if (before !== undefined) return {};
  return unknowable(kind, 'id') ? undefined : { unbounded: true };
}

/** Keeps a missing entity with the time of its first absence, or adds its removal to the changes. */
function isStillKnown(
  entity: WatchedEntity,
  known: KnownState,
  reading: Reading,
  { settle, keepsMissing = false, adopts = false }: Comparison,
  found: Found,
): boolean {
  const key = keyOf(entity);
  // At the first absence this answer's arrival counts, which is later than its request: so that alone removes nothing.
  const absentSince = known.absences[key] ?? reading.receivedAt;
  if (!keepsMissing && isSettled(reading.sentAt, absentSince, settle)) {
    if (!adopts) found.changes.push({ verb: 'removed', object: asPublished(entity, known) });
    return false;
  }
  found.absences[key] = absentSince;
  const unpublished = known.unpublished[key];
  if (unpublished !== undefined) found.unpublished[key] = unpublished;
  return true;
}

/** Keeps all notes on entities of which the answer says nothing. */
function carryOver(entities: readonly WatchedEntity[], known: KnownState, found: Found): void {
  for (const key of entities.map(keyOf)) {
    const absentSince = known.absences[key];
    const unpublished = known.unpublished[key];
    if (absentSince !== undefined) found.absences[key] = absentSince;
    if (unpublished !== undefined) found.unpublished[key] = unpublished;
  }
}

function compareRefundArrays(
  known: KnownState,
  reading: Reading,
  comparison: Comparison,
  found: Found,
): GroupProjection['refund_transactions'] {
  const before = known.projection.refund_transactions;
  const now = reading.projection.refund_transactions;
  if (now === undefined) return before;
  const { created, known: all } = compareRefunds(before ?? [], readable(now) ?? []);
  const sight = firstSight('refund_transaction', before, comparison);
  if (sight === undefined) return all;
  for (const refund of created) found.changes.push({ verb: 'created', ...refund, ...sight });
  return all;
}
