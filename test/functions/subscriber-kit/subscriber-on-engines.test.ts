// The kit in use, over the wire: an event source mapping reads a FIFO queue that is subscribed to the ordered topic,
// and the memory is a table.
import { randomUUID } from 'node:crypto';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { SNSClient } from '@aws-sdk/client-sns';
import { ReceiveMessageCommand, SetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createSnsDestination } from '../../../functions/adapters/sns-destination.ts';
import { createQueueSubscriber } from '../../../functions/subscriber-kit/subscriber.ts';
import { createTableMemory } from '../../../functions/subscriber-kit/table-memory.ts';
import type { FeedEvent } from '../../../shared/contract/event.ts';
import { connectSns } from '../../contract/topic-clients.ts';
import { type DynamoDbEngine, startDynamoDbEngine } from '../../engines/dynamodb-engine.ts';
import type { EventSourceMapping } from '../../engines/event-source-mapping.ts';
import { createHurriedClock } from '../../engines/hurried-clock.ts';
import { createLocalTopic } from '../../engines/local-topic.ts';
import { pollQueue } from '../../engines/poll-queue.ts';
import { connectDynamoDb, connectSqs } from '../../engines/sdk-clients.ts';
import { type SqsEngine, startSqsEngine } from '../../engines/sqs-engine.ts';
import { CONTEXT, change, keepLog } from './deliveries.ts';
import { createSubscriberTable } from './subscriber-table.ts';

let dynamoDbEngine: DynamoDbEngine;
let sqsEngine: SqsEngine;
let dynamoDb: DynamoDBClient;
let sns: SNSClient;
let sqs: SQSClient;
const running: EventSourceMapping[] = [];

beforeAll(async () => {
  [dynamoDbEngine, sqsEngine] = await Promise.all([startDynamoDbEngine(), startSqsEngine()]);
  dynamoDb = connectDynamoDb(dynamoDbEngine.endpoint);
  sns = connectSns(sqsEngine.endpoint);
  sqs = connectSqs(sqsEngine.endpoint);
});
afterEach(() => Promise.all(running.splice(0).map((mapping) => mapping.stop())));
afterAll(async () => {
  sns.destroy();
  sqs.destroy();
  dynamoDb.destroy();
  await Promise.all([sqsEngine.stop(), dynamoDbEngine.stop()]);
});

async function start(handle: (event: FeedEvent, attempt: number) => void) {
  const tableName = await createSubscriberTable(dynamoDb);
  const topic = await createLocalTopic(sns, sqs);
  const queueUrl = await topic.subscribeQueue(randomUUID());
  const Attributes = { VisibilityTimeout: '1' };
  await sqs.send(new SetQueueAttributesCommand({ QueueUrl: queueUrl, Attributes }));
  const handled: string[] = [];
  const outcomes: string[] = [];
  // Two processes at once, as in Lambda: they share only the table.
  const processes = [1, 2].map(() =>
    createQueueSubscriber({
      on: {
        'shipment.status_changed': async (event, { attempt }) => {
          handle(event, attempt);
          handled.push(event.id);
        },
      },
      memory: createTableMemory({ tableName, client: dynamoDb }),
      onOutcome: (outcome) => void outcomes.push(outcome),
      log: keepLog(),
    }),
  );
  const destination = createSnsDestination({ client: sns, topicArn: topic.arn });
  return {
    queueUrl,
    handled,
    outcomes,
    /** Sends like the relay; the queue does not drop a replay's events, although it has seen the originals' ids. */
    send: async (events: readonly FeedEvent[]) => {
      for (const event of events) expect(await destination.send([event])).toEqual([{ sent: true }]);
    },
    async run() {
      const mappings = processes.map((handler) =>
        pollQueue({
          client: sqs,
          queueUrl,
          clock: createHurriedClock(),
          onError: () => {},
          handler: (event) => handler(event, CONTEXT),
        }),
      );
      running.push(...mappings);
      await mappings[0]?.idle();
    },
  };
}

describe('a subscriber on the engines', () => {
  it('handles each group in order, each event once, despite failures and repeats', async () => {
    const failedOnce = new Set<string>();
    const subscriber = await start(({ id, data }) => {
      if (data.sequence % 3 === 0 && !failedOnce.has(id)) {
        failedOnce.add(id);
        throw new Error('not today');
      }
    });
    const events = [1, 2, 3, 4, 5, 6].flatMap((sequence) =>
      [1, 2, 3].map((group) => change(group, sequence)),
    );
    const again = events.map((event) => ({ ...event, replayid: 'again' }) as FeedEvent);
    await subscriber.send(events);
    await subscriber.send(again);

    await subscriber.run();

    for (const group of [1, 2, 3]) {
      expect(subscriber.handled.filter((id) => id.startsWith(`acme_mi8x2k_${group}_`))).toEqual(
        [1, 2, 3, 4, 5, 6].map((sequence) => change(group, sequence).id),
      );
    }
    expect(failedOnce.size).toBe(6);
    expect(
      subscriber.outcomes.filter((outcome) => outcome === 'repeated' || outcome === 'stale'),
    ).toHaveLength(18);
    const { Messages } = await sqs.send(new ReceiveMessageCommand({ QueueUrl: subscriber.queueUrl }));
    expect(Messages ?? []).toEqual([]);
  });

  it('passes the receive count of a message', async () => {
    const attempts: number[] = [];
    const subscriber = await start((_event, attempt) => {
      attempts.push(attempt);
      if (attempt < 3) throw new Error('not today');
    });
    await subscriber.send([change(1, 1)]);

    await subscriber.run();

    expect(attempts).toEqual([1, 2, 3]);
  });
});
