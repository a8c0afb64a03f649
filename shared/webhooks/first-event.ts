// Where a webhook begins with a group: a new webhook does not get what happened before it was there.
import { type Instant, parseStamp } from '../instant.ts';
import { RELAY_READ_EVENTS } from '../limits.ts';
import type { GroupKey, Ledger, LedgerEntry } from '../ports.ts';

/**
 * Returns the number of the first event that the feed observed at or after the webhook's start; the number after the
 * last event if there is none.
 */
export async function firstEventSince(
  ledger: Pick<Ledger, 'read'>,
  key: GroupKey,
  startedAt: Instant,
): Promise<number> {
  for (let last = 0; ; ) {
    const entries = await ledger.read(key, last, RELAY_READ_EVENTS);
    const first = entries.find((entry) => observedAt(entry) >= startedAt);
    if (first !== undefined) return first.sequence;
    last = entries.at(-1)?.sequence ?? last;
    if (entries.length < RELAY_READ_EVENTS) return last + 1;
  }
}

/** An event that can't be decoded does not count as old: its sender reports it. */
function observedAt(entry: LedgerEntry): Instant {
  if (!('event' in entry)) return Number.POSITIVE_INFINITY;
  return parseStamp(entry.event.data.observed.by)?.instant ?? Number.POSITIVE_INFINITY;
}
