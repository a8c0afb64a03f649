import type * as z from 'zod';
import { UnreadableItemError } from '../../functions/adapters/stored-format.ts';
import { RESTORE } from './store-error.ts';

export function toJson(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}

/**
 * @param name of the thing, for the error
 * @throws UnreadableItemError, which holds nothing of the body
 */
export function fromJson(bytes: unknown, name: string): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes as Uint8Array));
  } catch {
    throw new UnreadableItemError(`${name} can't be read: its body is not JSON.`);
  }
}

/** As {@link fromJson}, with the way out. @throws UnreadableItemError for another form, too */
export function parseBody<Value>(schema: z.ZodType<Value>, bytes: unknown, name: string): Value {
  try {
    return schema.parse(fromJson(bytes, name));
  } catch (cause) {
    throw new UnreadableItemError(
      `${name} can't be read: another release wrote it, or the database is damaged. ${RESTORE}`,
      { cause },
    );
  }
}
