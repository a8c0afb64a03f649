// A batch whose entries together are larger than one call takes goes out in several. What is too large by itself is
// refused here, or by the service where that takes less than we think.
import type { SendResult } from '../../shared/ports.ts';

export interface Sized {
  readonly bytes: number;
}

export interface PartsOptions<Entry extends Sized> {
  /** Of one call. */
  readonly maxBytes: number;
  /** One call: a result per entry, in order. */
  readonly send: (entries: readonly Entry[]) => Promise<SendResult[]>;
  /** Whether the error says that the call was larger than the service takes. */
  readonly isTooLarge: (error: unknown) => boolean;
}

/**
 * @returns one result per entry, in order.
 * @throws what a call throws, unless it says that it was too large; calls before it may have been taken.
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

/** Consecutive runs that fit; an entry that does not fit by itself is a run of its own. */
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
