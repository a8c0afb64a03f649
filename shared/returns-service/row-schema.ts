// The shape that a row must have to be read. A decisive field (an id, a status, a stamp, a watched field) may be absent
// or null if the feed can do without it, but must not have another shape: nothing in place of "2", or 2, would be
// published as a change that never was, so the row is unreadable. All other fields are context (read-context.ts), never
// an issue.
import * as z from 'zod';
import { readCustomer, readMoneyBag, readOrder, readReturnReason, readText } from './read-context.ts';
import type { Lenient } from './resources/as-read.ts';
import type { DocumentedExchangeLineItem } from './resources/exchange-line-item.ts';
import type { DocumentedRefundTransaction } from './resources/refund.ts';
import type { DocumentedReturnGroup, ReturnGroup } from './resources/return-group.ts';
import type { DocumentedReturnLineItem } from './resources/return-line-item.ts';
import type { DocumentedShipment } from './resources/shipment.ts';

/** No carrier's name or tracking number is longer; a longer text is something else and would not fit an event. */
export const MAX_DECISIVE_CHARACTERS = 1_024;
export const MAX_STATUS_CHARACTERS = 100;
export const MAX_TEXT_ID_CHARACTERS = 200;
export const MAX_STAMP_CHARACTERS = 64;

let schema: z.ZodType<ReturnGroup> | undefined;

/** Built on first use, which a service that keeps to its document never causes (read-quickly.ts). */
export function rowSchema(): z.ZodType<ReturnGroup> {
  schema ??= returnGroup();
  return schema;
}

/** The schemas of the fields that are read of a resource: documented fields only. */
type Fields<Documented> = { readonly [Field in Exclude<keyof Documented, 'type'>]?: z.ZodType };

function returnGroup(): z.ZodType<ReturnGroup> {
  return z.object({
    id: identifier(),
    return_method: text().nullish(),
    credit_method: text().nullish(),
    created_at: someText(MAX_STAMP_CHARACTERS),
    updated_at: someText(MAX_STAMP_CHARACTERS),
    return_outcome: text().nullish(),
    order: context(readOrder),
    customer: context(readCustomer),
    shipments: z.array(shipment()).nullish(),
    returns: z.array(returnLineItem()).nullish(),
    exchange_line_items: z.array(exchangeLineItem()).nullish(),
    refund_transactions: z.array(refundTransaction()).nullish(),
  } satisfies Fields<DocumentedReturnGroup>);
}

function shipment() {
  return z.object({
    id: identifier(),
    status: someText(MAX_STATUS_CHARACTERS),
    carrier: text().nullish(),
    tracking_number: text().nullish(),
    created_at: context(readText),
    shipped_at: text().nullish(),
    delivered_at: text().nullish(),
    return_ids: z.array(identifier()).nullish(),
  } satisfies Fields<DocumentedShipment>);
}

function returnLineItem() {
  return z.object({
    id: identifier(),
    platform_id: context(readText),
    created_at: context(readText),
    status: someText(MAX_STATUS_CHARACTERS),
    shipment_id: identifier().nullish(),
    platform_refund_transaction_ids: z.array(text()).nullish(),
    platform_line_item_id: context(readText),
    product_platform_id: context(readText),
    product_name: context(readText),
    variant_platform_id: context(readText),
    variant_name: context(readText),
    sku: context(readText),
    barcode: context(readText),
    quantity: z.int().nullish(),
    return_reason_details: context(readReturnReason),
    total: context(readMoneyBag),
    last_rma_number: text().nullish(),
    last_rma_provider: text().nullish(),
  } satisfies Fields<DocumentedReturnLineItem>);
}

function exchangeLineItem() {
  return z.object({
    id: someText(MAX_TEXT_ID_CHARACTERS),
    line_item_platform_id: text().nullish(),
    product_platform_id: context(readText),
    product_name: context(readText),
    variant_platform_id: text().nullish(),
    variant_name: context(readText),
    sku: context(readText),
    status: someText(MAX_STATUS_CHARACTERS),
    quantity: z.int().nullish(),
    total: context(readMoneyBag),
  } satisfies Fields<DocumentedExchangeLineItem>);
}

/** A refund has no id of the service's own. All its fields distinguish it from others, so all of them are decisive. */
function refundTransaction() {
  const money = z.object({ amount: z.number().nullish(), currency_code: text().nullish() }).nullish();
  return z.object({
    platform_id: text().nullish(),
    amount: z.object({ shop_money: money, presentment_money: money }).nullish(),
    gateway: text().nullish(),
  } satisfies Fields<DocumentedRefundTransaction>);
}

/** A whole number from 0 that JSON.parse read exactly: at most 2^53 - 1. */
function identifier() {
  return z.int().min(0);
}

function text() {
  return z.string().max(MAX_DECISIVE_CHARACTERS);
}

function someText(maxCharacters: number) {
  return z.string().min(1).max(maxCharacters);
}

function context<Value>(read: (value: unknown) => Lenient<Value>): z.ZodOptional<z.ZodType<Value | null>> {
  // A transform returns undefined for an absent key and leaves it out, as an optional schema does.
  return z.transform(read) as unknown as z.ZodOptional<z.ZodType<Value | null>>;
}
