// The destinations of the contract suite: the fake, a FIFO topic and a bus over the wire, on the project's own engines;
// the topic also behind a proxy with AWS's own rules.
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SNSClient } from '@aws-sdk/client-sns';
import {
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { createEventBridgeDestination } from '../../functions/adapters/eventbridge-destination.ts';
import { createSnsDestination } from '../../functions/adapters/sns-destination.ts';
import { startEventBusEngine } from '../../local/engines/event-bus-engine.ts';
import { startSqsEngine } from '../../local/engines/sqs-engine.ts';
import { createLocalTopic } from '../../local/feed/local-topic.ts';
import type { FeedEvent } from '../../shared/contract/event.ts';
import type { Destination, SendResult } from '../../shared/ports.ts';
import { createMemoryDestination, type MemoryDestination } from '../fakes/memory-destination.ts';
import { startStrictTopic } from './strict-topic.ts';

export interface TestDestination {
  readonly destination: Destination;
  /** An unreachable destination. */
  readonly broken: Destination;
  /** The arrivals, in order if the destination keeps an order. */
  received(): Promise<FeedEvent[]>;
  readonly trouble?: Trouble;
  close(): Promise<void>;
}

export interface Trouble {
  /** Throttles an event in each of the next calls. */
  throttle(id: string, calls: number): void;
  /** Rejects every call that has this event. */
  rejectCallsWith(id: string): void;
}

export interface DestinationKind {
  readonly name: string;
  readonly ordered: boolean;
  /** Whether tests can make it answer as the service does in trouble. */
  readonly troubled: boolean;
  open(): Promise<TestDestination>;
}

/** The size that each destination refuses; small enough to be quick. */
export const MAX_BYTES = 64 * 1024;

export const DESTINATIONS: readonly DestinationKind[] = [
  { name: 'in memory', ordered: true, troubled: true, open: async () => openMemory() },
  { name: 'on SNS', ordered: true, troubled: false, open: openTopic },
  { name: 'on SNS with the rules of AWS', ordered: true, troubled: true, open: openStrictTopic },
  { name: 'on EventBridge', ordered: false, troubled: false, open: openBus },
];

const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };

export function connectSqs(endpoint: string): SQSClient {
  // Queue URLs name the engine; a test may want a proxy between.
  return new SQSClient({
    endpoint,
    region: 'eu-west-1',
    credentials,
    useQueueUrlAsEndpoint: false,
    maxAttempts: 1,
  });
}

/** Receives and deletes all messages, in the order of the queue. */
export async function drain(client: SQSClient, queueUrl: string): Promise<Message[]> {
  const all: Message[] = [];
  for (;;) {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl: queueUrl,
        MaxNumberOfMessages: 10,
        WaitTimeSeconds: 0,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
      }),
    );
    if (Messages.length === 0) return all;
    all.push(...Messages);
    const Entries = Messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
    await client.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
  }
}

function openMemory(): TestDestination {
  const destination = createMemoryDestination();
  destination.answer = (event) =>
    JSON.stringify(event).length > MAX_BYTES
      ? { sent: false, cause: 'refused', reason: 'too large' }
      : { sent: true };
  const broken: Destination = {
    name: 'broken',
    send: async () => {
      throw new Error('unreachable');
    },
  };
  return {
    destination,
    broken,
    received: async () => destination.received,
    trouble: troubleInMemory(destination),
    close: async () => {},
  };
}

function troubleInMemory(destination: MemoryDestination): Trouble {
  const answerAs = (id: string, result: SendResult, applies = () => true) => {
    const { answer } = destination;
    destination.answer = (event) => (event.id === id && applies() ? result : answer(event));
  };
  return {
    throttle(id, calls) {
      const until = destination.batches.length + calls;
      const isOver = () => destination.batches.length > until;
      answerAs(id, { sent: false, cause: 'failed', reason: 'too fast' }, () => !isOver());
    },
    rejectCallsWith: (id) => answerAs(id, { sent: false, cause: 'refused', reason: 'invalid' }),
  };
}

export function connectSns(endpoint: string): SNSClient {
  return new SNSClient({ endpoint, region: 'eu-west-1', credentials, maxAttempts: 1 });
}

/** Creates a topic with one subscribed queue. */
export async function createTopicWithQueue(sns: SNSClient, sqs: SQSClient) {
  const { arn, subscribeQueue } = await createLocalTopic(sns, sqs);
  return { topicArn: arn, queueUrl: await subscribeQueue('events') };
}

async function openTopic(): Promise<TestDestination> {
  const engine = await startSqsEngine();
  const [client, sqs] = [connectSns(engine.endpoint), connectSqs(engine.endpoint)];
  const { topicArn, queueUrl } = await createTopicWithQueue(client, sqs);
  return {
    destination: createSnsDestination({ client, topicArn, maxBytes: MAX_BYTES }),
    broken: createSnsDestination({ client, topicArn: topicArn.replace('events', 'no-more') }),
    received: async () => (await drain(sqs, queueUrl)).map(({ Body = '' }) => JSON.parse(Body)),
    async close() {
      client.destroy();
      sqs.destroy();
      await engine.stop();
    },
  };
}

/** Its topic has the maximum size; the adapter has its usual one, so that the topic's answers decide. */
async function openStrictTopic(): Promise<TestDestination> {
  const engine = await startSqsEngine();
  const proxy = await startStrictTopic({ engine: engine.endpoint, maximumMessageSize: MAX_BYTES });
  const [client, sqs] = [connectSns(proxy.endpoint), connectSqs(engine.endpoint)];
  const { topicArn, queueUrl } = await createTopicWithQueue(client, sqs);
  return {
    destination: createSnsDestination({ client, topicArn }),
    broken: createSnsDestination({ client, topicArn: topicArn.replace('events', 'no-more') }),
    received: async () => (await drain(sqs, queueUrl)).map(({ Body = '' }) => JSON.parse(Body)),
    trouble: {
      throttle: (id, calls) => proxy.next(() => ({ entries: { [id]: { code: 'Throttled' } } }), calls),
      rejectCallsWith: (id) =>
        proxy.next(
          (ids) => (ids.includes(id) ? { error: { code: 'InvalidParameter' } } : { entries: {} }),
          Number.POSITIVE_INFINITY,
        ),
    },
    async close() {
      client.destroy();
      sqs.destroy();
      await proxy.close();
      await engine.stop();
    },
  };
}

export function connectEventBridge(endpoint: string): EventBridgeClient {
  return new EventBridgeClient({ endpoint, region: 'eu-west-1', credentials, maxAttempts: 1 });
}

async function openBus(): Promise<TestDestination> {
  const engine = await startEventBusEngine();
  const client = connectEventBridge(engine.endpoint);
  const nowhere = await startEventBusEngine();
  await nowhere.stop();
  const events: FeedEvent[] = [];
  engine.bus.subscribe({ source: [{ prefix: 'returns-change-feed.' }] }, ({ detail }) => {
    events.push(detail as FeedEvent);
  });
  return {
    destination: createEventBridgeDestination({ client, eventBusName: 'feed', maxBytes: MAX_BYTES }),
    broken: createEventBridgeDestination({
      client: connectEventBridge(nowhere.endpoint),
      eventBusName: 'feed',
    }),
    async received() {
      await engine.bus.idle();
      return events;
    },
    async close() {
      client.destroy();
      await engine.stop();
    },
  };
}
