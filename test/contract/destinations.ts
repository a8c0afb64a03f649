// The destinations of the contract suite: the fake, and a FIFO topic and a bus on the project's own engines, over the wire.
// The topic is also tested behind a proxy with AWS's own rules.
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { createEventBridgeDestination } from '../../functions/adapters/eventbridge-destination.ts';
import type { FeedEvent } from '../../shared/contract/event.ts';
import type { Destination, SendResult } from '../../shared/ports.ts';
import { startEventBusEngine } from '../engines/event-bus-engine.ts';
import { createMemoryDestination, type MemoryDestination } from '../fakes/memory-destination.ts';
import { type DestinationKind, type Failures, MAX_BYTES, type TestDestination } from './test-destination.ts';
import { openStrictTopic, openTopic } from './topic-destinations.ts';

export const DESTINATIONS: readonly DestinationKind[] = [
  { name: 'in memory', ordered: true, canFail: true, open: async () => openMemory() },
  { name: 'on SNS', ordered: true, canFail: false, open: openTopic },
  { name: 'on SNS with the rules of AWS', ordered: true, canFail: true, open: openStrictTopic },
  { name: 'on EventBridge', ordered: false, canFail: false, open: openBus },
];

function openMemory(): TestDestination {
  const destination = createMemoryDestination();
  destination.answer = (event) =>
    JSON.stringify(event).length > MAX_BYTES
      ? { sent: false, cause: 'rejected', reason: 'too large' }
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
    failures: failuresInMemory(destination),
    close: async () => {},
  };
}

function failuresInMemory(destination: MemoryDestination): Failures {
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
    rejectCallsWith: (id) => answerAs(id, { sent: false, cause: 'rejected', reason: 'invalid' }),
  };
}

const CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' };

export function connectEventBridge(endpoint: string): EventBridgeClient {
  return new EventBridgeClient({ endpoint, region: 'eu-west-1', credentials: CREDENTIALS, maxAttempts: 1 });
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
