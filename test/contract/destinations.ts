// The destinations of the contract suite: the fake, a FIFO queue and a bus over the wire, on the project's own
// engines.
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import {
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { createEventBridgeDestination } from '../../functions/adapters/eventbridge-destination.ts';
import { createSqsDestination } from '../../functions/adapters/sqs-destination.ts';
import { startEventBusEngine } from '../../local/engines/event-bus-engine.ts';
import { startSqsEngine } from '../../local/engines/sqs-engine.ts';
import type { FeedEvent } from '../../shared/contract/event.ts';
import type { Destination } from '../../shared/ports.ts';
import { createMemoryDestination } from '../fakes/memory-destination.ts';

export interface TestDestination {
  readonly destination: Destination;
  /** An unreachable destination. */
  readonly broken: Destination;
  /** The arrivals, in order if the destination keeps an order. */
  received(): Promise<FeedEvent[]>;
  close(): Promise<void>;
}

export interface DestinationKind {
  readonly name: string;
  readonly ordered: boolean;
  open(): Promise<TestDestination>;
}

/** The size that each destination refuses; small enough to be quick. */
export const MAX_BYTES = 64 * 1024;

export const DESTINATIONS: readonly DestinationKind[] = [
  { name: 'in memory', ordered: true, open: async () => openMemory() },
  { name: 'on SQS', ordered: true, open: openQueue },
  { name: 'on EventBridge', ordered: false, open: openBus },
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

export async function createFifoQueue(client: SQSClient): Promise<string> {
  const { QueueUrl } = await client.send(
    new CreateQueueCommand({
      QueueName: 'events.fifo',
      Attributes: { FifoQueue: 'true', MaximumMessageSize: '1048576' },
    }),
  );
  return QueueUrl ?? '';
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
  return { destination, broken, received: async () => destination.received, close: async () => {} };
}

async function openQueue(): Promise<TestDestination> {
  const engine = await startSqsEngine();
  const client = connectSqs(engine.endpoint);
  const queueUrl = await createFifoQueue(client);
  return {
    destination: createSqsDestination({ client, queueUrl, maxBytes: MAX_BYTES }),
    broken: createSqsDestination({ client, queueUrl: `${queueUrl}-no-more` }),
    received: async () => (await drain(client, queueUrl)).map(({ Body = '' }) => JSON.parse(Body)),
    async close() {
      client.destroy();
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
