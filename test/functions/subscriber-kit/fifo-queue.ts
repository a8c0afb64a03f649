// A FIFO queue with its event source mapping, by AWS's documents: a batch takes as many messages of one group as there
// are, and none of a group whose messages are being handled; what failed comes again in its old place, counted once more;
// what came too often goes to the dead-letter queue. The embedded engine never hands out two messages of one group
// together, which hides what befalls those that share a batch with one that fails.
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/FIFO-queues-understanding-logic.html
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

/** Hands over all events of one group. @returns those that ended in the dead-letter queue */
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
    // A batch that failed as a whole is thrown.
    const failed = await handler(event, CONTEXT).then(
      ({ batchItemFailures }) => batchItemFailures.map(({ itemIdentifier }) => itemIdentifier),
      () => event.Records.map(({ messageId }) => messageId),
    );
    const done = taken.filter((_, place) => !failed.includes(event.Records[place]?.messageId ?? ''));
    waiting = waiting.filter((message) => !done.includes(message));
  }
  return dead;
}
