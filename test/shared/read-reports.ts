import type { EventOf, FeedEvent } from '../../shared/contract/event.ts';
import { READ_GROUP } from '../../shared/contract/event-id.ts';
import type { SourceWorld } from './source-world.ts';

type Report = EventOf<'feed.source_read'>;

/** All reports up to which moment a world's source is read, the oldest first. */
export async function readReportsOf(world: SourceWorld): Promise<Report['data']['object'][]> {
  const entries = await world.ledger.read({ ...(await world.source()), group: READ_GROUP }, 0, 1_000);
  return entries.flatMap((entry) => ('event' in entry ? [(entry.event as Report).data.object] : []));
}

/** The feed's reports of its own health, each with the codes of its reasons. */
export async function conditions(world: SourceWorld): Promise<readonly string[]> {
  return conditionsOf(await world.feedEvents());
}

/** The same of all events of the feed itself. */
export function conditionsOf(events: readonly FeedEvent[]): readonly string[] {
  const reports = events.filter(({ type }) => /^feed\.source_(?:degraded|recovered)$/.test(type));
  return reports.map(({ type, data: { object } }) => {
    const reasons = 'reasons' in object ? object.reasons : [];
    return [type, ...reasons.map(({ code }) => code)].join(' ');
  });
}
