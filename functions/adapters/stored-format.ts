// Every stored item names the format that it was written in (attribute `v`). A format is raised only where an
// older release would misread the new one: attributes and fields that are merely added are ignored by releases
// that don't know them. A release reads the format before its own, so that an upgrade needs no migration, and so
// that going back one release is possible if the release that first reads a format is not the one to write it.
import { numberValue, type StoredItem, storedNumber } from './attribute-values.ts';

/** How an item is read, by the format that it is in. */
export type FormatReaders<Value> = Readonly<Record<number, (item: StoredItem) => Value>>;

/** A stored item that this release can't read. Holds nothing of the item but its key. */
export class UnreadableItemError extends Error {
  override readonly name = 'UnreadableItemError';
}

/** @throws UnreadableItemError for a format that no reader is for. */
export function readStored<Value>(item: StoredItem, readers: FormatReaders<Value>): Value {
  const format = storedNumber.safeParse(item.v).data;
  const read = format === undefined ? undefined : readers[format];
  if (read === undefined) {
    throw new UnreadableItemError(
      `Stored item "${item.k?.S}" is in format ${format ?? '(none)'}; this release reads ` +
        `${Object.keys(readers).join(' and ')}. Another release wrote it: use that one or a later one.`,
    );
  }
  return read(item);
}

export function formatAttribute(format: number) {
  return { v: numberValue(format) };
}
