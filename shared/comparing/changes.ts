// How an entity differs from what was last told of it. A field that the snapshot could not have known (made by an
// older release, or before the service first sent that field) is filled in without an event: an upgrade on either
// side is no change. What was filled in stays noted as unpublished until the entity's next event, whose
// `previous_attributes` then start from what the event before it carried. So the chain never breaks.
import type {
  ExchangeLineItem,
  RefundTransaction,
  ReturnGroup,
  ReturnLineItem,
  Shipment,
} from '../contract/entities.ts';
import { WATCHED_FIELDS, type WatchedKind } from '../contract/watched-fields.ts';
import { type Instant, parseStamp } from '../instant.ts';
import { saysTheSame } from './says-the-same.ts';

export type WatchedEntity = ReturnLineItem | Shipment | ExchangeLineItem | ReturnGroup;

/** One entry of a change set. */
export type Change =
  | {
      readonly verb: 'created' | 'removed';
      readonly object: WatchedEntity;
      /** No reading can say when it had not yet shown. */
      readonly unbounded?: true;
    }
  | {
      readonly verb: 'created';
      readonly object: RefundTransaction;
      readonly place: string;
      readonly unbounded?: true;
    }
  | {
      readonly verb: 'status_changed' | 'updated';
      readonly object: WatchedEntity;
      readonly previous: Readonly<Record<string, unknown>>;
    };

/**
 * Which watched fields the snapshot at hand could not have known, so that they are filled in instead of told. The
 * field `id` stands for the whole array that entities of the kind come in. `absentSince` is the entity's first absence,
 * where the snapshot notes one: what was read since then says nothing of the entity.
 */
export type Unknowable = (
  kind: WatchedKind | 'refund_transaction',
  field: string,
  absentSince?: Instant,
) => boolean;

export interface EntityDifference<Entity extends WatchedEntity> {
  readonly change: Change | undefined;
  /** The entity as it is known from now on. */
  readonly entity: Entity;
  /** Fields filled in without an event, with the value last told. */
  readonly unpublished: Readonly<Record<string, unknown>>;
}

/**
 * Compares an entity with what was known of it.
 *
 * @param unpublished what the snapshot notes as filled in but not told of this entity
 */
export function compareEntity<Entity extends WatchedEntity>(
  known: Entity,
  seen: Entity,
  unpublished: Readonly<Record<string, unknown>>,
  unknowable: Unknowable,
): EntityDifference<Entity> {
  const kind = seen.type;
  const entity = withKnownValues(known, withKnownSpelling(known, seen));
  const previous: Record<string, unknown> = {};
  const filled: Record<string, unknown> = {};
  let loud = false;
  for (const field of WATCHED_FIELDS[kind]) {
    const now = fieldOf(entity, field);
    const before = fieldOf(known, field) ?? nothingLike(now);
    const told = field in unpublished ? unpublished[field] : before;
    // A watched field is a text, a number, null or a list of such: what says the same is the same.
    if (saysTheSame(told, now)) continue;
    previous[field] = told;
    const quiet = saysTheSame(before, now) || (isNothing(before) && unknowable(kind, field));
    if (quiet) filled[field] = told;
    else loud = true;
  }
  if (!loud) return { change: undefined, entity, unpublished: filled };
  const verb = 'status' in previous ? 'status_changed' : 'updated';
  return { change: { verb, object: entity, previous }, entity, unpublished: {} };
}

function fieldOf(entity: WatchedEntity, field: string): unknown {
  return (entity as unknown as Record<string, unknown>)[field];
}

/** Null and an empty list are what a field looks like that was never sent. */
function isNothing(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}

/** How a field that the snapshot does not have at all would have been projected. */
function nothingLike(value: unknown): unknown {
  return Array.isArray(value) ? [] : null;
}

/** But for `updated_at`, which is no reason for an event and is told as it is. */
const STAMPS = ['created_at', 'shipped_at', 'delivered_at'];

/** A stamp that is only written in another way stays as it was told, so that the chain holds to the letter. */
function withKnownSpelling<Entity extends WatchedEntity>(known: Entity, seen: Entity): Entity {
  const kept = STAMPS.filter((field) => isSameInstant(fieldOf(known, field), fieldOf(seen, field)));
  return { ...seen, ...Object.fromEntries(kept.map((field) => [field, fieldOf(known, field)])) };
}

/** Watched fields that are never null (returns-data-service.md, "Resources and their fields"). */
const NEVER_NULL = ['quantity', 'variant_platform_id', 'return_method'];

/** What has a value always has one: an answer that leaves it out says nothing of it. */
function withKnownValues<Entity extends WatchedEntity>(known: Entity, seen: Entity): Entity {
  const kept = NEVER_NULL.filter((field) => fieldOf(seen, field) === null && fieldOf(known, field) !== null);
  if (kept.length === 0) return seen;
  return { ...seen, ...Object.fromEntries(kept.map((field) => [field, fieldOf(known, field)])) };
}

/** Without a zone a stamp is read as if it were UTC: naming the zone or not is a matter of spelling. */
function isSameInstant(a: unknown, b: unknown): boolean {
  const instant = parseStamp(String(a))?.instant;
  return instant !== undefined && instant === parseStamp(String(b))?.instant;
}
