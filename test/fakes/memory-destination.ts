// A destination that keeps its events in order of arrival. The test sets the result of each event.
import type { FeedEvent } from '../../shared/contract/event.ts';
import { MAX_BATCH_ENTRIES } from '../../shared/limits.ts';
import type { Destination, SendResult } from '../../shared/ports.ts';

export interface MemoryDestination extends Destination {
  readonly received: FeedEvent[];
  /** Every batch that was sent to it, with any result. */
  readonly batches: FeedEvent[][];
  /** The result for an event; only events with the result `sent` are received. */
  answer: (event: FeedEvent) => SendResult;
  /** Like `send`, but synchronous. */
  accept(events: readonly FeedEvent[]): SendResult[];
}

export function createMemoryDestination(name = 'queue'): MemoryDestination {
  const destination: MemoryDestination = {
    name,
    received: [],
    batches: [],
    answer: () => ({ sent: true }),
    accept(events) {
      assertBatch(events);
      destination.batches.push([...events]);
      return events.map((event) => {
        const result = destination.answer(event);
        if (result.sent) destination.received.push(event);
        return result;
      });
    },
    send: async (events) => destination.accept(events),
  };
  return destination;
}

function assertBatch(events: readonly FeedEvent[]): void {
  const groups = new Set(events.map(({ partitionkey, data }) => `${partitionkey} ${data.generation}`));
  if (events.length === 0 || events.length > MAX_BATCH_ENTRIES || groups.size < events.length) {
    throw new Error(`A batch of ${events.length} events of ${groups.size} groups is invalid.`);
  }
}
