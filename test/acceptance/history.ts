/**
 * The real history of each entity at the outside service: the judge measures events only by this. Times are
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
  /** When the change happened, which its stamp says where it has one; 0 for what was there at the start. */
  readonly changedAt: number;
  /** When the first answer could show it. */
  readonly shownFrom: number;
  /** When no answer shows the previous state any more: later than `shownFrom` if replicas lag. */
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
