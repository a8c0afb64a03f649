/**
 * The true history of each entity at the outside service. The judge compares events only with it. Times are
 * milliseconds since 1970.
 */
export interface EntityHistory {
  readonly subject: string;
  readonly kind: EntityKind;
  readonly groupId: number;
  readonly states: readonly EntityState[];
}

export type EntityKind =
  | 'return_group'
  | 'return_line_item'
  | 'shipment'
  | 'exchange_line_item'
  | 'refund_transaction';

export interface EntityState {
  /** The time of the change, equal to its stamp if it has one; 0 for entities that existed at the start. */
  readonly changedAt: number;
  /** The earliest time at which an answer can show it. */
  readonly shownFrom: number;
  /** The time from which no answer shows the previous state; later than `shownFrom` if replicas lag. */
  readonly shownByAll: number;
  /** The fields of an undamaged row; undefined if the entity is gone. */
  readonly fields: Fields | undefined;
}

export type Fields = Readonly<Record<string, unknown>>;

/** A line that `watch --json` printed. */
export interface PrintedEvent {
  readonly arrivedAt: number;
  readonly line: string;
}
