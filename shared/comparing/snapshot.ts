// A group's last known state, reduced to the allowlist. The feed stores nothing else of a group.
import type {
  DestinationAddress,
  ExchangeLineItem,
  RefundTransaction,
  ReturnGroup,
  ReturnLineItem,
  Shipment,
  SuggestedRefund,
} from '../contract/entities.ts';
import type { Instant } from '../instant.ts';

/**
 * The version of {@link GroupProjection}. Raise it when a field is added: a snapshot of an older version is then saved
 * again with its group's next reading, even if nothing else changed. Whether the new field is filled in without an
 * event does not depend on it (known-fields.ts).
 */
export const PROJECTION = 1;

/** A group reduced to what may be stored and published. An absent array says nothing of its entities. */
export interface GroupProjection {
  readonly group: ReturnGroup;
  readonly shipments: readonly Shipment[] | undefined;
  readonly return_line_items: readonly ReturnLineItem[] | undefined;
  readonly exchange_line_items: readonly ExchangeLineItem[] | undefined;
  readonly refund_transactions: readonly RefundTransaction[] | undefined;
}

/** An entity as an answer shows it: undefined for a field of which it says nothing. */
export type Shown<Entity> = {
  readonly [Field in keyof Entity]: Field extends 'type' | 'id' | 'status'
    ? Entity[Field]
    : ShownValue<Entity[Field]> | (Field extends 'order' ? never : undefined);
};
type ShownValue<Value> = Value extends string | number | null | readonly unknown[]
  ? Value
  : { readonly [Field in keyof Value]: ShownValue<Value[Field]> | undefined };

/** A group as an answer shows it. An entity that can't be read is undefined: it may be any of its list. */
export type ShownProjection = {
  readonly [Field in keyof GroupProjection]: ShownPart<GroupProjection[Field]>;
};
type ShownPart<Part> = Part extends readonly (infer Entity)[]
  ? readonly (Shown<Entity> | undefined)[]
  : Part extends undefined
    ? Part
    : Shown<Part>;

export const GROUP_ARRAYS = [
  'return_line_items',
  'shipments',
  'exchange_line_items',
  'refund_transactions',
] as const satisfies readonly (keyof GroupProjection)[];

/** The entities that have an id and watched fields; an absent array counts as empty. */
export function entitiesOf({
  return_line_items,
  shipments,
  exchange_line_items,
}: GroupProjection): (ReturnLineItem | Shipment | ExchangeLineItem)[] {
  return [...(return_line_items ?? []), ...(shipments ?? []), ...(exchange_line_items ?? [])];
}

/** A group as one answer showed it. */
export interface Reading {
  readonly projection: ShownProjection;
  readonly updatedAt: Instant;
  readonly createdAt: Instant;
  /** The answer's time: when its request was sent and it was received, less its age, by the local clock. */
  readonly sentAt: Instant;
  readonly receivedAt: Instant;
  readonly through: 'poll' | 'reconciliation' | 'baseline';
  /** Only if the source's settings ask for it; never stored with the snapshot. */
  readonly customer?: {
    readonly name: string | null;
    readonly email: string | null;
    readonly phone: string | null;
  };
  /** Further fields, likewise (`include`). */
  readonly included?: Included;
}

export function idOf({ projection }: Pick<Reading, 'projection'>): number {
  return projection.group.id;
}

/** A field is absent unless settings ask for it. */
export interface Included {
  readonly order_tags?: readonly string[];
  readonly suggested_refund?: SuggestedRefund | null;
  /** By the shipment's id. */
  readonly destination_addresses?: ReadonlyMap<unknown, DestinationAddress>;
}

/** An entity's place within its group, for instance `shipment/77120`. */
export type EntityKey = string;

export interface Snapshot {
  readonly groupId: number;
  /** Counts the saves, from 1; each save is conditioned on it. */
  readonly version: number;
  /** The number of the group's last event, 0 before the first. */
  readonly sequence: number;
  readonly projectionVersion: number;
  readonly updatedAt: Instant;
  readonly createdAt: Instant;
  /** When the request was sent that last showed all this: no known array left out, no entity missing. */
  readonly sentAt: Instant;
  /** When the answer was received that it was made from; a read sent less than `settle` later may be older. */
  readonly receivedAt: Instant;
  /** Of the reading that it was made from ({@link digestOf}); undefined if that lacked an entity. */
  readonly digest?: string;
  readonly projection: GroupProjection;
  /** Entities that the last reading lacked, each with the time at which the first answer without it was received. */
  readonly absences: Readonly<Record<EntityKey, Instant>>;
  /**
   * Watched fields that were filled in without an event, with the value of the entity's last event: the next event's
   * `previous_attributes` start from it.
   */
  readonly unpublished: Readonly<Record<EntityKey, Readonly<Record<string, unknown>>>>;
  /**
   * Set on a tombstone: when the group was published as removed, or was forgotten. It keeps its numbers permanently.
   */
  readonly removedAt?: Instant;
}
