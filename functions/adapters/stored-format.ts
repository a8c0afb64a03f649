// Every stored item names its format (attribute `v`). A format is raised only if an older release would misread the new
// one: releases ignore added attributes and fields that they don't know. A release also reads the previous format, so
// that an upgrade needs no migration. Going back one release is possible if the release that first reads a format does
// not yet write it.
import * as z from 'zod';
import { numberValue, type StoredItem, storedNumber } from './attribute-values.ts';

/** The readers of an item, by its format. */
export type FormatReaders<Value> = Readonly<Record<number, (item: StoredItem) => Value>>;

/** A stored item that this release can't read. Holds nothing of the item but its key. */
export class UnreadableItemError extends Error {
  override readonly name = 'UnreadableItemError';
}

/** @throws UnreadableItemError for a format without a reader, and for another form */
export function readStored<Value>(item: StoredItem, readers: FormatReaders<Value>): Value {
  const format = storedNumber.safeParse(item.v).data;
  const read = format === undefined ? undefined : readers[format];
  if (read === undefined) {
    throw new UnreadableItemError(
      `Stored item "${item.k?.S}" is in format ${format ?? '(none)'}; this release reads ` +
        `${Object.keys(readers).join(' and ')}. Another release wrote it: use that one or a later one.`,
    );
  }
  try {
    return read(item);
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    throw new UnreadableItemError(
      `Stored item "${item.k?.S}" can't be read: another release wrote it, or it is damaged.`,
      { cause: error },
    );
  }
}

/** @returns undefined for an item that can't be read: the next write replaces it */
export function readReplaceable<Value>(item: StoredItem, readers: FormatReaders<Value>): Value | undefined {
  try {
    return readStored(item, readers);
  } catch (error) {
    if (error instanceof UnreadableItemError) return undefined;
    throw error;
  }
}

export function formatAttribute(format: number) {
  return { v: numberValue(format) };
}
