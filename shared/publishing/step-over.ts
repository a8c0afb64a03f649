// Skips numbers of a group that the destination will never get, and publishes that. The event that reports it is in the
// ledger before the mark moves, so a crash in between reports it twice rather than never.
import { makeEnvelope } from '../comparing/make-event.ts';
import type { FeedEvent } from '../contract/event.ts';
import { FEED_GROUP, isOwnGroup } from '../contract/event-id.ts';
import { formatInstant, type Instant } from '../instant.ts';
import type { GroupKey } from '../ports.ts';
import { appendFeedEvent } from './append-feed-event.ts';
import type { RelayPorts, SequenceRange } from './lane.ts';

export interface StepOverPorts extends Pick<RelayPorts, 'ledger' | 'marks' | 'clock' | 'log'> {
  /** Receives nothing here: only its marks move. */
  readonly destination: Pick<RelayPorts['destination'], 'name'>;
}

/** Moves the destination's mark over the range, and appends `feed.events_skipped` to the ledger. */
export async function stepOver(
  ports: StepOverPorts,
  key: GroupKey,
  range: SequenceRange,
  reason: string,
): Promise<void> {
  const { ledger, marks, destination, clock, log } = ports;
  const { group } = key;
  // The event names a return group. Skipped events of the feed itself are reported to operators only.
  if (!isOwnGroup(group)) {
    const known = await marks.load(destination.name, { ...key, group: FEED_GROUP });
    const skipped = { destination: destination.name, group, range, reason, at: clock.now() };
    await appendFeedEvent(ledger, key, known ?? 0, (sequence) => skippedEvent(key, sequence, skipped));
  }
  await marks.advance(destination.name, key, range.to);
  log.error('events skipped', { destination: destination.name, ...key, ...range, reason });
}

interface Skipped {
  readonly destination: string;
  readonly group: number;
  readonly range: SequenceRange;
  readonly reason: string;
  readonly at: Instant;
}

function skippedEvent(
  { source, generation }: GroupKey,
  sequence: number,
  { destination, group, range, reason, at }: Skipped,
): FeedEvent {
  // A separate subject: under the group's own, the feed's numbers would make the group's events look stale.
  const subject = `feed/skipped-events/${destination}/${group}/${range.from}-${range.to}`;
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
        reason,
      },
      observed: { after: null, by: formatInstant(at), through: 'reconciliation' },
    },
  };
}
