// Converts a stored group to the document's form: every field, required or not, with stamps as texts. deviate.ts then
// applies the knobs.

import type { StoredExchange, StoredGroup, StoredLineItem, StoredShipment } from '../store/stored-group.ts';
import type { StampForms } from './stamp-form.ts';

/** A mutable object of an answer. */
export type Shown = Record<string, unknown>;

export interface ShownGroup extends Shown {
  shipments: Shown[];
  returns: Shown[];
  exchange_line_items: Shown[];
  refund_transactions: Shown[];
}

export function showGroup(group: StoredGroup, { created, other: { write } }: StampForms): ShownGroup {
  const writeOrNull = (instant: number | null) => (instant === null ? null : write(instant));
  const { order } = group;
  return {
    type: 'return_group',
    id: group.id,
    return_method: group.return_method,
    credit_method: group.credit_method,
    created_at: created.write(group.created_at),
    updated_at: write(group.updated_at),
    return_outcome: group.return_outcome,
    order: {
      type: 'order',
      ...order,
      created_at: write(order.created_at),
      fulfilled_at: writeOrNull(order.fulfilled_at),
    },
    customer: { type: 'customer', ...group.customer },
    shipments: group.shipments.map((shipment) => showShipment(shipment, write, writeOrNull)),
    returns: group.returns.map((item) => showLineItem(item, write)),
    exchange_line_items: group.exchange_line_items.map(showExchange),
    refund_transactions: group.refund_transactions.map((refund) => ({
      type: 'refund_transaction',
      ...refund,
    })),
    suggested_refund: { type: 'suggested_refund', ...group.suggested_refund },
  };
}

function showShipment(
  shipment: StoredShipment,
  write: (instant: number) => string,
  writeOrNull: (instant: number | null) => string | null,
): Shown {
  return {
    type: 'shipment',
    ...shipment,
    created_at: write(shipment.created_at),
    shipped_at: writeOrNull(shipment.shipped_at),
    delivered_at: writeOrNull(shipment.delivered_at),
  };
}

function showLineItem(item: StoredLineItem, write: (instant: number) => string): Shown {
  const { product, reason } = item;
  return {
    type: 'return_line_item',
    id: item.id,
    platform_id: item.platform_id,
    created_at: write(item.created_at),
    status: item.status,
    shipment_id: item.shipment_id,
    platform_refund_transaction_ids: item.platform_refund_transaction_ids,
    platform_line_item_id: item.platform_line_item_id,
    product_platform_id: product.product_platform_id,
    product_name: product.product_name,
    variant_platform_id: product.variant_platform_id,
    variant_name: product.variant_name,
    sku: product.sku,
    barcode: item.barcode,
    quantity: item.quantity,
    return_reason: reason.value,
    return_note: reason.note,
    return_reason_details: { type: 'return_reason', ...reason },
    questions_answers: item.questions_answers.map((answer) => ({ type: 'question_answer', ...answer })),
    // Field by field, here and below: spreading a product into its item doubles the cost of a page.
    subtotal: product.subtotal,
    discounted_subtotal: product.discounted_subtotal,
    discount_total: product.discount_total,
    tax_total: product.tax_total,
    tax_percentage: product.tax_percentage,
    total: product.total,
    last_rma_number: item.last_rma_number,
    last_rma_provider: item.last_rma_provider,
  };
}

function showExchange(exchange: StoredExchange): Shown {
  const { product } = exchange;
  return {
    type: 'exchange_line_item',
    id: exchange.id,
    line_item_platform_id: exchange.line_item_platform_id,
    product_platform_id: product.product_platform_id,
    product_name: product.product_name,
    variant_platform_id: product.variant_platform_id,
    variant_name: product.variant_name,
    sku: product.sku,
    status: exchange.status,
    quantity: exchange.quantity,
    subtotal: product.subtotal,
    discounted_subtotal: product.discounted_subtotal,
    discount_total: product.discount_total,
    tax_total: product.tax_total,
    tax_percentage: product.tax_percentage,
    total: product.total,
  };
}
