// Rows as a conforming service sends them, of a realistic size (about 7 KB).
import type { DocumentedReturnGroup } from '../../../shared/returns-service/documented-resources.ts';

const STAMP = '2026-11-20T10:15:02.123456Z';

/** A group with a shipment, two returned line items, an exchange, a refund and all optional fields. */
export function sampleRow(id = 1): DocumentedReturnGroup {
  return {
    type: 'return_group',
    id,
    return_method: 'TRADITIONAL',
    credit_method: 'STORE_CREDIT',
    created_at: '2026-11-18T08:00:00.000001Z',
    updated_at: STAMP,
    return_outcome: 'exchange+refund',
    order: {
      type: 'order',
      id: 9_000 + id,
      platform_id: `44012288${id}`,
      name: `#${1_000 + id}`,
      tags: ['wholesale'],
      created_at: '2026-11-01T17:31:09Z',
      source_name: 'web',
      fulfilled_at: '2026-11-02T09:00:00Z',
      taxes_included: true,
    },
    customer: {
      type: 'customer',
      name: 'Rosalind Quimby',
      email: 'rosalind@quimby.test',
      phone: '+4930123456',
    },
    shipments: [sampleShipment(id * 10)],
    returns: [sampleReturn(id * 10 + 1, id * 10), sampleReturn(id * 10 + 2, id * 10)],
    exchange_line_items: [sampleExchange(`exchange-${id}`)],
    refund_transactions: [
      { type: 'refund_transaction', platform_id: `refund-${id}`, amount: money(49.9), gateway: 'cards' },
    ],
    suggested_refund: {
      type: 'suggested_refund',
      refund_total: money(49.9),
      return_total: money(99.8),
      return_tax_total: money(15.93),
      exchange_total: money(49.9),
      exchange_tax_total: money(7.97),
      handling_fee: money(0),
      shipping_fee: money(0),
      store_credit_incentive: money(0),
    },
  };
}

function money(amount: number): DocumentedReturnGroup['suggested_refund']['refund_total'] {
  return {
    shop_money: { amount, currency_code: 'EUR' },
    presentment_money: { amount: amount * 1.08, currency_code: 'USD' },
  };
}

function sampleShipment(id: number): DocumentedReturnGroup['shipments'][number] {
  const address = {
    address1: '12 Foundry Lane',
    address2: null,
    city: 'Leeds',
    province: null,
    zip: 'LS1 4AP',
    country: 'GB',
  };
  return {
    type: 'shipment',
    id,
    status: 'IN_TRANSIT',
    carrier: 'UPS',
    tracking_number: `1Z999AA1${id}`,
    created_at: '2026-11-18T08:05:00Z',
    origin_address: address,
    destination_address: { ...address, address1: 'Dock 4, Harbour Road', city: 'Hull' },
    shipped_at: '2026-11-19T07:00:00Z',
    delivered_at: null,
    return_group_id: Math.trunc(id / 10),
    return_ids: [id + 1, id + 2],
  };
}

function sampleReturn(id: number, shipmentId: number): DocumentedReturnGroup['returns'][number] {
  return {
    type: 'return_line_item',
    id,
    platform_id: `return-${id}`,
    created_at: '2026-11-18T08:00:00.000001Z',
    status: 'OPEN',
    shipment_id: shipmentId,
    platform_refund_transaction_ids: [],
    platform_line_item_id: `1139${id}`,
    product_platform_id: `7781${id}`,
    product_name: 'Linen shirt with long sleeves',
    variant_platform_id: `4401${id}`,
    variant_name: 'Sand / L',
    sku: 'LS-SAND-L',
    barcode: '4006381333931',
    quantity: 1,
    return_reason: 'TOO_SMALL',
    return_note: 'Tight around the shoulders',
    return_reason_details: {
      type: 'return_reason',
      value: 'TOO_SMALL',
      label: 'Too small',
      path: ['SIZE', 'TOO_SMALL'],
      path_labels: ['Size', 'Too small'],
      note: 'Tight around the shoulders',
    },
    questions_answers: [
      {
        type: 'question_answer',
        question_text: 'How did it fit?',
        question_description: 'Helps us to cut the next one better',
        question_type: 'SELECT',
        answers: ['Too tight'],
      },
    ],
    subtotal: money(52),
    discounted_subtotal: money(41.93),
    discount_total: money(10.07),
    tax_total: money(7.97),
    tax_percentage: 19,
    total: money(49.9),
    last_rma_number: null,
    last_rma_provider: null,
  };
}

function sampleExchange(id: string): DocumentedReturnGroup['exchange_line_items'][number] {
  return {
    type: 'exchange_line_item',
    id,
    line_item_platform_id: null,
    product_platform_id: '7781',
    product_name: 'Linen shirt with long sleeves',
    variant_platform_id: '4402',
    variant_name: 'Sand / XL',
    sku: 'LS-SAND-XL',
    status: 'UNPROCESSED',
    quantity: 1,
    subtotal: money(52),
    discounted_subtotal: money(41.93),
    discount_total: money(10.07),
    tax_total: money(7.97),
    tax_percentage: 19,
    total: money(49.9),
  };
}

/** The sample row with the value at the place, for instance `returns.0.quantity`. */
export function withValue(place: string, value: unknown): unknown {
  const row: unknown = structuredClone(sampleRow());
  const steps = place.split('.');
  const last = steps.pop() ?? '';
  let holder = row as Record<string, unknown>;
  for (const step of steps) holder = holder[step] as Record<string, unknown>;
  if (value === undefined) delete holder[last];
  else holder[last] = value;
  return row;
}
