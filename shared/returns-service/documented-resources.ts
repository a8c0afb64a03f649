// The resources as returns-data-service.md promises them ("Resources and their fields"): for servers of the API, and for
// drift.ts. The feed reads rows without these schemas (read-row.ts): fewer fields, and less trust in them.
import * as z from 'zod';
import {
  CREDIT_METHODS,
  CURRENCY_CODES,
  EXCHANGE_STATUSES,
  openEnumeration,
  QUESTION_TYPES,
  RETURN_METHODS,
  RETURN_OUTCOMES,
  RETURN_STATUSES,
  RMA_PLATFORMS,
  SHIPMENT_STATUSES,
} from './enumerations.ts';

/** The document's `type`, which clients should not depend on. */
function type<const Name extends string>(name: Name) {
  return z.literal(name).default(name as never);
}

/** ISO 8601; how precise and with or without a zone is not documented. */
const timestamp = z.string().meta({ format: 'date-time' });

const money = z
  .object({ amount: z.number().default(0), currency_code: openEnumeration(CURRENCY_CODES).default('USD') })
  .meta({ title: 'money' });

const moneyBag = z
  .object({
    /** In the shop's currency. */
    shop_money: money.optional(),
    /** In the customer's currency. */
    presentment_money: money.optional(),
  })
  .meta({ title: 'money_bag' });

const address = z
  .object({
    address1: z.string(),
    address2: z.string().nullish(),
    city: z.string(),
    province: z.string().nullable(),
    zip: z.string(),
    country: z.string(),
  })
  .meta({ title: 'address' });

const order = z.object({
  type: type('order'),
  id: z.int(),
  platform_id: z.string(),
  name: z.string(),
  tags: z.array(z.string()),
  created_at: timestamp,
  source_name: z.string().nullish(),
  fulfilled_at: timestamp.nullish(),
  taxes_included: z.boolean(),
});

const customer = z.object({
  type: type('customer'),
  name: z.string(),
  email: z.string(),
  phone: z.string().nullable(),
});

const shipment = z.object({
  type: type('shipment'),
  id: z.int(),
  status: openEnumeration(SHIPMENT_STATUSES),
  carrier: z.string().nullish(),
  tracking_number: z.string().nullish(),
  created_at: timestamp,
  origin_address: address.nullish(),
  destination_address: address.nullish(),
  shipped_at: timestamp.nullish(),
  delivered_at: timestamp.nullish(),
  /** The owning return group. */
  return_group_id: z.int().nullish(),
  /** The return line items on this shipment. */
  return_ids: z.array(z.int()).optional(),
});

/** Fields that returned and exchanged items share. */
const product = {
  product_platform_id: z.string(),
  product_name: z.string(),
  variant_platform_id: z.string(),
  variant_name: z.string(),
  sku: z.string().nullish(),
};

const price = {
  /** Before discounts and taxes. */
  subtotal: moneyBag,
  /** After discounts, before taxes. */
  discounted_subtotal: moneyBag,
  discount_total: moneyBag,
  tax_total: moneyBag,
  /** A percentage, not a fraction. */
  tax_percentage: z.number(),
  /** With taxes and discounts. */
  total: moneyBag,
};

const returnReason = z.object({
  type: type('return_reason'),
  value: z.string(),
  label: z.string(),
  /** Place in the tree of reasons, as values. */
  path: z.array(z.string()),
  path_labels: z.array(z.string()),
  note: z.string().nullable(),
});

const questionAnswer = z.object({
  type: type('question_answer'),
  question_text: z.string(),
  question_description: z.string(),
  question_type: openEnumeration(QUESTION_TYPES),
  /** The answer as text, or the options selected. */
  answers: z.array(z.string()),
});

const returnLineItem = z.object({
  type: type('return_line_item'),
  id: z.int(),
  platform_id: z.string().nullish(),
  created_at: timestamp,
  status: openEnumeration(RETURN_STATUSES),
  shipment_id: z.int().nullish(),
  platform_refund_transaction_ids: z.array(z.string()),
  platform_line_item_id: z.string(),
  ...product,
  barcode: z.string().nullish(),
  quantity: z.int(),
  return_reason: z.string().meta({ deprecated: true }),
  return_note: z.string().nullish().meta({ deprecated: true }),
  return_reason_details: returnReason,
  questions_answers: z.array(questionAnswer),
  ...price,
  last_rma_number: z.string().nullish(),
  last_rma_provider: openEnumeration(RMA_PLATFORMS).nullish(),
});

const exchangeLineItem = z.object({
  type: type('exchange_line_item'),
  /** A text, unlike all other ids. */
  id: z.string(),
  /** Only set for exchanges made through the exchange API, once processed. */
  line_item_platform_id: z.string().nullable(),
  ...product,
  status: openEnumeration(EXCHANGE_STATUSES),
  quantity: z.int(),
  ...price,
});

const refundTransaction = z.object({
  type: type('refund_transaction'),
  /** On the payment platform. */
  platform_id: z.string().nullish(),
  amount: moneyBag,
  gateway: z.string().nullish(),
});

const suggestedRefund = z.object({
  type: type('suggested_refund'),
  refund_total: moneyBag,
  /** Value of the returned items. */
  return_total: moneyBag,
  return_tax_total: moneyBag,
  /** Value of the exchanged items. */
  exchange_total: moneyBag,
  exchange_tax_total: moneyBag,
  handling_fee: moneyBag,
  shipping_fee: moneyBag,
  store_credit_incentive: moneyBag,
});

const returnGroup = z.object({
  type: type('return_group'),
  id: z.int(),
  return_method: openEnumeration(RETURN_METHODS),
  credit_method: openEnumeration(CREDIT_METHODS).nullish(),
  created_at: timestamp,
  updated_at: timestamp,
  return_outcome: openEnumeration(RETURN_OUTCOMES).nullable(),
  order,
  customer,
  shipments: z.array(shipment),
  returns: z.array(returnLineItem),
  exchange_line_items: z.array(exchangeLineItem),
  refund_transactions: z.array(refundTransaction),
  suggested_refund: suggestedRefund,
});

/** Each resource under its name in the service's own description. */
export const DOCUMENTED_RESOURCES = {
  ReturnGroup: returnGroup,
  Order: order,
  Customer: customer,
  Shipment: shipment,
  Address: address,
  ReturnLineItem: returnLineItem,
  ReturnReason: returnReason,
  QuestionAnswer: questionAnswer,
  ExchangeLineItem: exchangeLineItem,
  RefundTransaction: refundTransaction,
  SuggestedRefund: suggestedRefund,
  MoneyBag: moneyBag,
  Money: money,
};

/** A return group that keeps every promise of the document ("ReturnGroup"). */
export type DocumentedReturnGroup = z.infer<typeof returnGroup>;
