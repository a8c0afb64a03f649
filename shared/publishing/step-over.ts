// Skips numbers of a group that the destination will never get, and publishes that. The event that reports it is in the
// ledger before the mark moves, so a crash in between reports it twice rather than never. It belongs to the source's
// present generation, because no number of an earlier one is known to be free.
import { makeEnvelope } from '../comparing/make-event.ts';
import type { FeedEvent } from '../contract/event.ts';
import { FEED_GROUP, isOwnGroup } from '../contract/event-id.ts';
import { formatInstant, type Instant } from '../instant.ts';
import type { GroupKey } from '../ports.ts';
import type { PresentGeneration } from '../source/present-generation.ts';
import { RestoredStateError } from '../source/restored-state.ts';
import { appendFeedEvent } from './append-feed-event.ts';
import type { RelayPorts, SequenceRange } from './lane.ts';

export interface StepOverPorts extends Pick<RelayPorts, 'ledger' | 'marks' | 'clock' | 'log'> {
  /** Receives nothing here: only its marks move. */
  readonly destination: Pick<RelayPorts['destination'], 'name'>;
  readonly presentGeneration: PresentGeneration;
}

/**
 * Moves the destination's mark over the range, and appends `feed.events_skipped` to the ledger.
 *
 * @returns false if nothing was done, because the source's state was restored and has no new generation yet
 */
export async function stepOver(
  ports: StepOverPorts,
  key: GroupKey,
  range: SequenceRange,
  reason: string,
): Promise<boolean> {
  const { ledger, marks, destination, clock, log } = ports;
  const { group } = key;
  // The event names a return group. Skipped events of the feed itself are reported to operators only.
  if (!isOwnGroup(group)) {
    const generation = await ports.presentGeneration(key.source);
    if (generation === undefined) {
      const { message } = new RestoredStateError(key.source);
      log.warn('events not skipped', { destination: destination.name, ...key, ...range, reason: message });
      return false;
    }
    const feed = { source: key.source, generation, group: FEED_GROUP } as const;
    const known = await marks.load(destination.name, feed);
    const skipped = { destination: destination.name, key, range, reason, at: clock.now() };
    await appendFeedEvent(ledger, feed, known ?? 0, (sequence) =>
      skippedEvent(generation, sequence, { ...skipped, group }),
    );
  }
  await marks.advance(destination.name, key, range.to);
  log.error('events skipped', { destination: destination.name, ...key, ...range, reason });
  return true;
}

interface Skipped {
  readonly destination: string;
  readonly key: GroupKey;
  readonly group: number;
  readonly range: SequenceRange;
  readonly reason: string;
  readonly at: Instant;
}

function skippedEvent(
  generation: string,
  sequence: number,
  { destination, key, group, range, reason, at }: Skipped,
): FeedEvent {
  const { source } = key;
  const isEarlier = key.generation !== generation;
  // A separate subject: under the group's own, the feed's numbers would make the group's events look stale.
  const numbers = `${group}/${range.from}-${range.to}${isEarlier ? `/${key.generation}` : ''}`;
  const subject = `feed/skipped-events/${destination}/${numbers}`;
  return {
    ...makeEnvelope('feed.events_skipped', subject, sequence, {
      source,
      generation,
      group: FEED_GROUP,
      time: at,
    }),
    type: 'feed.events_skipped',
    data: {
      generation,
      sequence,
      object: {
        type: 'skipped_events',
        destination,
        return_group_id: group,
        from_sequence: range.from,
        to_sequence: range.to,
        ...(isEarlier && { generation: key.generation }),
        reason,
      },
      observed: { after: null, by: formatInstant(at), through: 'reconciliation' },
    },
  };
}
