// Reads one group's events from a ledger, for commands.
import { FEED_GROUP } from '../../shared/contract/event-id.ts';
import { RELAY_READ_EVENTS } from '../../shared/limits.ts';
import type { GroupKey, Ledger, LedgerEntry } from '../../shared/ports.ts';
import type { SkippedEvents } from './open-feed.ts';

/** All entries of a group that the ledger holds, in order. */
export async function readAll(ledger: Pick<Ledger, 'read'>, key: GroupKey): Promise<LedgerEntry[]> {
  const all: LedgerEntry[] = [];
  for (;;) {
    const some = await ledger.read(key, all.at(-1)?.sequence ?? 0, RELAY_READ_EVENTS);
    all.push(...some);
    if (some.length < RELAY_READ_EVENTS) return all;
  }
}

/** The skipped events of a return group, by the feed's own events about it. */
export async function listSkipped(
  ledger: Pick<Ledger, 'read'>,
  { source, generation, group }: GroupKey,
): Promise<SkippedEvents[]> {
  const entries = await readAll(ledger, { source, generation, group: FEED_GROUP });
  return entries.flatMap((entry) => {
    if (!('event' in entry) || entry.event.type !== 'feed.events_skipped') return [];
    const {
      destination,
      return_group_id,
      from_sequence: from,
      to_sequence: to,
      reason,
      ...of
    } = entry.event.data.object;
    const isOther = return_group_id !== group || (of.generation ?? generation) !== generation;
    return isOther ? [] : [{ destination, from, to, reason }];
  });
}
