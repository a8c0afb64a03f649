// A stored return group: the service's field names (returns-data-service.md, "Resources and their fields"), stamps as
// instants, constant `type` fields omitted. Groups are immutable: a change makes a new group that shares the unchanged
// parts, so that comparing references finds the changed ones.

import type { Instant } from '../../../shared/instant.ts';

interface Money {
  readonly amount: number;
  readonly currency_code: string;
}

export interface MoneyBag {
  readonly shop_money: Money;
  readonly presentment_money: Money;
}

export interface StoredAddress {
  readonly address1: string;
  readonly address2: string | null;
  readonly city: string;
  readonly province: string | null;
  readonly zip: string;
  readonly country: string;
}

export interface StoredOrder {
  readonly id: number;
  readonly platform_id: string;
  readonly name: string;
  readonly tags: readonly string[];
  readonly created_at: Instant;
  readonly source_name: string | null;
  readonly fulfilled_at: Instant | null;
  readonly taxes_included: boolean;
}

export interface StoredCustomer {
  readonly name: string;
  readonly email: string;
  readonly phone: string | null;
}

export interface StoredShipment {
  readonly id: number;
  readonly status: string;
  readonly carrier: string | null;
  readonly tracking_number: string | null;
  readonly created_at: Instant;
  readonly origin_address: StoredAddress | null;
  readonly destination_address: StoredAddress | null;
  readonly shipped_at: Instant | null;
  readonly delivered_at: Instant | null;
  readonly return_group_id: number | null;
  readonly return_ids: readonly number[];
}

export interface StoredReason {
  readonly value: string;
  readonly label: string;
  readonly path: readonly string[];
  readonly path_labels: readonly string[];
  readonly note: string | null;
}

export interface StoredAnswer {
  readonly question_text: string;
  readonly question_description: string;
  readonly question_type: 'TEXT' | 'SELECT';
  readonly answers: readonly string[];
}

/** A product with its price. Nested, unlike in an answer, so that a million items share a few hundred products. */
export interface StoredProduct {
  readonly product_platform_id: string;
  readonly product_name: string;
  readonly variant_platform_id: string;
  readonly variant_name: string;
  readonly sku: string | null;
  readonly subtotal: MoneyBag;
  readonly discounted_subtotal: MoneyBag;
  readonly discount_total: MoneyBag;
  readonly tax_total: MoneyBag;
  readonly tax_percentage: number;
  readonly total: MoneyBag;
}

export interface StoredLineItem {
  readonly id: number;
  readonly product: StoredProduct;
  readonly quantity: number;
  readonly platform_id: string | null;
  readonly created_at: Instant;
  readonly status: string;
  readonly shipment_id: number | null;
  readonly platform_refund_transaction_ids: readonly string[];
  readonly platform_line_item_id: string;
  readonly barcode: string | null;
  readonly reason: StoredReason;
  readonly questions_answers: readonly StoredAnswer[];
  readonly last_rma_number: string | null;
  readonly last_rma_provider: string | null;
}

export interface StoredExchange {
  readonly id: string;
  readonly product: StoredProduct;
  readonly quantity: number;
  readonly status: string;
  readonly line_item_platform_id: string | null;
}

export interface StoredRefund {
  readonly platform_id: string | null;
  readonly amount: MoneyBag;
  readonly gateway: string | null;
}

export interface StoredSuggestedRefund {
  readonly refund_total: MoneyBag;
  readonly return_total: MoneyBag;
  readonly return_tax_total: MoneyBag;
  readonly exchange_total: MoneyBag;
  readonly exchange_tax_total: MoneyBag;
  readonly handling_fee: MoneyBag;
  readonly shipping_fee: MoneyBag;
  readonly store_credit_incentive: MoneyBag;
}

export interface StoredGroup {
  readonly id: number;
  readonly return_method: string;
  readonly credit_method: string | null;
  readonly created_at: Instant;
  readonly updated_at: Instant;
  readonly return_outcome: string | null;
  readonly order: StoredOrder;
  readonly customer: StoredCustomer;
  readonly shipments: readonly StoredShipment[];
  readonly returns: readonly StoredLineItem[];
  readonly exchange_line_items: readonly StoredExchange[];
  readonly refund_transactions: readonly StoredRefund[];
  readonly suggested_refund: StoredSuggestedRefund;
}

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
