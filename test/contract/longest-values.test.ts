// The largest events that rows can make, by the bounds of reading, at each destination with the limits of AWS. A return
// must not stop for good because an event of it is too large to send.
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { expect, test } from 'vitest';
import { createEventBridgeDestination } from '../../functions/adapters/eventbridge-destination.ts';
import { createSnsDestination } from '../../functions/adapters/sns-destination.ts';
import { createWebhookReceiver } from '../../functions/subscriber-kit/webhook-receiver.ts';
import { cutText } from '../../shared/comparing/project-group.ts';
import type { EntityEvent } from '../../shared/contract/event.ts';
import { MINUTE } from '../../shared/instant.ts';
import { MAX_CODE_CHARACTERS, MAX_CONTEXT_CHARACTERS, MAX_ID_LIST_CHARACTERS } from '../../shared/limits.ts';
import { startEventBusEngine } from '../engines/event-bus-engine.ts';
import { startSqsEngine } from '../engines/sqs-engine.ts';
import { keepLog } from '../functions/subscriber-kit/deliveries.ts';
import { SECRET, signedPost } from '../functions/subscriber-kit/signed-requests.ts';
import { aRow, read, take } from '../shared/comparing/a-reading.ts';
import { connectSns, connectSqs, createTopicWithQueue } from './topic-clients.ts';

/** Those that become longest: six bytes for each unit in JSON, nine in a subject. */
const CHARACTERS = ['\uffff', '\u{1f600}'];

/** A row whose texts and lists are as long as reading allows, and all of whose values depend on `first`. */
function largestRow(character: string, first: string) {
  const text = (characters: number) => `${first}${character.repeat(characters)}`.slice(0, characters);
  const code = text(MAX_CODE_CHARACTERS);
  const name = `${first}${character.repeat(2 * MAX_CONTEXT_CHARACTERS)}`;
  const bag = () => ({
    shop_money: { amount: -1.234_567_890_123_456e-300, currency_code: code },
    presentment_money: { amount: -1.234_567_890_123_456e-300, currency_code: code },
  });
  const offset = first.charCodeAt(0);
  const numbers = Array.from(
    { length: Math.floor(MAX_ID_LIST_CHARACTERS / 19) },
    (_, index) => 2 ** 53 - 1 - offset - index,
  );
  const shipment = {
    ...{ type: 'shipment', id: 2 ** 53 - 2, status: text(100), carrier: code, tracking_number: code },
    ...{ created_at: code, shipped_at: code, delivered_at: code, return_ids: numbers },
  };
  const named = {
    product_name: name,
    variant_name: name,
    product_platform_id: code,
    variant_platform_id: code,
  };
  const item = {
    ...{ type: 'return_line_item', id: 2 ** 53 - 3, platform_id: code, created_at: code, status: text(100) },
    ...{ shipment_id: 2 ** 53 - 4 - offset, platform_line_item_id: code, ...named, sku: code, barcode: code },
    ...{ quantity: 2 ** 53 - 5, return_reason_details: { value: name, label: name }, total: bag() },
    ...{ last_rma_number: code, last_rma_provider: code },
    platform_refund_transaction_ids: Array.from(
      { length: Math.floor(MAX_ID_LIST_CHARACTERS / (MAX_CODE_CHARACTERS + 3)) },
      (_, index) => `${first}${String.fromCharCode(65 + index)}${code}`.slice(0, MAX_CODE_CHARACTERS),
    ),
  };
  const exchange = {
    ...{ type: 'exchange_line_item', id: character.repeat(200).slice(0, 200), status: text(100), ...named },
    ...{ line_item_platform_id: code, sku: code, quantity: 2 ** 53 - 5, total: bag() },
  };
  return aRow((row) => {
    Object.assign(row, {
      ...{ return_method: code, credit_method: code, return_outcome: code, shipments: [shipment] },
      ...{ returns: [item], exchange_line_items: [exchange] },
      refund_transactions: [{ type: 'refund_transaction', platform_id: code, amount: bag(), gateway: code }],
      order: { type: 'order', id: 2 ** 53 - 6, name, platform_id: code },
    });
  });
}

function largestEvents(character: string): EntityEvent[] {
  const name = cutText(character.repeat(2 * MAX_CONTEXT_CHARACTERS));
  const customer = { name, email: name, phone: name };
  const [before, after] = ['a', 'b'].map((first) => largestRow(character, first));
  const first = take(undefined, read(before, 0, { customer }));
  const second = take(first.snapshot, read(after, 10 * MINUTE, { customer }));
  return [...first.events, ...second.events];
}

const events = CHARACTERS.flatMap((character, index) =>
  // Each needs ids of its own.
  largestEvents(character).map((event) => ({ ...event, id: `${event.id}${index}` })),
);

test('there is an event of each kind, with the old values of all that can change', () => {
  expect(new Set(events.map(({ type }) => type.split('.')[0])).size).toBe(5);
  expect(events.filter((event) => 'previous_attributes' in event.data).length).toBeGreaterThanOrEqual(
    3 * CHARACTERS.length,
  );
});

test('the topic and its queues take the largest events', async () => {
  const engine = await startSqsEngine();
  const [client, sqs] = [connectSns(engine.endpoint), connectSqs(engine.endpoint)];
  const { topicArn } = await createTopicWithQueue(client, sqs);

  const destination = createSnsDestination({ client, topicArn });
  const results = [];
  for (const event of events) results.push(...(await destination.send([event])));

  client.destroy();
  sqs.destroy();
  await engine.stop();
  expect(results.filter(({ sent }) => !sent)).toEqual([]);
});

test('the bus takes the largest events', async () => {
  const engine = await startEventBusEngine();
  const client = new EventBridgeClient({
    endpoint: engine.endpoint,
    region: 'eu-west-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });

  const destination = createEventBridgeDestination({ client, eventBusName: 'feed' });
  const results = [];
  for (const event of events) results.push(...(await destination.send([event])));

  client.destroy();
  await engine.stop();
  expect(results.filter(({ sent }) => !sent)).toEqual([]);
});

test('a receiver of webhooks takes the largest events', async () => {
  const receiver = createWebhookReceiver({ name: 'any', secrets: SECRET, on: {}, log: keepLog() });

  const statuses = [];
  for (const event of events) statuses.push((await receiver(signedPost(JSON.stringify(event)))).status);

  expect(new Set(statuses)).toEqual(new Set([204]));
});
