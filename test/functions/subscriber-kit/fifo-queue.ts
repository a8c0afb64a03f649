// A FIFO queue with its event source mapping, as AWS documents it: a batch takes all available messages of a group, and
// none of a group with messages that are being handled. A failed message is delivered again in its old place, with a
// higher receive count; after too many receives it goes to the dead-letter queue. The embedded engine never delivers
// two messages of one group together, which hides the effect of a failing message on others of its batch.
import type { FeedEvent } from '../../../shared/contract/event.ts';
import { batch, CONTEXT } from './deliveries.ts';

interface Message {
  readonly event: FeedEvent;
  received: number;
}

export interface FifoQueueOptions {
  readonly batchSize: number;
  readonly maxReceiveCount: number;
  readonly handler: (
    event: ReturnType<typeof batch>,
    context: typeof CONTEXT,
  ) => Promise<{ readonly batchItemFailures: readonly { readonly itemIdentifier: string }[] }>;
}

/** Delivers all events of one group. @returns the events that ended in the dead-letter queue */
export async function handOverGroup(
  events: readonly FeedEvent[],
  { batchSize, maxReceiveCount, handler }: FifoQueueOptions,
): Promise<FeedEvent[]> {
  let waiting: Message[] = events.map((event) => ({ event, received: 0 }));
  const dead: FeedEvent[] = [];
  while (waiting.length > 0) {
    const taken: Message[] = [];
    for (const message of waiting) {
      if (taken.length === batchSize) break;
      message.received += 1;
      if (message.received > maxReceiveCount) dead.push(message.event);
      else taken.push(message);
    }
    waiting = waiting.filter(({ event }) => !dead.includes(event));
    if (taken.length === 0) continue;
    const event = batch(...taken.map((it) => it.event));
    // A handler that throws fails the whole batch.
    const failed = await handler(event, CONTEXT).then(
      ({ batchItemFailures }) => batchItemFailures.map(({ itemIdentifier }) => itemIdentifier),
      () => event.Records.map(({ messageId }) => messageId),
    );
    const done = taken.filter((_, place) => !failed.includes(event.Records[place]?.messageId ?? ''));
    waiting = waiting.filter((message) => !done.includes(message));
  }
  return dead;
}
