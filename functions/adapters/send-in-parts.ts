// Splits a batch whose entries exceed the limit of one call into several calls. An entry that is too large by itself is
// refused here, or by the service if its limit is lower than expected.
import type { SendResult } from '../../shared/ports.ts';

export interface Sized {
  readonly bytes: number;
}

export interface PartsOptions<Entry extends Sized> {
  /** The limit of one call. */
  readonly maxBytes: number;
  /** Makes one call; returns a result per entry, in order. */
  readonly send: (entries: readonly Entry[]) => Promise<SendResult[]>;
  /** Whether the error means that the call was too large for the service. */
  readonly isTooLarge: (error: unknown) => boolean;
}

/**
 * @returns one result per entry, in order
 * @throws any error of a call, unless the call was too large; earlier calls may have succeeded
 */
export async function sendInParts<Entry extends Sized>(
  entries: readonly Entry[],
  options: PartsOptions<Entry>,
): Promise<SendResult[]> {
  const results: SendResult[] = [];
  for (const part of cut(entries, options.maxBytes)) results.push(...(await sendPart(part, options)));
  return results;
}

async function sendPart<Entry extends Sized>(
  part: readonly Entry[],
  options: PartsOptions<Entry>,
): Promise<SendResult[]> {
  const [first] = part;
  if (first === undefined) return [];
  if (first.bytes > options.maxBytes) return [tooLarge(first)];
  try {
    return await options.send(part);
  } catch (error) {
    if (!options.isTooLarge(error)) throw error;
    if (part.length === 1) return [tooLarge(first)];
    const half = Math.ceil(part.length / 2);
    return [
      ...(await sendPart(part.slice(0, half), options)),
      ...(await sendPart(part.slice(half), options)),
    ];
  }
}

/** Consecutive runs that fit in one call; an entry that does not fit by itself is its own run. */
function cut<Entry extends Sized>(entries: readonly Entry[], maxBytes: number): Entry[][] {
  const parts: Entry[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const entry of entries) {
    if (bytes + entry.bytes > maxBytes) {
      parts.push([]);
      bytes = 0;
    }
    parts.at(-1)?.push(entry);
    bytes += entry.bytes;
  }
  return parts;
}

function tooLarge({ bytes }: Sized): SendResult {
  return { sent: false, cause: 'refused', reason: `too large (${bytes} bytes)` };
}
