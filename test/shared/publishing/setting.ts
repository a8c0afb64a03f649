// A ledger, marks, a destination and a relay between them, in memory and on virtual time.
import { FEED_GROUP } from '../../../shared/contract/event-id.ts';
import type { GroupKey } from '../../../shared/ports.ts';
import { createRelay } from '../../../shared/publishing/relay.ts';
import { createMemoryDestination } from '../../fakes/memory-destination.ts';
import { createMemoryLedger } from '../../fakes/memory-ledger.ts';
import { createMemoryMarks } from '../../fakes/memory-marks.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';
import { aKey, anEvent } from './an-event.ts';
import { createKeptLog } from './kept-log.ts';

export const FEED = aKey(FEED_GROUP);

export function createSetting() {
  const ledger = createMemoryLedger();
  const marks = createMemoryMarks();
  const destination = createMemoryDestination();
  const clock = createVirtualClock();
  const log = createKeptLog();
  const presentGeneration = async (): Promise<string | undefined> => FEED.generation;
  const ports = { ledger, marks, destination, clock, log, random: () => 0.5, presentGeneration };
  return {
    ...ports,
    ports,
    relay: createRelay(ports),
    /** Puts events of a group into the ledger. */
    write(key: GroupKey, ...sequences: number[]) {
      ledger.put(
        key,
        sequences.map((sequence) => anEvent(key, sequence)),
      );
    },
    /** The sequence numbers of a group that the destination received, in the order of arrival. */
    arrived: (key: GroupKey) =>
      destination.received
        .filter(({ partitionkey }) => partitionkey === `${key.source}/${key.group}`)
        .map(({ data }) => data.sequence),
    /** The reports of skipped events. */
    async skipped() {
      const entries = await ledger.read(FEED, 0, 1000);
      return entries.flatMap((entry) =>
        'event' in entry && entry.event.type === 'feed.events_skipped' ? [entry.event.data.object] : [],
      );
    },
  };
}
