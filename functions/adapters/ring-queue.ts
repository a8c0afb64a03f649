// What is sent to a webhook's queue besides the events of the topic: rings of the sweep and of operators, and tests.
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { formatEventId } from '../../shared/contract/event-id.ts';
import type { Instant } from '../../shared/instant.ts';
import type { GroupKey } from '../../shared/ports.ts';

export interface RingQueueOptions {
  readonly client: SQSClient;
  readonly queueUrl: string;
}

export interface RingQueue {
  /** Rings for a group's event, and for all unsent ones before it. @param now makes the ring different from all before */
  ring(key: GroupKey, sequence: number, now: Instant): Promise<void>;
  /** Asks for one attempt with a test. @param id see {@link parseTestId} */
  test(id: string): Promise<void>;
}

/** Tests have a message group of their own: they wait for no return. */
const TEST_GROUP = 'endpoint-test';

export function createRingQueue({ client, queueUrl: QueueUrl }: RingQueueOptions): RingQueue {
  return {
    async ring(key, sequence, now) {
      const id = formatEventId({ ...key, sequence });
      await client.send(
        new SendMessageCommand({
          QueueUrl,
          MessageBody: JSON.stringify({ id }),
          MessageGroupId: `${key.source}/${key.group}`,
          // The event's own message had the event's id, which the queue would take for a repeat.
          MessageDeduplicationId: `${id}_${now}`,
        }),
      );
    },
    async test(id) {
      await client.send(
        new SendMessageCommand({
          QueueUrl,
          MessageBody: JSON.stringify({ test: id }),
          MessageGroupId: TEST_GROUP,
          MessageDeduplicationId: id,
        }),
      );
    },
  };
}
