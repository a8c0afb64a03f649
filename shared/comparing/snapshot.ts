// What the feed last knew of a group, and the group itself reduced to the allowlist. Only this is ever stored.
import type {
  ExchangeLineItem,
  RefundTransaction,
  ReturnGroup,
  ReturnLineItem,
  Shipment,
} from '../contract/entities.ts';
import type { Instant } from '../instant.ts';

/**
 * The form of {@link GroupProjection}. Raised when a field is added; a snapshot made with an older one has the new
 * field filled in without an event.
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

export const GROUP_ARRAYS = [
  'return_line_items',
  'shipments',
  'exchange_line_items',
  'refund_transactions',
] as const satisfies readonly (keyof GroupProjection)[];

/** A group as one answer showed it. */
export interface Reading {
  readonly projection: GroupProjection;
  readonly updatedAt: Instant;
  readonly createdAt: Instant;
  /** When its request was sent and its answer received, by the service's clock; each on the careful side. */
  readonly sentAt: Instant;
  readonly receivedAt: Instant;
  readonly through: 'poll' | 'reconciliation' | 'baseline';
  /** Only where the source's settings ask for it; never stored with the snapshot. */
  readonly customer?: {
    readonly name: string | null;
    readonly email: string | null;
    readonly phone: string | null;
  };
}

/** An entity's place within its group, for instance `shipment/77120`. */
export type EntityKey = string;

export interface Snapshot {
  readonly groupId: number;
  /** Counts the saves, from 1; what a save is conditioned on. */
  readonly version: number;
  /** The number of the group's last event, 0 before the first. */
  readonly sequence: number;
  readonly projectionVersion: number;
  readonly updatedAt: Instant;
  readonly createdAt: Instant;
  /** When the request was sent that last showed all this: no array that is known left out, no entity missing. */
  readonly sentAt: Instant;
  /** When the answer was received that it was made of; what is read less than `settle` later may be older. */
  readonly receivedAt: Instant;
  readonly projection: GroupProjection;
  /** Entities that the last reading lacked: when the first answer without them was received. */
  readonly absences: Readonly<Record<EntityKey, Instant>>;
  /**
   * Watched fields that were filled in without an event, with the value that the entity's last event carried: so
   * that the next event's `previous_attributes` go on from there.
   */
  readonly unpublished: Readonly<Record<EntityKey, Readonly<Record<string, unknown>>>>;
  /** Set on a tombstone: the group was told as removed. It keeps its numbers for ever. */
  readonly removedAt?: Instant;
}
