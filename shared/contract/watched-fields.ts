// The fields whose change causes an event. An entity's other fields are context: they are published as they are when a
// watched field changes.
import type { ExchangeLineItem, ReturnGroup, ReturnLineItem, Shipment } from './entities.ts';

export const WATCHED_FIELDS = {
  return_line_item: [
    'status',
    'quantity',
    'shipment_id',
    'platform_refund_transaction_ids',
    'last_rma_number',
    'last_rma_provider',
  ],
  shipment: ['status', 'carrier', 'tracking_number', 'shipped_at', 'delivered_at', 'return_ids'],
  exchange_line_item: ['status', 'quantity', 'line_item_platform_id', 'variant_platform_id'],
  return_group: ['return_outcome', 'credit_method', 'return_method'],
} as const satisfies {
  return_line_item: readonly (keyof ReturnLineItem)[];
  shipment: readonly (keyof Shipment)[];
  exchange_line_item: readonly (keyof ExchangeLineItem)[];
  return_group: readonly (keyof ReturnGroup)[];
};

/** The kinds of entity that have watched fields; a refund transaction is only ever created. */
export type WatchedKind = keyof typeof WATCHED_FIELDS;

/** The watched fields of one kind, or of all. */
export type WatchedField<Kind extends WatchedKind = WatchedKind> = {
  [Each in Kind]: (typeof WATCHED_FIELDS)[Each][number];
}[Kind];
