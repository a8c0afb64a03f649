// Reads a row, and names its faults. A decisive field (an id, a status, a stamp, a watched field, any field of a
// refund) may be absent or null if the feed can do without it. In another shape than documented it makes the row
// unreadable: read as absent, or converted, it would be published as a change that never happened. All other fields are
// context (read-context.ts), and never a fault.
//
// A page has to be read and compared in little more time than JSON.parse takes, so these are plain functions: a schema
// of zod takes several times as long.
import { MAX_CODE_CHARACTERS, MAX_ID_LIST_CHARACTERS } from '../limits.ts';
import { isJsonObject, type JsonObject, kindOf } from './json.ts';
import {
  type Lenient,
  readCode,
  readCustomer,
  readMoneyBag,
  readOrder,
  readReturnReason,
  readText,
} from './read-context.ts';

const MAX_STATUS_CHARACTERS = 100;
const MAX_TEXT_ID_CHARACTERS = 200;
const MAX_STAMP_CHARACTERS = 64;
/** Faults named for one row; the others are only counted. */
const MAX_FAULTS = 3;

/** The faults of a row. A fault never quotes a value, because rows contain personal data. */
interface Faults {
  /** The first ones, such as `shipments[0].status is empty`. */
  readonly named: string[];
  count: number;
}

/** Reads a value and notes its faults by its name, or by its place in a list. */
type Reader<Value> = (raw: unknown, key: Key, faults: Faults) => Value;
type Key = string | number;

/**
 * A return group as read: the fields that may be published, under the document's names. Everything but ids, statuses
 * and the group's own stamps may be undefined or null. An absent or null array says nothing of its entities; an empty
 * one says that there are none.
 */
export type ReturnGroup = ReturnType<typeof returnGroup>;

export type ReadRow = { readonly group: ReturnGroup } | { readonly reason: string };

/** @returns the group or, in words, why the row is none */
export function readRow(raw: unknown): ReadRow {
  if (!isJsonObject(raw)) return { reason: `the row is ${kindOf(raw)}, not an object` };
  const faults: Faults = { named: [], count: 0 };
  const group = returnGroup(raw, faults);
  return faults.count === 0 ? { group } : { reason: describe(faults) };
}

function describe({ named, count }: Faults): string {
  const more = count - named.length;
  return more > 0 ? `${named.join('; ')}; and ${more} more` : named.join('; ');
}

// These name every field, even absent ones: objects of one form are the fastest to make and to compare. Fields that are
// never published (addresses, notes, answers, tags, most amounts) are not read at all.
function returnGroup(raw: JsonObject, faults: Faults) {
  return {
    id: identifier(raw.id, 'id', faults),
    return_method: optionalText(raw.return_method, 'return_method', faults),
    credit_method: optionalText(raw.credit_method, 'credit_method', faults),
    created_at: someText(raw.created_at, 'created_at', MAX_STAMP_CHARACTERS, faults),
    updated_at: someText(raw.updated_at, 'updated_at', MAX_STAMP_CHARACTERS, faults),
    return_outcome: optionalText(raw.return_outcome, 'return_outcome', faults),
    order: readOrder(raw.order),
    customer: readCustomer(raw.customer),
    shipments: entities(raw.shipments, 'shipments', shipment, faults),
    returns: entities(raw.returns, 'returns', returnLineItem, faults),
    exchange_line_items: entities(raw.exchange_line_items, 'exchange_line_items', exchangeLineItem, faults),
    refund_transactions: entities(raw.refund_transactions, 'refund_transactions', refundTransaction, faults),
  };
}

function shipment(raw: JsonObject, faults: Faults) {
  return {
    id: identifier(raw.id, 'id', faults),
    status: someText(raw.status, 'status', MAX_STATUS_CHARACTERS, faults),
    carrier: optionalText(raw.carrier, 'carrier', faults),
    tracking_number: optionalText(raw.tracking_number, 'tracking_number', faults),
    created_at: readCode(raw.created_at),
    shipped_at: optionalText(raw.shipped_at, 'shipped_at', faults),
    delivered_at: optionalText(raw.delivered_at, 'delivered_at', faults),
    return_ids: idList(raw.return_ids, 'return_ids', identifier, faults),
  };
}

