import type * as z from 'zod';
import { UnreadableItemError } from '../../functions/adapters/stored-format.ts';
import { RESTORE } from './store-error.ts';

/** A column of bodies as {@link fromJson} takes it: SQLite returns text in half the time of bytes. */
export const BODY = 'CAST(body AS TEXT) AS body';

export function toJson(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}

/** Whether a stored body, as {@link BODY} returns it, has these bytes. */
export function isSameBody(body: unknown, bytes: Uint8Array): boolean {
  return typeof body === 'string' && Buffer.from(body).equals(bytes);
}

/**
 * @param name of the thing, for the error
 * @throws UnreadableItemError, which holds nothing of the body
 */
export function fromJson(body: unknown, name: string): unknown {
  try {
    return JSON.parse(body as string);
  } catch {
    throw new UnreadableItemError(`${name} can't be read: its body is not JSON.`);
  }
}

/** As {@link fromJson}, with the way out. @throws UnreadableItemError for another form, too */
export function parseBody<Value>(schema: z.ZodType<Value>, body: unknown, name: string): Value {
  try {
    return schema.parse(fromJson(body, name));
  } catch (cause) {
    throw new UnreadableItemError(
      `${name} can't be read: another release wrote it, or the database is damaged. ${RESTORE}`,
      { cause },
    );
  }
}
