// DynamoDB's attribute values, parsed with zod and written by hand: only three types are stored.
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';

export type StoredItem = Record<string, AttributeValue>;

export const storedText = z.object({ S: z.string() }).transform((value) => value.S);
export const storedNumber = z
  .object({ N: z.string() })
  .transform((value) => Number(value.N))
  .pipe(z.number());
export const storedBytes = z.object({ B: z.instanceof(Uint8Array) }).transform((value) => value.B);

export function numberValue(number: number): AttributeValue.NMember {
  return { N: String(number) };
}

/** DynamoDB's limits for one item and for all items of one transaction. */
export const MAX_ITEM_BYTES = 400 * 1024;
export const MAX_TRANSACTION_BYTES = 4 * 1024 * 1024;

/** An item's size towards its limit; a number counts as the largest possible one. */
export function itemBytes(item: StoredItem): number {
  let bytes = 0;
  for (const [name, value] of Object.entries(item)) {
    bytes += name.length + (value.B?.length ?? (value.S === undefined ? 21 : Buffer.byteLength(value.S)));
  }
  return bytes;
}