function returnLineItem(raw: JsonObject, faults: Faults) {
  return {
    id: identifier(raw.id, 'id', faults),
    platform_id: readCode(raw.platform_id),
    created_at: readCode(raw.created_at),
    status: someText(raw.status, 'status', MAX_STATUS_CHARACTERS, faults),
    shipment_id: orNothing(raw.shipment_id, 'shipment_id', identifier, faults),
    platform_refund_transaction_ids: idList(
      raw.platform_refund_transaction_ids,
      'platform_refund_transaction_ids',
      decisiveText,
      faults,
    ),
    platform_line_item_id: readCode(raw.platform_line_item_id),
    product_platform_id: readCode(raw.product_platform_id),
    product_name: readText(raw.product_name),
    variant_platform_id: readCode(raw.variant_platform_id),
    variant_name: readText(raw.variant_name),
    sku: readCode(raw.sku),
    barcode: readCode(raw.barcode),
    quantity: orNothing(raw.quantity, 'quantity', wholeNumber, faults),
    return_reason_details: readReturnReason(raw.return_reason_details),
    total: readMoneyBag(raw.total),
    last_rma_number: optionalText(raw.last_rma_number, 'last_rma_number', faults),
    last_rma_provider: optionalText(raw.last_rma_provider, 'last_rma_provider', faults),
  };
}

function exchangeLineItem(raw: JsonObject, faults: Faults) {
  return {
    id: someText(raw.id, 'id', MAX_TEXT_ID_CHARACTERS, faults),
    line_item_platform_id: optionalText(raw.line_item_platform_id, 'line_item_platform_id', faults),
    product_platform_id: readCode(raw.product_platform_id),
    product_name: readText(raw.product_name),
    variant_platform_id: optionalText(raw.variant_platform_id, 'variant_platform_id', faults),
    variant_name: readText(raw.variant_name),
    sku: readCode(raw.sku),
    status: someText(raw.status, 'status', MAX_STATUS_CHARACTERS, faults),
    quantity: orNothing(raw.quantity, 'quantity', wholeNumber, faults),
    total: readMoneyBag(raw.total),
  };
}

function refundTransaction(raw: JsonObject, faults: Faults) {
  return {
    platform_id: optionalText(raw.platform_id, 'platform_id', faults),
    amount: orNothing(raw.amount, 'amount', moneyBag, faults),
    gateway: optionalText(raw.gateway, 'gateway', faults),
  };
}

function moneyBag(raw: unknown, key: Key, faults: Faults) {
  return object(raw, key, faults, (bag) => ({
    shop_money: orNothing(bag.shop_money, 'shop_money', money, faults),
    presentment_money: orNothing(bag.presentment_money, 'presentment_money', money, faults),
  }));
}

function money(raw: unknown, key: Key, faults: Faults) {
  return object(raw, key, faults, (part) => ({
    amount: orNothing(part.amount, 'amount', finiteNumber, faults),
    currency_code: optionalText(part.currency_code, 'currency_code', faults),
  }));
}

function entities<Entity>(
  raw: unknown,
  key: Key,
  read: (entity: JsonObject, faults: Faults) => Entity,
  faults: Faults,
): Lenient<Entity[]> {
  const readOne = (entity: JsonObject) => read(entity, faults);
  return watchedList(raw, key, (element, index) => object(element, index, faults, readOne), faults);
}

/** Longer than the ids themselves: a comma, two quotation marks. */
const AROUND_ID = 3;

