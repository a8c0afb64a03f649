// The shortcut of parse-return-group.ts. A page has to be decoded, validated and compared in little more time than
// JSON.parse takes; zod alone would exceed that. So the plain functions below read a row first, and stop at the
// slightest doubt; then the schema decides, and describes the fault. A property test ensures that both read everything
// alike.
import { isJsonObject, type JsonObject } from './json.ts';
import { readCustomer, readMoneyBag, readOrder, readReturnReason, readText } from './read-context.ts';
import type { Lenient } from './resources/as-read.ts';
import type { ExchangeLineItem } from './resources/exchange-line-item.ts';
import type { Money, MoneyBag } from './resources/money.ts';
import type { RefundTransaction } from './resources/refund.ts';
import type { ReturnGroup } from './resources/return-group.ts';
import type { ReturnLineItem } from './resources/return-line-item.ts';
import type { Shipment } from './resources/shipment.ts';
import {
  MAX_DECISIVE_CHARACTERS,
  MAX_STAMP_CHARACTERS,
  MAX_STATUS_CHARACTERS,
  MAX_TEXT_ID_CHARACTERS,
} from './row-schema.ts';

/** Set as soon as a decisive field looks wrong; the result is then useless. */
interface Doubt {
  raised: boolean;
}

/** Every field must be mentioned, even absent ones: objects of one form are the fastest to make and to compare. */
type Complete<T> = { [Field in keyof Required<T>]: T[Field] };

/** @returns the group as the schema would read it, or undefined if the schema has to decide */
export function readQuickly(raw: unknown): ReturnGroup | undefined {
  if (!isJsonObject(raw)) return undefined;
  const doubt: Doubt = { raised: false };
  const group = returnGroup(raw, doubt);
  return doubt.raised ? undefined : group;
}

function returnGroup(raw: JsonObject, doubt: Doubt): Complete<ReturnGroup> {
  return {
    id: identifier(raw.id, doubt),
    return_method: watchedText(raw.return_method, doubt),
    credit_method: watchedText(raw.credit_method, doubt),
    created_at: someText(raw.created_at, MAX_STAMP_CHARACTERS, doubt),
    updated_at: someText(raw.updated_at, MAX_STAMP_CHARACTERS, doubt),
    return_outcome: watchedText(raw.return_outcome, doubt),
    order: readOrder(raw.order),
    customer: readCustomer(raw.customer),
    shipments: entities(raw.shipments, shipment, doubt),
    returns: entities(raw.returns, returnLineItem, doubt),
    exchange_line_items: entities(raw.exchange_line_items, exchangeLineItem, doubt),
    refund_transactions: entities(raw.refund_transactions, refundTransaction, doubt),
  };
}

function shipment(raw: JsonObject, doubt: Doubt): Complete<Shipment> {
  return {
    id: identifier(raw.id, doubt),
    status: someText(raw.status, MAX_STATUS_CHARACTERS, doubt),
    carrier: watchedText(raw.carrier, doubt),
    tracking_number: watchedText(raw.tracking_number, doubt),
    created_at: readText(raw.created_at),
    shipped_at: watchedText(raw.shipped_at, doubt),
    delivered_at: watchedText(raw.delivered_at, doubt),
    return_ids: watchedList(raw.return_ids, identifier, doubt),
  };
}

function returnLineItem(raw: JsonObject, doubt: Doubt): Complete<ReturnLineItem> {
  return {
    id: identifier(raw.id, doubt),
    platform_id: readText(raw.platform_id),
    created_at: readText(raw.created_at),
    status: someText(raw.status, MAX_STATUS_CHARACTERS, doubt),
    shipment_id: orNothing(raw.shipment_id, identifier, doubt),
    platform_refund_transaction_ids: watchedList(raw.platform_refund_transaction_ids, decisiveText, doubt),
    platform_line_item_id: readText(raw.platform_line_item_id),
    product_platform_id: readText(raw.product_platform_id),
    product_name: readText(raw.product_name),
    variant_platform_id: readText(raw.variant_platform_id),
    variant_name: readText(raw.variant_name),
    sku: readText(raw.sku),
    barcode: readText(raw.barcode),
    quantity: orNothing(raw.quantity, wholeNumber, doubt),
    return_reason_details: readReturnReason(raw.return_reason_details),
    total: readMoneyBag(raw.total),
    last_rma_number: watchedText(raw.last_rma_number, doubt),
    last_rma_provider: watchedText(raw.last_rma_provider, doubt),
  };
}

