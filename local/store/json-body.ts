import { UnreadableItemError } from '../../functions/adapters/stored-format.ts';

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
