// How an entity differs from what was last told of it. A field that the snapshot could not have known (made by an
// older release, or before the service first sent that field) is filled in without an event: an upgrade on either
// side is no change. What was filled in stays noted as untold until the entity's next event, whose
// `previous_attributes` then start from what the event before it carried. So the chain never breaks.
import type { ExchangeLineItem, RefundTransaction, ReturnGroup, ReturnLineItem, Shipment } from '../contract/entities.ts';
import { WATCHED_FIELDS, type WatchedKind } from '../contract/watched-fields.ts';
import { parseStamp } from '../instant.ts';

export type WatchedEntity = ReturnLineItem | Shipment | ExchangeLineItem | ReturnGroup;

/** One entry of a change set. */
export type Change =
  | { readonly verb: 'created' | 'removed'; readonly object: WatchedEntity }
  | { readonly verb: 'created'; readonly object: RefundTransaction; readonly place: string }
  | {
      readonly verb: 'status_changed' | 'updated';
      readonly object: WatchedEntity;
      readonly previous: Readonly<Record<string, unknown>>;
    };

/** Which fields a snapshot could not have known, so that they are filled in instead of told. */
export type Unknowable = (kind: WatchedKind, field: string) => boolean;

export interface EntityDifference {
  readonly change: Change | undefined;
  /** Fields filled in without an event, with the value last told. */
  readonly untold: Readonly<Record<string, unknown>>;
}

/**
 * Compares an entity with what was known of it.
 *
 * @param untold what the snapshot notes as filled in but not told of this entity
 */
export function compareEntity(
  known: WatchedEntity,
  seen: WatchedEntity,
  untold: Readonly<Record<string, unknown>>,
  unknowable: Unknowable,
): EntityDifference {
  const kind = seen.type;
  const previous: Record<string, unknown> = {};
  const filled: Record<string, unknown> = {};
  let loud = false;
  for (const field of WATCHED_FIELDS[kind]) {
    const before = valueOf(known, field);
    const now = valueOf(seen, field);
    const told = field in untold ? untold[field] : before;
    if (isSameValue(told, now)) continue;
    previous[field] = told;
    const quiet = isSameValue(before, now) || (isNothing(before) && unknowable(kind, field));
    if (quiet) filled[field] = told;
    else loud = true;
  }
  if (!loud) return { change: undefined, untold: filled };
  const verb = 'status' in previous ? 'status_changed' : 'updated';
  return { change: { verb, object: seen, previous: withoutUnknown(previous) }, untold: {} };
}

/** What an older projection did not have at all can't be told as a previous value. */
function withoutUnknown(previous: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(previous).filter(([, value]) => value !== undefined));
}

function valueOf(entity: WatchedEntity, field: string): unknown {
  return (entity as unknown as Record<string, unknown>)[field];
}

/** Absent, null and an empty list are what a field looks like that was never sent. */
function isNothing(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

/** Equal values; stamps are equal if they name the same instant, however they are written. */
export function isSameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a === 'string' && typeof b === 'string') return isSameInstant(a, b);
  if (Array.isArray(a) && Array.isArray(b)) return JSON.stringify(a) === JSON.stringify(b);
  return false;
}

function isSameInstant(a: string, b: string): boolean {
  const left = parseStamp(a);
  const right = left && parseStamp(b);
  return left !== undefined && right !== undefined && left.instant === right.instant && left.zoned === right.zoned;
}
