// The document as a tree to compare a row with. It repeats the documented schemas, and the compiler keeps both in line:
// building the schemas themselves would delay each start of a poller.
import type { DocumentedAddress } from './resources/address.ts';
import { CURRENCY_CODES } from './resources/currency-codes.ts';
import type { DocumentedCustomer } from './resources/customer.ts';
import {
  CREDIT_METHODS,
  EXCHANGE_STATUSES,
  QUESTION_TYPES,
  RETURN_METHODS,
  RETURN_OUTCOMES,
  RETURN_STATUSES,
  RMA_PLATFORMS,
  SHIPMENT_STATUSES,
} from './resources/enumerations.ts';
import type { DocumentedExchangeLineItem } from './resources/exchange-line-item.ts';
import type { DocumentedMoney, DocumentedMoneyBag } from './resources/money.ts';
import type { DocumentedOrder } from './resources/order.ts';
import type { DocumentedQuestionAnswer } from './resources/question-answer.ts';
import type { DocumentedRefundTransaction, DocumentedSuggestedRefund } from './resources/refund.ts';
import type { DocumentedReturnGroup } from './resources/return-group.ts';
import type { DocumentedReturnLineItem } from './resources/return-line-item.ts';
import type { DocumentedReturnReason } from './resources/return-reason.ts';
import type { DocumentedShipment } from './resources/shipment.ts';

export interface DocumentedResource {
  /** As in the document's `type`, or a similar name if it has none. */
  readonly name: string;
  readonly fields: ReadonlyMap<string, DocumentedField>;
}

export interface DocumentedField {
  /** The values listed for an enumeration. */
  readonly values?: ReadonlySet<string>;
  /** The resource in the field, alone or in an array. */
  readonly resource?: DocumentedResource;
}

const plain: DocumentedField = {};

const address = resource<DocumentedAddress>('address', {
  address1: plain,
  address2: plain,
  city: plain,
  province: plain,
  zip: plain,
  country: plain,
});

const money = resource<DocumentedMoney>('money', {
  amount: plain,
  currency_code: oneOf(CURRENCY_CODES),
});

const moneyBag = resource<DocumentedMoneyBag>('money_bag', {
  shop_money: holding(money),
  presentment_money: holding(money),
});

const order = resource<DocumentedOrder>('order', {
  type: plain,
  id: plain,
  platform_id: plain,
  name: plain,
  tags: plain,
  created_at: plain,
  source_name: plain,
  fulfilled_at: plain,
  taxes_included: plain,
});

const customer = resource<DocumentedCustomer>('customer', {
  type: plain,
  name: plain,
  email: plain,
  phone: plain,
});

const shipment = resource<DocumentedShipment>('shipment', {
  type: plain,
  id: plain,
  status: oneOf(SHIPMENT_STATUSES),
  carrier: plain,
  tracking_number: plain,
  created_at: plain,
  origin_address: holding(address),
  destination_address: holding(address),
  shipped_at: plain,
  delivered_at: plain,
  return_group_id: plain,
  return_ids: plain,
});

const returnReason = resource<DocumentedReturnReason>('return_reason', {
  type: plain,
  value: plain,
  label: plain,
  path: plain,
  path_labels: plain,
  note: plain,
});

const questionAnswer = resource<DocumentedQuestionAnswer>('question_answer', {
  type: plain,
  question_text: plain,
  question_description: plain,
  question_type: oneOf(QUESTION_TYPES),
  answers: plain,
});

const returnLineItem = resource<DocumentedReturnLineItem>('return_line_item', {
  type: plain,
  id: plain,
  platform_id: plain,
  created_at: plain,
  status: oneOf(RETURN_STATUSES),
  shipment_id: plain,
  platform_refund_transaction_ids: plain,
  platform_line_item_id: plain,
  product_platform_id: plain,
  product_name: plain,
  variant_platform_id: plain,
  variant_name: plain,
  sku: plain,
  barcode: plain,
  quantity: plain,
  return_reason: plain,
  return_note: plain,
  return_reason_details: holding(returnReason),
  questions_answers: holding(questionAnswer),
  subtotal: holding(moneyBag),
  discounted_subtotal: holding(moneyBag),
  discount_total: holding(moneyBag),
  tax_total: holding(moneyBag),
  tax_percentage: plain,
  total: holding(moneyBag),
  last_rma_number: plain,
  last_rma_provider: oneOf(RMA_PLATFORMS),
});

const exchangeLineItem = resource<DocumentedExchangeLineItem>('exchange_line_item', {
  type: plain,
  id: plain,
  line_item_platform_id: plain,
  product_platform_id: plain,
  product_name: plain,
  variant_platform_id: plain,
  variant_name: plain,
  sku: plain,
  status: oneOf(EXCHANGE_STATUSES),
  quantity: plain,
  subtotal: holding(moneyBag),
  discounted_subtotal: holding(moneyBag),
  discount_total: holding(moneyBag),
  tax_total: holding(moneyBag),
  tax_percentage: plain,
  total: holding(moneyBag),
});

const refundTransaction = resource<DocumentedRefundTransaction>('refund_transaction', {
  type: plain,
  platform_id: plain,
  amount: holding(moneyBag),
  gateway: plain,
});

const suggestedRefund = resource<DocumentedSuggestedRefund>('suggested_refund', {
  type: plain,
  refund_total: holding(moneyBag),
  return_total: holding(moneyBag),
  return_tax_total: holding(moneyBag),
  exchange_total: holding(moneyBag),
  exchange_tax_total: holding(moneyBag),
  handling_fee: holding(moneyBag),
  shipping_fee: holding(moneyBag),
  store_credit_incentive: holding(moneyBag),
});

/** The return group and everything in it. */
export const documentedReturnGroup = resource<DocumentedReturnGroup>('return_group', {
  type: plain,
  id: plain,
  return_method: oneOf(RETURN_METHODS),
  credit_method: oneOf(CREDIT_METHODS),
  created_at: plain,
  updated_at: plain,
  return_outcome: oneOf(RETURN_OUTCOMES),
  order: holding(order),
  customer: holding(customer),
  shipments: holding(shipment),
  returns: holding(returnLineItem),
  exchange_line_items: holding(exchangeLineItem),
  refund_transactions: holding(refundTransaction),
  suggested_refund: holding(suggestedRefund),
});

function oneOf(values: readonly string[]): DocumentedField {
  return { values: new Set(values) };
}

function holding(resource: DocumentedResource): DocumentedField {
  return { resource };
}

/** Requires every field of the documented type, and allows no other. */
function resource<Documented>(
  name: string,
  fields: Readonly<Record<Extract<keyof Documented, string>, DocumentedField>>,
): DocumentedResource {
  return { name, fields: new Map<string, DocumentedField>(Object.entries(fields)) };
}
