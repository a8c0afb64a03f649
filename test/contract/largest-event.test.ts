// A return must not stop for good because an event of it is too large to store or to send.
import { expect, test } from 'vitest';
import { createEventBridgeDestination } from '../../functions/adapters/eventbridge-destination.ts';
import { createSnsDestination } from '../../functions/adapters/sns-destination.ts';
import { encodeBody } from '../../functions/adapters/stored-body.ts';
import { createWebhookReceiver } from '../../functions/subscriber-kit/webhook-receiver.ts';
import type { Destination } from '../../shared/ports.ts';
import { startEventBusEngine } from '../engines/event-bus-engine.ts';
import { startSqsEngine } from '../engines/sqs-engine.ts';
import { keepLog } from '../functions/subscriber-kit/deliveries.ts';
import { SECRET, signedPost } from '../functions/subscriber-kit/signed-requests.ts';
import { connectEventBridge } from './destinations.ts';
import { largestEvents } from './largest-events.ts';
import { startStrictTopic } from './strict-topic.ts';
import { connectSns, connectSqs, createTopicWithQueue } from './topic-clients.ts';

/** The limit of SNS, SQS and EventBridge. */
const MIB = 1_048_576;
/** Of an item in DynamoDB. */
const MAX_ITEM_BYTES = 400 * 1024;

const events = largestEvents();

test('there is an event of each kind, with the old values of all that can change', () => {
  expect(new Set(events.map(({ type }) => type.split('.')[0])).size).toBe(5);
  expect(events.map(({ type }) => type)).toEqual(
    expect.arrayContaining(['shipment.status_changed', 'return_line_item.status_changed']),
  );
  expect(events.filter(({ data }) => 'previous_attributes' in data).length).toBeGreaterThanOrEqual(6);
});

test('the ledger takes the largest events', () => {
  expect(Math.max(...events.map((event) => encodeBody(event).length))).toBeLessThan(MAX_ITEM_BYTES);
});

test('the topic and its queues take the largest events', async () => {
  const engine = await startSqsEngine();
  const proxy = await startStrictTopic({ engine: engine.endpoint, maximumMessageSize: MIB });
  const [sns, sqs] = [connectSns(proxy.endpoint), connectSqs(engine.endpoint)];
  const { topicArn } = await createTopicWithQueue(sns, sqs);

  const rejected = await rejectedBy(createSnsDestination({ client: sns, topicArn }));

  for (const client of [sns, sqs]) client.destroy();
  await proxy.close();
  await engine.stop();
  expect(rejected).toEqual([]);
});

test('the bus takes the largest events', async () => {
  const engine = await startEventBusEngine();
  const client = connectEventBridge(engine.endpoint);

  const rejected = await rejectedBy(createEventBridgeDestination({ client, eventBusName: 'feed' }));

  client.destroy();
  await engine.stop();
  expect(rejected).toEqual([]);
});

test('a receiver of webhooks takes the largest events', async () => {
  const receiver = createWebhookReceiver({ name: 'any', secrets: SECRET, on: {}, log: keepLog() });

  const statuses = [];
  for (const event of events) statuses.push((await receiver(signedPost(JSON.stringify(event)))).status);

  expect(new Set(statuses)).toEqual(new Set([204]));
});

async function rejectedBy(destination: Destination) {
  const results = [];
  for (const event of events) results.push(...(await destination.send([event])));
  return results.filter(({ sent }) => !sent);
}
