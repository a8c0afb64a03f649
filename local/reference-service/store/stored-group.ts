// A stored return group: the service's field names (returns-data-service.md, "Resources and their fields"), stamps as
// instants, `type` fields omitted. Groups are immutable: a change makes a new group that shares the unchanged
// parts, so that comparing references finds the changed ones.

import type { Instant } from '../../../shared/instant.ts';
import type { DocumentedReturnGroup } from '../../../shared/returns-service/documented-resources.ts';

/** A resource of the document as it is stored. Optional fields are present, as null where the document allows it. */
type Stored<T> = T extends string
  ? string
  : T extends readonly (infer Element)[]
    ? readonly Stored<Element>[]
    : T extends object
      ? { readonly [Field in Exclude<keyof T, 'type'>]-?: StoredField<Field, T[Field]> }
      : T;

type StoredField<Name, Value> = Name extends `${string}_at`
  ? Instant | Extract<Value, null>
  : Stored<Exclude<Value, undefined>>;

type Group = Stored<DocumentedReturnGroup>;
type LineItem = Group['returns'][number];
type Exchange = Group['exchange_line_items'][number];

export type StoredOrder = Group['order'];
export type StoredCustomer = Group['customer'];
export type StoredShipment = Group['shipments'][number];
export type StoredAddress = NonNullable<StoredShipment['origin_address']>;
export type StoredReason = LineItem['return_reason_details'];
export type StoredAnswer = LineItem['questions_answers'][number];
export type StoredRefund = Group['refund_transactions'][number];
export type StoredSuggestedRefund = Group['suggested_refund'];
export type MoneyBag = StoredRefund['amount'];

/** A product with its price. Nested, unlike in an answer, so that a million items share a few hundred products. */
export type StoredProduct = Omit<Exchange, 'id' | 'line_item_platform_id' | 'status' | 'quantity'>;

export type StoredLineItem = Omit<
  LineItem,
  keyof StoredProduct | 'return_reason' | 'return_note' | 'return_reason_details'
> & { readonly product: StoredProduct; readonly reason: StoredReason };

export type StoredExchange = Omit<Exchange, keyof StoredProduct> & { readonly product: StoredProduct };

export type StoredGroup = Omit<Group, 'returns' | 'exchange_line_items'> & {
  readonly returns: readonly StoredLineItem[];
  readonly exchange_line_items: readonly StoredExchange[];
};

/** The parts of a group, with their fields. A knob sets for each part whether its changes update `updated_at`. */
const FIELDS_OF_PARTS = {
  return_group: ['return_method', 'credit_method', 'return_outcome', 'order', 'customer', 'suggested_refund'],
  return_line_item: ['returns'],
  shipment: ['shipments'],
  exchange_line_item: ['exchange_line_items'],
  refund_transaction: ['refund_transactions'],
} as const satisfies Record<string, readonly (keyof StoredGroup)[]>;

export type Part = keyof typeof FIELDS_OF_PARTS;

export const PARTS = Object.keys(FIELDS_OF_PARTS) as readonly Part[];

/** The parts that differ. Relies on groups sharing unchanged parts. */
export function partsThatDiffer(before: StoredGroup, after: StoredGroup): Part[] {
  return PARTS.filter((part) => FIELDS_OF_PARTS[part].some((field) => before[field] !== after[field]));
}
