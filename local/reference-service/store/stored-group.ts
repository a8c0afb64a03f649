// A stored return group: the resource of the service's document with all its fields, and stamps as instants. Groups are
// immutable: a change makes a new group that shares the unchanged parts, so that comparing references finds the changed
// ones.

import type { Instant } from '../../../shared/instant.ts';
import type { DocumentedReturnGroup } from '../../../shared/returns-service/documented-resources.ts';
import { PARTS, type Part } from '../knobs.ts';

type Stored<T> = T extends string
  ? string
  : T extends readonly (infer Element)[]
    ? readonly Stored<Element>[]
    : T extends object
      ? { readonly [Field in keyof T]-?: StoredField<Field, Exclude<T[Field], undefined>> }
      : T;

type StoredField<Name, Value> = Name extends `${string}_at` ? Instant | Extract<Value, null> : Stored<Value>;

export type StoredGroup = Stored<DocumentedReturnGroup>;
export type StoredShipment = StoredGroup['shipments'][number];
export type StoredLineItem = StoredGroup['returns'][number];
export type StoredExchange = StoredGroup['exchange_line_items'][number];
export type MoneyBag = StoredGroup['refund_transactions'][number]['amount'];

/** The parts of a group, with their fields. A knob sets for each part whether its changes move `updated_at`. */
const FIELDS_OF_PARTS = {
  return_group: ['return_method', 'credit_method', 'return_outcome', 'order', 'customer', 'suggested_refund'],
  return_line_item: ['returns'],
  shipment: ['shipments'],
  exchange_line_item: ['exchange_line_items'],
  refund_transaction: ['refund_transactions'],
} as const satisfies Record<Part, readonly (keyof StoredGroup)[]>;

/** The parts that differ. Relies on groups sharing unchanged parts. */
export function partsThatDiffer(before: StoredGroup, after: StoredGroup): Part[] {
  return PARTS.filter((part) => FIELDS_OF_PARTS[part].some((field) => before[field] !== after[field]));
}

/** An entry of the store's history: a change of a group. */
export interface Change {
  /** 1, 2, 3 … over the whole store. */
  readonly sequence: number;
  /** When the change happened. The stamp, which may differ, is in `after`. */
  readonly at: Instant;
  /** When the primary starts to show the change. */
  readonly shownFrom: Instant;
  readonly row: number;
  readonly groupId: number;
  /** For instance `shipment.delivered`. */
  readonly step: string;
  /** The parts that changed; empty for a created or removed group. */
  readonly parts: readonly Part[];
  /** Undefined if the group did not exist before. */
  readonly before: StoredGroup | undefined;
  /** Undefined if the group was removed. */
  readonly after: StoredGroup | undefined;
}