/** A list that is in an event, which must not become too large to send. */
function idList<Id extends string | number>(
  raw: unknown,
  key: Key,
  read: Reader<Id>,
  faults: Faults,
): Lenient<Id[]> {
  const ids = watchedList(raw, key, read, faults);
  let characters = 0;
  for (const id of ids ?? []) characters += String(id).length + AROUND_ID;
  return characters <= MAX_ID_LIST_CHARACTERS ? ids : fault([], key, 'is too long', faults);
}

function watchedList<Element>(
  raw: unknown,
  key: Key,
  read: Reader<Element>,
  faults: Faults,
): Lenient<Element[]> {
  if (raw === null || raw === undefined) return raw;
  if (!Array.isArray(raw)) return mismatch([], raw, key, 'an array', faults);
  const before = faults.count;
  const list: Element[] = [];
  for (let index = 0; index < raw.length; index += 1) list.push(read(raw[index], index, faults));
  placeIn(key, before, faults);
  return list;
}

function object<Value>(raw: unknown, key: Key, faults: Faults, read: (object: JsonObject) => Value): Value {
  const before = faults.count;
  if (!isJsonObject(raw)) return mismatch({} as Value, raw, key, 'an object', faults);
  const value = read(raw);
  placeIn(key, before, faults);
  return value;
}

function orNothing<Value>(raw: unknown, key: Key, read: Reader<Value>, faults: Faults): Lenient<Value> {
  return raw === null || raw === undefined ? raw : read(raw, key, faults);
}

function optionalText(raw: unknown, key: Key, faults: Faults): Lenient<string> {
  return orNothing(raw, key, decisiveText, faults);
}

function decisiveText(raw: unknown, key: Key, faults: Faults): string {
  if (typeof raw !== 'string') return mismatch('', raw, key, 'a text', faults);
  return raw.length <= MAX_CODE_CHARACTERS ? raw : fault('', key, 'is too long', faults);
}

function someText(raw: unknown, key: Key, maxCharacters: number, faults: Faults): string {
  if (typeof raw !== 'string') return mismatch('', raw, key, 'a text', faults);
  if (raw.length === 0) return fault('', key, 'is empty', faults);
  return raw.length <= maxCharacters ? raw : fault('', key, 'is too long', faults);
}

/** JSON can hold numbers that are too large for a number. */
function finiteNumber(raw: unknown, key: Key, faults: Faults): number {
  if (typeof raw === 'number' && Number.isFinite(raw)) return raw;
  return mismatch(0, raw, key, 'a number', faults);
}

/** One that JSON.parse read exactly. */
function wholeNumber(raw: unknown, key: Key, faults: Faults): number {
  if (!Number.isInteger(raw)) return mismatch(0, raw, key, 'a whole number', faults);
  return Number.isSafeInteger(raw) ? (raw as number) : fault(0, key, 'is beyond 2^53', faults);
}

function identifier(raw: unknown, key: Key, faults: Faults): number {
  const id = wholeNumber(raw, key, faults);
  return id >= 0 ? id : fault(0, key, 'is a negative number', faults);
}

/** @param instead a value of the right type; the row's group is not used */
function mismatch<Value>(instead: Value, raw: unknown, key: Key, expected: string, faults: Faults): Value {
  const kind = kindOf(raw);
  return fault(instead, key, raw === undefined ? 'is missing' : `is ${kind}, not ${expected}`, faults);
}

function fault<Value>(instead: Value, key: Key, what: string, faults: Faults): Value {
  faults.count += 1;
  if (faults.named.length < MAX_FAULTS) faults.named.push(`${stepOf(key)} ${what}`);
  return instead;
}

/** Prefixes the faults noted since `from` with the name of the object or list that holds them. */
function placeIn(key: Key, from: number, { named, count }: Faults): void {
  if (count === from) return;
  for (let index = from; index < named.length; index += 1) {
    const fault = named[index] ?? '';
    named[index] = `${stepOf(key)}${fault.startsWith('[') ? '' : '.'}${fault}`;
  }
}

function stepOf(key: Key): string {
  return typeof key === 'number' ? `[${key}]` : key;
}
