import type { Group, Item } from './group.ts';
import type { Fields } from './history.ts';

const DAY_MS = 86_400_000;

const SUGGESTED_AMOUNTS = [
  ...['refund_total', 'return_total', 'return_tax_total', 'exchange_total', 'exchange_tax_total'],
  ...['handling_fee', 'shipping_fee', 'store_credit_incentive'],
];

/** A row as the document describes it, complete and with every null written out. */
export function renderGroup(group: Group, stamp: (time: number) => string): Fields {
  return {
    type: 'return_group',
    id: group.id,
    return_method: group.method,
    credit_method: group.credit,
    created_at: stamp(group.createdAt),
    updated_at: stamp(group.updatedAt),
    return_outcome: group.outcome,
    order: {
      type: 'order',
      id: group.id + 5_000_000,
      platform_id: `order/${group.id}`,
      name: `#${group.id}`,
      tags: [],
      created_at: stamp(group.createdAt - DAY_MS),
      taxes_included: true,
    },
    customer: { type: 'customer', name: 'Ann Example', email: 'ann@example.com', phone: null },
    shipments: group.shipments.map((shipment) => ({
      type: 'shipment',
      id: shipment.id,
      status: shipment.status,
      carrier: shipment.carrier,
      tracking_number: shipment.tracking,
      created_at: stamp(shipment.createdAt),
      shipped_at: shipment.shippedAt === null ? null : stamp(shipment.shippedAt),
      delivered_at: shipment.deliveredAt === null ? null : stamp(shipment.deliveredAt),
      return_group_id: group.id,
      return_ids: shipment.itemIds,
    })),
    returns: group.items.map((item) => renderItem(item, stamp)),
    exchange_line_items: group.exchanges.map((exchange) => ({
      type: 'exchange_line_item',
      id: exchange.id,
      line_item_platform_id: exchange.platformId,
      product_platform_id: 'product/1',
      product_name: 'Coat',
      variant_platform_id: exchange.variant,
      variant_name: 'Green',
      sku: null,
      status: exchange.status,
      quantity: exchange.quantity,
      ...prices(exchange.total),
    })),
    refund_transactions: group.refunds.map((refund) => ({
      type: 'refund_transaction',
      platform_id: refund.id,
      amount: money(refund.amount),
      gateway: 'cards',
    })),
    suggested_refund: {
      type: 'suggested_refund',
      ...Object.fromEntries(SUGGESTED_AMOUNTS.map((name) => [name, money(0)])),
    },
  };
}

function renderItem(item: Item, stamp: (time: number) => string): Fields {
  return {
    type: 'return_line_item',
    id: item.id,
    platform_id: `return/${item.id}`,
    created_at: stamp(item.createdAt),
    status: item.status,
    shipment_id: item.shipmentId,
    platform_refund_transaction_ids: item.refundIds,
    platform_line_item_id: `line/${item.id}`,
    product_platform_id: 'product/2',
    product_name: 'Shirt',
    variant_platform_id: 'variant/2',
    variant_name: 'Blue',
    sku: `S-${item.id}`,
    barcode: null,
    quantity: item.quantity,
    return_reason: 'size',
    return_note: null,
    return_reason_details: {
      type: 'return_reason',
      value: 'size',
      label: 'Size',
      path: ['size'],
      path_labels: ['Size'],
      note: null,
    },
    questions_answers: [],
    ...prices(item.total),
    last_rma_number: item.rma,
    last_rma_provider: item.rmaProvider,
  };
}

function prices(total: number): Fields {
  return {
    subtotal: money(total),
    discounted_subtotal: money(total),
    discount_total: money(0),
    tax_total: money(0),
    tax_percentage: 0,
    total: money(total),
  };
}

function money(amount: number): Fields {
  const value = { amount, currency_code: 'EUR' };
  return { shop_money: value, presentment_money: value };
}
