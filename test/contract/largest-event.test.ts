// The largest events that a group of 500 items can have fit every destination, and the ledger.
import { expect, test } from 'vitest';
import { createEventBridgeDestination } from '../../functions/adapters/eventbridge-destination.ts';
import { createSnsDestination } from '../../functions/adapters/sns-destination.ts';
import { encodeBody } from '../../functions/adapters/stored-body.ts';
import { projectIncluded } from '../../shared/comparing/project-included.ts';
import type { EntityEvent } from '../../shared/contract/event.ts';
import { MINUTE } from '../../shared/instant.ts';
import { MAX_CODE_CHARACTERS, MAX_CONTEXT_CHARACTERS } from '../../shared/limits.ts';
import { INCLUDABLE, readIncluded } from '../../shared/returns-service/read-included.ts';
import { startEventBusEngine } from '../engines/event-bus-engine.ts';
import { startSqsEngine } from '../engines/sqs-engine.ts';
import { aRow, type Row, read, take } from '../shared/comparing/a-reading.ts';
import { connectEventBridge } from './destinations.ts';
import { startStrictTopic } from './strict-topic.ts';
import { connectSns, connectSqs, createTopicWithQueue } from './topic-clients.ts';

/** The limit of SNS, SQS and EventBridge. */
const MIB = 1_048_576;
/** Of an item in DynamoDB. */
const MAX_ITEM_BYTES = 400 * 1024;
const ITEMS = 500;

/** The longest text: in JSON for SQS each of these characters takes twelve bytes. */
const TEXT = '👟'.repeat(MAX_CONTEXT_CHARACTERS);
/** The longest code: in JSON each of these characters takes six bytes. */
const code = (at: number) => `${at}`.padStart(MAX_CODE_CHARACTERS, '\u0001');
const CUSTOMER = { name: TEXT, email: TEXT, phone: TEXT };

function largest(at: number): Row {
  return aRow((row) => {
    const [item] = row.returns;
    const [shipment] = row.shipments;
    const [exchange] = row.exchange_line_items;
    if (!item || !shipment || !exchange) return;
    const product = {
      ...{ product_name: TEXT, variant_name: TEXT, sku: code(at), barcode: code(at) },
      ...{ product_platform_id: code(at), variant_platform_id: code(at), platform_line_item_id: code(at) },
    };
    const reason = { ...item.return_reason_details, value: TEXT, label: TEXT };
    row.order = { ...row.order, name: TEXT, platform_id: code(0), tags: Array(500).fill(TEXT) };
    row.returns = Array.from({ length: ITEMS }, (_, index) => ({
      ...{ ...item, ...product, id: index + 1, platform_id: code(at), return_reason_details: reason },
      ...{ status: 'x'.repeat(99) + at, last_rma_number: code(at), last_rma_provider: code(at) },
      platform_refund_transaction_ids: Array.from({ length: 5 }, (_, n) => code(at + n)),
    })) as Row['returns'];
    const address = { address1: TEXT, city: code(1), province: code(1), zip: '', country: code(1) };
    row.shipments = [
      {
        ...{ ...shipment, status: 'y'.repeat(99) + at, carrier: code(at), tracking_number: code(at) },
        ...{ shipped_at: code(at), delivered_at: code(at), destination_address: address },
        return_ids: row.returns.slice(at).map(({ id }) => id + at),
      },
    ];
    row.exchange_line_items = [{ ...exchange, ...product, line_item_platform_id: code(at) }];
  });
}

function largestEvents(): EntityEvent[] {
  const included = projectIncluded(readIncluded(largest(1), INCLUDABLE));
  const more = { customer: CUSTOMER, included };
  const first = take(undefined, read(largest(0), 0, more));
  const second = take(first.snapshot, read(largest(1), 2 * MINUTE, more));
  const byType = new Map([...first.events, ...second.events].map((event) => [event.type, event]));
  return [...byType.values()];
}

test('the largest event fits the topic, its queues, the bus and the ledger', async () => {
  // Made first: it takes seconds, and the engines close idle connections.
  const events = largestEvents();
  const [engine, bus] = [await startSqsEngine(), await startEventBusEngine()];
  const proxy = await startStrictTopic({ engine: engine.endpoint, maximumMessageSize: MIB });
  const [sns, sqs] = [connectSns(proxy.endpoint), connectSqs(engine.endpoint)];
  const eventBridge = connectEventBridge(bus.endpoint);
  const { topicArn } = await createTopicWithQueue(sns, sqs);

  const topic = createSnsDestination({ client: sns, topicArn });
  const onBus = createEventBridgeDestination({ client: eventBridge, eventBusName: 'feed' });
  const results = [];
  for (const event of events) results.push(...(await topic.send([event])), ...(await onBus.send([event])));

  const types = events.map(({ type }) => type);
  expect(types).toEqual(
    expect.arrayContaining(['shipment.status_changed', 'return_line_item.status_changed']),
  );
  expect(results.filter(({ sent }) => !sent)).toEqual([]);
  expect(Math.max(...events.map((event) => encodeBody(event).length))).toBeLessThan(MAX_ITEM_BYTES);
  for (const client of [sns, sqs, eventBridge]) client.destroy();
  await proxy.close();
  for (const each of [engine, bus]) await each.stop();
});
