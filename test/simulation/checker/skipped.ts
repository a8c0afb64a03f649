// The events that were skipped for a destination, according to `feed.events_skipped`.
import type { FeedEvent } from '../../../shared/contract/event.ts';
import type { SourceEvidence } from './evidence.ts';
import { isEntityEvent, isForgottenEvent } from './states.ts';

/** Whether the event, or the one of another number of its group, was skipped for a destination. */
export type IsSkipped = (destination: string, event: FeedEvent, sequence?: number) => boolean;

export function skippedIn({ written }: SourceEvidence): IsSkipped {
  const ranges = written.flatMap(({ event }) =>
    event.type === 'feed.events_skipped' ? [event.data.object] : [],
  );
  return (destination, event, sequence = event.data.sequence) =>
    (isEntityEvent(event) || isForgottenEvent(event)) &&
    ranges.some(
      (range) =>
        range.destination === destination &&
        range.return_group_id === event.data.return_group.id &&
        range.from_sequence <= sequence &&
        range.to_sequence >= sequence,
    );
}