function exchangeLineItem(raw: JsonObject, doubt: Doubt): Complete<ExchangeLineItem> {
  return {
    id: someText(raw.id, MAX_TEXT_ID_CHARACTERS, doubt),
    line_item_platform_id: watchedText(raw.line_item_platform_id, doubt),
    product_platform_id: readText(raw.product_platform_id),
    product_name: readText(raw.product_name),
    variant_platform_id: watchedText(raw.variant_platform_id, doubt),
    variant_name: readText(raw.variant_name),
    sku: readText(raw.sku),
    status: someText(raw.status, MAX_STATUS_CHARACTERS, doubt),
    quantity: orNothing(raw.quantity, wholeNumber, doubt),
    total: readMoneyBag(raw.total),
  };
}

function refundTransaction(raw: JsonObject, doubt: Doubt): Complete<RefundTransaction> {
  return {
    platform_id: watchedText(raw.platform_id, doubt),
    amount: orNothing(raw.amount, moneyBag, doubt),
    gateway: watchedText(raw.gateway, doubt),
  };
}

function moneyBag(raw: unknown, doubt: Doubt): MoneyBag {
  const bag = object(raw, doubt);
  return {
    shop_money: orNothing(bag.shop_money, money, doubt),
    presentment_money: orNothing(bag.presentment_money, money, doubt),
  };
}

function money(raw: unknown, doubt: Doubt): Money {
  const { amount, currency_code } = object(raw, doubt);
  return { amount: orNothing(amount, finiteNumber, doubt), currency_code: watchedText(currency_code, doubt) };
}

function entities<Entity>(
  raw: unknown,
  read: (entity: JsonObject, doubt: Doubt) => Entity,
  doubt: Doubt,
): Lenient<Entity[]> {
  return watchedList(raw, (element) => read(object(element, doubt), doubt), doubt);
}

function watchedList<Element>(
  raw: unknown,
  read: (element: unknown, doubt: Doubt) => Element,
  doubt: Doubt,
): Lenient<Element[]> {
  if (raw === null || raw === undefined) return raw;
  if (!Array.isArray(raw)) {
    doubt.raised = true;
    return undefined;
  }
  const list: Element[] = [];
  for (const element of raw) list.push(read(element, doubt));
  return list;
}

function orNothing<Value>(
  raw: unknown,
  read: (value: unknown, doubt: Doubt) => Value,
  doubt: Doubt,
): Lenient<Value> {
  return raw === null || raw === undefined ? raw : read(raw, doubt);
}

function object(raw: unknown, doubt: Doubt): JsonObject {
  if (isJsonObject(raw)) return raw;
  doubt.raised = true;
  return {};
}

function watchedText(raw: unknown, doubt: Doubt): Lenient<string> {
  return raw === null || raw === undefined ? raw : decisiveText(raw, doubt);
}

function decisiveText(raw: unknown, doubt: Doubt): string {
  if (typeof raw === 'string' && raw.length <= MAX_DECISIVE_CHARACTERS) return raw;
  doubt.raised = true;
  return '';
}

function someText(raw: unknown, maxCharacters: number, doubt: Doubt): string {
  if (typeof raw === 'string' && raw.length > 0 && raw.length <= maxCharacters) return raw;
  doubt.raised = true;
  return '';
}

function finiteNumber(raw: unknown, doubt: Doubt): number {
  if (typeof raw === 'number' && Number.isFinite(raw)) return raw;
  doubt.raised = true;
  return 0;
}

function wholeNumber(raw: unknown, doubt: Doubt): number {
  if (Number.isSafeInteger(raw)) return raw as number;
  doubt.raised = true;
  return 0;
}

function identifier(raw: unknown, doubt: Doubt): number {
  const id = wholeNumber(raw, doubt);
  if (id < 0) doubt.raised = true;
  return id;
}
