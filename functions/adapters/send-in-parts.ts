// Splits a batch that exceeds the limit of one call into several calls. Halves a call that the service rejects as a
// whole, until each rejected entry is alone. So an entry is rejected for its own content only: here if it is too
// large by itself, otherwise by the service.
import type { SendResult } from '../../shared/ports.ts';

export interface Sized {
  readonly bytes: number;
}

export const TOO_LARGE = 'too large';
/** The limit of SNS and of EventBridge for all entries of one call: 1 MiB. */
export const MAX_CALL_BYTES = 1_048_576;

export interface PartsOptions<Entry extends Sized> {
  /** The limit of one call. */
  readonly maxBytes: number;
  /** Makes one call; returns a result per entry, in order. */
  readonly send: (entries: readonly Entry[]) => Promise<SendResult[]>;
  /** Why the service rejects an entry of the call for its content; undefined for all other errors. */
  readonly rejectionOf: (error: Error) => string | undefined;
}

/**
 * @returns one result per entry, in order
 * @throws any error of a call that is not about an entry's content; earlier calls may have succeeded
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
  if (first.bytes > options.maxBytes) return [rejected(first, TOO_LARGE)];
  try {
    return await options.send(part);
  } catch (error) {
    const reason = error instanceof Error ? options.rejectionOf(error) : undefined;
    if (reason === undefined) throw error;
    if (part.length === 1) return [rejected(first, reason)];
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

function rejected({ bytes }: Sized, reason: string): SendResult {
  return { sent: false, cause: 'rejected', reason: `${reason} (${bytes} bytes)` };
}
