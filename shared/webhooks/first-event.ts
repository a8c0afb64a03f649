// The first of a group's events that a webhook gets, by the time of its start.
import { type Instant, parseStamp } from '../instant.ts';
import { RELAY_READ_EVENTS } from '../limits.ts';
import type { GroupKey, Ledger, LedgerEntry } from '../ports.ts';

export interface FirstEvent {
  /** Its number; the number after the last event if there is none. */
  readonly sequence: number;
  readonly isThere: boolean;
  /** The number of the ledger's last event before it, 0 if there is none. */
  readonly before: number;
}

/** Returns the first event that the feed observed at or after the webhook's start. */
export async function firstEventSince(
  ledger: Pick<Ledger, 'read'>,
  key: GroupKey,
  startedAt: Instant,
): Promise<FirstEvent> {
  for (let before = 0; ; ) {
    const entries = await ledger.read(key, before, RELAY_READ_EVENTS);
    for (const entry of entries) {
      if (observedAt(entry) >= startedAt) return { sequence: entry.sequence, isThere: true, before };
      before = entry.sequence;
    }
    if (entries.length < RELAY_READ_EVENTS) return { sequence: before + 1, isThere: false, before };
  }
}

/** An event that can't be decoded does not count as old: its sender reports it. */
export function observedAt(entry: LedgerEntry): Instant {
  if (!('event' in entry)) return Number.POSITIVE_INFINITY;
  return parseStamp(entry.event.data.observed.by)?.instant ?? Number.POSITIVE_INFINITY;
}
