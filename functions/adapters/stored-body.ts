// Snapshots and events are stored as deflated JSON. They are small and similar, so the window is filled beforehand with
// their usual content (stored-body-dictionary.ts): an ordinary snapshot or event then fits in one write unit. This is
// zlib's format, not raw deflate: for ten bytes, its checksum detects a damaged body.
import { deflateSync, inflateSync } from 'node:zlib';
import { DICTIONARY } from './stored-body-dictionary.ts';
import { UnreadableItemError } from './stored-format.ts';

const dictionary = Buffer.from(DICTIONARY);
/** 64 MiB: a body that inflates to more is damaged, because an item holds only 400 KB. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

export function encodeBody(value: unknown): Uint8Array {
  return deflateSync(JSON.stringify(value), { dictionary, level: 9 });
}

/** @throws UnreadableItemError, which holds nothing of the body */
export function decodeBody(bytes: Uint8Array): unknown {
  const text = bodyText(bytes);
  try {
    return JSON.parse(text);
  } catch {
    throw new UnreadableItemError('its body is not JSON');
  }
}

/** Whether both exist with the same content. Bytes may differ, because another zlib may deflate differently. */
export function isSameBody(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  try {
    return bodyText(a) === bodyText(b);
  } catch (error) {
    if (error instanceof UnreadableItemError) return false;
    throw error;
  }
}

function bodyText(bytes: Uint8Array): string {
  try {
    return inflateSync(bytes, { dictionary, maxOutputLength: MAX_BODY_BYTES }).toString();
  } catch (error) {
    throw new UnreadableItemError('its body is damaged', { cause: error });
  }
}
