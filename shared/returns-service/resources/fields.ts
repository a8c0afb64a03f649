// The words that the schemas of the resources are written in, twice: as the document promises a field
// (`documented…`) and as the feed reads it. A field that decides what is published (an id, a status, a stamp, a
// watched field) may be absent or null, where the feed can do without it, but must not have another shape: the row
// is then unreadable, for "2" taken for nothing, or nothing for 2, would be published as a change that never was.
// A field that is only context is dropped instead, and told as drift: no typo in a product's name costs a row. What
// is never published (addresses, notes, answers, tags, most amounts) is not read at all.
import * as z from 'zod';
import { isJsonObject, type JsonObject } from '../json.ts';

/** No id, status or tracking number is longer; beyond it is no such thing, and would not fit an event. */
export const MAX_DECISIVE_CHARACTERS = 1_024;
export const MAX_STATUS_CHARACTERS = 100;
export const MAX_TEXT_ID_CHARACTERS = 200;
export const MAX_STAMP_CHARACTERS = 64;

export const documentedTimestamp = z.string().meta({ format: 'date-time' });

/** A whole number from 0 that JSON.parse read exactly, at most 2^53 - 1. */
export const identifier = z.int().min(0);
/** The id of an exchange line item, which is a text. */
export const textIdentifier = z.string().min(1).max(MAX_TEXT_ID_CHARACTERS);
/** Its value is checked by {@link parseReturnGroup}. */
export const indispensableStamp = z.string().min(1).max(MAX_STAMP_CHARACTERS);
export const indispensableStatus = z.string().min(1).max(MAX_STATUS_CHARACTERS);

const decisiveText = z.string().max(MAX_DECISIVE_CHARACTERS);
export const watchedText = decisiveText.nullish();
export const watchedTexts = z.array(decisiveText).nullish();
export const watchedInteger = z.int().nullish();
export const watchedNumber = z.number().nullish();
export const watchedIdentifier = identifier.nullish();
export const watchedIdentifiers = z.array(identifier).nullish();

/** The schemas of what is read of a resource: a part of what is documented, and nothing else. */
export type Fields<Documented> = { readonly [Field in Exclude<keyof Documented, 'type'>]?: z.ZodType };

/** What a field that is only context was read as; undefined where it is absent or has another shape. */
export type Lenient<Value> = Value | null | undefined;

export function readText(value: unknown): Lenient<string> {
  return typeof value === 'string' || value === null ? value : undefined;
}

/** JSON can write numbers that are beyond all that a number can be. */
export function readNumber(value: unknown): Lenient<number> {
  if (value === null) return null;
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

export function readIdentifier(value: unknown): Lenient<number> {
  if (value === null) return null;
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined;
}

/** Reads an object with a function of its own; null stays null, anything else is absent. */
export function readObject<Value>(value: unknown, read: (object: JsonObject) => Value): Lenient<Value> {
  if (value === null) return null;
  return isJsonObject(value) ? read(value) : undefined;
}

/**
 * A field that is only context, as part of a zod object. Never an issue: `read` answers undefined for what it
 * can't use.
 */
export function context<Value>(
  read: (value: unknown) => Lenient<Value>,
): z.ZodOptional<z.ZodType<Value | null>> {
  // A transform answers undefined for an absent key and leaves it out, as an optional schema does.
  return z.transform(read) as unknown as z.ZodOptional<z.ZodType<Value | null>>;
}
