// Reads fields that are not decisive. A field of another shape than documented counts as absent and is reported as
// drift: no typo in a product's name costs a row. So does an id or a code that is far too long; names are cut when they
// are projected (project-group.ts).
import { MAX_CODE_CHARACTERS } from '../limits.ts';
import { isJsonObject, type JsonObject } from './json.ts';

/** A field that may be absent, undefined or null: all three say nothing. */
export type Lenient<Value> = Value | null | undefined;

export function readText(value: unknown): Lenient<string> {
  return typeof value === 'string' || value === null ? value : undefined;
}

/** An id, a code or a stamp. */
export function readCode(value: unknown): Lenient<string> {
  const text = readText(value);
  return typeof text === 'string' && text.length > MAX_CODE_CHARACTERS ? undefined : text;
}

/** JSON can hold numbers that are too large for a number. */
function readNumber(value: unknown): Lenient<number> {
  if (value === null) return null;
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function readWholeNumber(value: unknown): Lenient<number> {
  if (value === null) return null;
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined;
}

function readObject<Value>(value: unknown, read: (object: JsonObject) => Value): Lenient<Value> {
  if (value === null) return null;
  return isJsonObject(value) ? read(value) : undefined;
}

/** Unreadable if the amount or the currency is: a default in its place would make another amount. */
function readMoney(value: unknown) {
  if (!isJsonObject(value)) return value === null ? null : undefined;
  const amount = readNumber(value.amount);
  const currency_code = readCode(value.currency_code);
  // Present, but not a number or a text. An absent or null value has its documented default.
  if (amount === undefined && value.amount !== undefined) return undefined;
  if (currency_code === undefined && value.currency_code !== undefined) return undefined;
  return { amount, currency_code };
}

export function readMoneyBag(value: unknown) {
  return readObject(value, (bag) => ({
    shop_money: readMoney(bag.shop_money),
    presentment_money: readMoney(bag.presentment_money),
  }));
}

export function readReturnReason(value: unknown) {
  return readObject(value, (reason) => ({ value: readText(reason.value), label: readText(reason.label) }));
}

export function readOrder(value: unknown) {
  return readObject(value, (order) => ({
    id: readWholeNumber(order.id),
    platform_id: readCode(order.platform_id),
    name: readText(order.name),
  }));
}

export function readCustomer(value: unknown) {
  return readObject(value, (customer) => ({
    name: readText(customer.name),
    email: readText(customer.email),
    phone: readText(customer.phone),
  }));
}
