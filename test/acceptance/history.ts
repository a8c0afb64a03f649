/**
 * What the outside service really did, entity by entity: the only thing that the judge measures events by. Times are
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
  /** The first answer that could show it. */
  readonly shownFrom: number;
  /** No answer shows the state before from here on: later than `shownFrom` where replicas lag. */
  readonly shownByAll: number;
  /** As an undamaged row shows them; undefined where the entity is gone. */
  readonly fields: Fields | undefined;
}

export type Fields = Readonly<Record<string, unknown>>;

/** A line that `watch --json` printed. */
export interface PrintedEvent {
  readonly arrivedAt: number;
  readonly line: string;
}
