// The skipped events of a return group, by the feed's own events about it.
import { FEED_GROUP } from '../../shared/contract/event-id.ts';
import type { GroupKey, Ledger } from '../../shared/ports.ts';
import type { SkippedEvents } from './open-feed.ts';
import { readAll } from './read-all.ts';

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
