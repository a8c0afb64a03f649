// Sends to a webhook's queue, besides the topic's events: rings of the sweep and of operators, and tests.
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
  /**
   * Rings beside the group's other messages: it does not wait while one of them pauses after a failure. Only for a group
   * with a mark, because two senders must not begin with a group at once.
   */
  ringBeside(key: GroupKey, sequence: number, now: Instant): Promise<void>;
  /** Asks for one attempt with a test. @param id see {@link parseTestId} */
  test(id: string): Promise<void>;
}

/** Tests have a message group of their own: they wait for no return. */
const TEST_GROUP = 'endpoint-test';

export function createRingQueue({ client, queueUrl: QueueUrl }: RingQueueOptions): RingQueue {
  async function send(body: object, MessageGroupId: string, MessageDeduplicationId: string): Promise<void> {
    const message = { MessageBody: JSON.stringify(body), MessageGroupId, MessageDeduplicationId };
    await client.send(new SendMessageCommand({ QueueUrl, ...message }));
  }

  function ringIn(messageGroup: string, key: GroupKey, sequence: number, now: Instant): Promise<void> {
    const id = formatEventId({ ...key, sequence });
    // The event's own message had the event's id, which the queue would take for a repeat.
    return send({ id }, messageGroup, `${id}_${now}`);
  }

  return {
    ring: (key, sequence, now) => ringIn(`${key.source}/${key.group}`, key, sequence, now),
    // A queue shows no message of a message group while another one of it is invisible.
    ringBeside: (key, sequence, now) => ringIn(`${key.source}/${key.group}/${now}`, key, sequence, now),
    test: (id) => send({ test: id }, TEST_GROUP, id),
  };
}
