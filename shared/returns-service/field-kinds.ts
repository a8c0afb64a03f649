// The kinds of fields, and the one rule for all of them. A value that can be converted exactly is: digits sent as a
// number, a number sent as a text, null in place of a list. So events have the documented types, whatever the service's
// serializer. Any other value of another kind can't be read. It costs its field alone: read as absent, or guessed, it
// would be published as a change that never happened.
//
// A page has to be read in little more time than JSON.parse takes, so these are plain functions: a schema of zod takes
// several times as long.
import { parseStamp, type Stamp } from '../instant.ts';
import { MAX_CODE_CHARACTERS, MAX_ID_LIST_CHARACTERS } from '../limits.ts';
import { isJsonObject, type JsonObject, kindOf } from './json.ts';

/** Stands for a value that can't be read. No field that is read is a boolean. */
export const UNREADABLE: false = false;

/** A field that may be absent (undefined), null or unreadable. */
export type Lenient<Value> = Value | null | undefined | typeof UNREADABLE;

/** A field that can't be read, or lacks where it is required. Never quotes a value: rows hold personal data. */
export interface Fault {
  /** For instance `shipment.carrier`. */
  readonly field: string;
  /** Its shape in words that fit behind its name, such as `is an object`. */
  readonly shape: string;
}

/** Returns the value, or undefined for one that can't be read exactly. */
export type Kind<Value> = (raw: unknown) => Value | undefined;

/** An object whose fields are read, and where their faults are noted. */
export interface Fields {
  /** As in the document's `type`, or a similar name. */
  readonly name: string;
  readonly raw: JsonObject;
  readonly faults: Fault[];
}

/** A field that may be absent or null. */
export function optional<Value>(of: Fields, field: string, kind: Kind<Value>): Lenient<Value> {
  const raw = of.raw[field];
  return raw === null || raw === undefined ? raw : (required(of, field, kind) ?? UNREADABLE);
}

/** A field that nothing can stand for. @returns undefined, with a fault noted, if it can't be read or lacks */
export function required<Value>(
  { name, raw, faults }: Fields,
  field: string,
  kind: Kind<Value>,
): Value | undefined {
  const value = raw[field] === null ? undefined : kind(raw[field]);
  if (value === undefined) faults.push(faultOf(`${name}.${field}`, raw[field]));
  return value;
}

export function faultOf(field: string, raw: unknown): Fault {
  return { field, shape: `is ${shapeOf(raw)}` };
}

export function shown<Value>(value: Lenient<Value>): value is Value {
  return value !== null && value !== undefined && value !== UNREADABLE;
}

/** Only people read it. Names are cut when they are projected (project-group.ts). */
export function text(raw: unknown): string | undefined {
  return typeof raw === 'string' ? raw : Number.isSafeInteger(raw) ? String(raw) : undefined;
}

/** An id or a code. */
export function code(raw: unknown): string | undefined {
  return atMost(MAX_CODE_CHARACTERS, text(raw));
}

/** A value of an enumeration, or a stamp: a number in its place means something else. */
export function word(raw: unknown): string | undefined {
  return typeof raw === 'string' ? atMost(MAX_CODE_CHARACTERS, raw) : undefined;
}

/** Of the row itself: the stamps by which it is read. */
export function stamp(raw: unknown): Stamp | undefined {
  return typeof raw === 'string' ? parseStamp(raw) : undefined;
}

const MAX_STATUS_CHARACTERS = 100;

export function status(raw: unknown): string | undefined {
  return atMost(MAX_STATUS_CHARACTERS, word(raw)) || undefined;
}

const MAX_TEXT_ID_CHARACTERS = 200;

export function textId(raw: unknown): string | undefined {
  return atMost(MAX_TEXT_ID_CHARACTERS, text(raw)) || undefined;
}

/** As JSON has whole numbers. */
const DIGITS = /^-?(?:0|[1-9]\d{0,15})$/;

export function wholeNumber(raw: unknown): number | undefined {
  const number = typeof raw === 'string' && DIGITS.test(raw) ? Number(raw) : raw;
  return Number.isSafeInteger(number) ? (number as number) : undefined;
}

export function identifier(raw: unknown): number | undefined {
  const id = wholeNumber(raw);
  return id !== undefined && id >= 0 ? id : undefined;
}

/** As JSON has numbers, no longer than any amount. */
const DECIMAL = /^-?(?:0|[1-9]\d{0,20})(?:\.\d{1,30})?(?:[eE][+-]?\d{1,3})?$/;

/** JSON can hold numbers that are too large for a number. */
function decimal(raw: unknown): number | undefined {
  const number = typeof raw === 'string' && DECIMAL.test(raw) ? Number(raw) : raw;
  return Number.isFinite(number) ? (number as number) : undefined;
}

/** Longer than the ids themselves: a comma, two quotation marks. */
const AROUND_ID = 3;

/** A list that is in an event, which must not become too large to send. */
export function listOf<Id extends string | number>(kind: Kind<Id>): Kind<Id[]> {
  return (raw) => {
    if (!Array.isArray(raw)) return undefined;
    const ids: Id[] = [];
    if (isNullAlone(raw)) return ids;
    let characters = 0;
    for (const each of raw) {
      const id = kind(each);
      if (id === undefined) return undefined;
      characters += String(id).length + AROUND_ID;
      ids.push(id);
    }
    return characters <= MAX_ID_LIST_CHARACTERS ? ids : undefined;
  };
}

/** An aggregate over an outer join shows `[null]` for no rows. */
export function isNullAlone(list: readonly unknown[]): boolean {
  return list.length === 1 && list[0] === null;
}

/** Unreadable as a whole if one part is: a default in its place would make another amount. */
export function moneyBag(raw: unknown) {
  if (!isJsonObject(raw)) return undefined;
  const [shop_money, presentment_money] = [part(raw.shop_money, money), part(raw.presentment_money, money)];
  if (shop_money === UNREADABLE || presentment_money === UNREADABLE) return undefined;
  return { shop_money, presentment_money };
}

function money(raw: unknown) {
  if (!isJsonObject(raw)) return undefined;
  const [amount, currency_code] = [part(raw.amount, decimal), part(raw.currency_code, word)];
  return amount === UNREADABLE || currency_code === UNREADABLE ? undefined : { amount, currency_code };
}

function part<Value>(raw: unknown, kind: Kind<Value>): Lenient<Value> {
  return raw === null || raw === undefined ? raw : (kind(raw) ?? UNREADABLE);
}

export function object(raw: unknown): JsonObject | undefined {
  return isJsonObject(raw) ? raw : undefined;
}

function atMost(characters: number, value: string | undefined): string | undefined {
  return value !== undefined && value.length <= characters ? value : undefined;
}

function shapeOf(raw: unknown): string {
  if (typeof raw === 'string') return raw === '' ? 'empty' : `a text of ${raw.length} characters`;
  if (Array.isArray(raw)) return `an array of ${raw.length}`;
  if (Number.isInteger(raw) && !Number.isSafeInteger(raw)) return 'beyond 2^53';
  return typeof raw === 'number' && raw < 0 && Number.isInteger(raw) ? 'a negative number' : kindOf(raw);
}
