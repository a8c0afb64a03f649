// How an entity differs from its last published state. A field that the snapshot could not have known, because the
// service first sent it later, is filled in without an event. A filled-in field stays noted as unpublished until the
// entity's next event, whose `previous_attributes` then start from the values of the event before it. So the chain never
// breaks.
import type {
  ExchangeLineItem,
  RefundTransaction,
  ReturnGroup,
  ReturnLineItem,
  Shipment,
} from '../contract/entities.ts';
import { WATCHED_FIELDS, type WatchedKind } from '../contract/watched-fields.ts';
import { asKnown } from './same-value.ts';
import { saysTheSame } from './says-the-same.ts';
import type { Shown } from './snapshot.ts';

export type WatchedEntity = ReturnLineItem | Shipment | ExchangeLineItem | ReturnGroup;

/** What an entity's first event says of the time before. */
export interface FirstSight {
  /** No earlier reading showed the group without it, so its event's `observed.after` is null. */
  readonly unbounded?: true;
  /** It existed before the feed began. */
  readonly backfill?: true;
}

/** One entry of a change set. */
export type Change =
  | ({ readonly verb: 'created' | 'removed'; readonly object: WatchedEntity } & FirstSight)
  | ({
      readonly verb: 'created';
      readonly object: RefundTransaction;
      readonly place: string;
    } & FirstSight)
  | {
      readonly verb: 'status_changed' | 'updated';
      readonly object: WatchedEntity;
      readonly previous: Readonly<Record<string, unknown>>;
    };

/**
 * Which watched fields the snapshot could not have known, so that they are filled in instead of published. The field
 * `id` stands for the whole array of the kind's entities.
 */
export type Unknowable = (kind: WatchedKind | 'refund_transaction', field: string) => boolean;

export interface EntityDifference<Entity extends WatchedEntity> {
  readonly change: Change | undefined;
  /** The entity to be stored from now on. */
  readonly entity: Entity;
  /** Fields filled in without an event, with the value last published. */
  readonly unpublished: Readonly<Record<string, unknown>>;
}

/**
 * Compares an entity with its known state.
 *
 * @param unpublished the entity's filled-in, not yet published fields, as the snapshot notes them
 * @param adopts whether all that differs is taken over without an event, as an operator asked for
 */
export function compareEntity<Entity extends WatchedEntity>(
  known: Entity,
  seen: Shown<Entity>,
  unpublished: Readonly<Record<string, unknown>>,
  unknowable: Unknowable,
  adopts: boolean,
): EntityDifference<Entity> {
  const kind = known.type;
  const entity = asKnown<Entity>(known, seen);
  const previous: Record<string, unknown> = {};
  const filled: Record<string, unknown> = {};
  let loud = false;
  for (const field of WATCHED_FIELDS[kind]) {
    const now = fieldOf(entity, field);
    const before = fieldOf(known, field) ?? nothingLike(now);
    const published = field in unpublished ? unpublished[field] : before;
    // A watched field is a text, a number, null or a list of these, so here saysTheSame means equality.
    if (saysTheSame(published, now)) continue;
    previous[field] = published;
    const quiet = adopts || saysTheSame(before, now) || (isNothing(before) && unknowable(kind, field));
    if (quiet) filled[field] = published;
    else loud = true;
  }
  if (!loud) return { change: undefined, entity, unpublished: filled };
  const verb = 'status' in previous ? 'status_changed' : 'updated';
  return { change: { verb, object: entity, previous }, entity, unpublished: {} };
}

function fieldOf(entity: WatchedEntity, field: string): unknown {
  return (entity as unknown as Record<string, unknown>)[field];
}

/** A field that was never sent is null or an empty list. */
function isNothing(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}

/** The projection of a field that the snapshot does not have at all. */
function nothingLike(value: unknown): unknown {
  return Array.isArray(value) ? [] : null;
}
