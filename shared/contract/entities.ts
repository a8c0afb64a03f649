// The fields of an entity in an event: the allowlisted fields, as the service sent them, under the service's own names.
// They include no name, e-mail, phone, address or text that a customer wrote. A field that is not listed here is
// neither stored nor published. Absent and null are published as null. A value that can't be read, or is absent where the
// service does not leave it out instead of null, is the last known one. Names and reasons, which only people read, are cut after 1,000
// characters: product_name, variant_name, return_reason_details, order.name.
import * as z from 'zod';
import { openValue } from './open-value.ts';

const text = z.string().nullable();
const integer = z.int();

/** An amount in one currency (returns-data-service.md, "MoneyBag and Money"). */
export const money = z.object({ amount: z.number(), currency_code: z.string() });

/** An amount in the shop's and in the customer's currency. */
export const moneyBag = z.object({ shop_money: money.nullable(), presentment_money: money.nullable() });

export const shipment = z.object({
  type: z.literal('shipment'),
  id: integer,
  status: openValue('DRAFT', 'CREATED', 'IN_TRANSIT', 'DELIVERED', 'FAILED', 'CANCELED', 'UNKNOWN'),
  carrier: text,
  tracking_number: text,
  created_at: text,
  shipped_at: text,
  delivered_at: text,
  return_ids: z.array(integer),
});

export const returnReason = z.object({ value: text, label: text });

export const returnLineItem = z.object({
  type: z.literal('return_line_item'),
  id: integer,
  platform_id: text,
  created_at: text,
  status: openValue('IN_REVIEW', 'OPEN', 'COMPLETED', 'CANCELED'),
  shipment_id: integer.nullable(),
  platform_refund_transaction_ids: z.array(z.string()),
  platform_line_item_id: text,
  product_platform_id: text,
  product_name: text,
  variant_platform_id: text,
  variant_name: text,
  sku: text,
  barcode: text,
  quantity: integer.nullable(),
  return_reason_details: returnReason.nullable(),
  total: moneyBag.nullable(),
  last_rma_number: text,
  last_rma_provider: text,
});

export const exchangeLineItem = z.object({
  type: z.literal('exchange_line_item'),
  id: z.string(),
  status: openValue('UNPROCESSED', 'PROCESSED', 'CANCELED'),
  line_item_platform_id: text,
  product_platform_id: text,
  product_name: text,
  variant_platform_id: text,
  variant_name: text,
  sku: text,
  quantity: integer.nullable(),
  total: moneyBag.nullable(),
});

export const refundTransaction = z.object({
  type: z.literal('refund_transaction'),
  platform_id: text,
  amount: moneyBag.nullable(),
  gateway: text,
});

export const order = z.object({ id: integer.nullable(), name: text, platform_id: text });

export const returnGroup = z.object({
  type: z.literal('return_group'),
  id: integer,
  created_at: z.string(),
  updated_at: z.string(),
  return_outcome: openValue(
    'credit',
    'refund',
    'exchange+refund',
    'exchange',
    'exchange+credit',
    'upsell',
  ).nullable(),
  credit_method: openValue('STORE_CREDIT', 'ORIGINAL_PAYMENT_METHOD').nullable(),
  return_method: openValue('TRADITIONAL', 'SELF_SHIP', 'STORE_DROP_OFF').nullable(),
  order,
});

/** A return line item as the events of its shipment show it: enough to book the parcel that holds it. */
export const shipmentItem = returnLineItem
  .pick({
    id: true,
    sku: true,
    barcode: true,
    product_name: true,
    variant_name: true,
    quantity: true,
    status: true,
  })
  .extend({ return_reason_details: returnReason.pick({ value: true }).nullable() });

/** A shipment as the events of its return line items show it. */
export const shipmentSummary = shipment.pick({
  id: true,
  status: true,
  carrier: true,
  tracking_number: true,
});

/** Where a shipment goes, without names, street and postal code. */
export const destinationAddress = z.object({ city: text, province: text, country: text });

/** The totals of the refund that the service suggests (returns-data-service.md, "SuggestedRefund"). */
export const suggestedRefund = z.object({
  refund_total: moneyBag.nullable(),
  return_total: moneyBag.nullable(),
  return_tax_total: moneyBag.nullable(),
  exchange_total: moneyBag.nullable(),
  exchange_tax_total: moneyBag.nullable(),
});

/** What is left of a forgotten group. */
export const forgottenGroup = z.object({ type: z.literal('return_group'), id: integer });

export type Money = z.infer<typeof money>;
export type MoneyBag = z.infer<typeof moneyBag>;
export type Shipment = z.infer<typeof shipment>;
export type ReturnLineItem = z.infer<typeof returnLineItem>;
export type ExchangeLineItem = z.infer<typeof exchangeLineItem>;
export type RefundTransaction = z.infer<typeof refundTransaction>;
export type ReturnGroup = z.infer<typeof returnGroup>;
export type ShipmentItem = z.infer<typeof shipmentItem>;
export type ShipmentSummary = z.infer<typeof shipmentSummary>;
export type DestinationAddress = z.infer<typeof destinationAddress>;
export type SuggestedRefund = z.infer<typeof suggestedRefund>;
