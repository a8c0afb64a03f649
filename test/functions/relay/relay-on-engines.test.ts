// Several relays at once between a real ledger and a real FIFO topic.
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { SNSClient } from '@aws-sdk/client-sns';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toLedgerItem } from '../../../functions/adapters/ledger-item.ts';
import { createSnsDestination } from '../../../functions/adapters/sns-destination.ts';
import { createSystemClock } from '../../../functions/adapters/system-clock.ts';
import type { GroupKey, Log } from '../../../shared/ports.ts';
import { createRelay } from '../../../shared/publishing/relay.ts';
import { openTables, storesOn, type TestTables } from '../../contract/stores.ts';
import { connectSns, connectSqs, createTopicWithQueue, drain } from '../../contract/topic-clients.ts';
import { type SqsEngine, startSqsEngine } from '../../engines/sqs-engine.ts';
import { aKey, anEvent } from '../../shared/publishing/an-event.ts';

const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} };
const EVENTS = 4;

let tables: TestTables;
let sqs: SqsEngine;
let sns: SNSClient;
let client: SQSClient;
let topicArn: string;
let queueUrl: string;

beforeAll(async () => {
  [tables, sqs] = await Promise.all([openTables(), startSqsEngine()]);
  client = connectSqs(sqs.endpoint);
  sns = connectSns(sqs.endpoint);
  ({ topicArn, queueUrl } = await createTopicWithQueue(sns, client));
});
afterAll(async () => {
  sns.destroy();
  client.destroy();
  await Promise.all([tables.close(), sqs.stop()]);
});

async function write(key: GroupKey, sequence: number) {
  const Item = toLedgerItem(key, anEvent(key, sequence));
  await tables.client.send(new PutItemCommand({ TableName: tables.tables.ledger, Item }));
}

test('three relays at once send each group’s events in order, and move its mark to the end', async () => {
  const groups = Array.from({ length: 12 }, (_, id) => aKey(id));
  for (const key of groups)
    for (let sequence = 1; sequence <= EVENTS; sequence += 1) await write(key, sequence);
  const stores = storesOn(tables.client, tables.tables);
  const destination = createSnsDestination({ client: sns, topicArn });
  const relay = createRelay({
    ...stores,
    destination,
    clock: createSystemClock(),
    log: SILENT,
    random: Math.random,
  });

  const runs = await Promise.all([groups, groups.toReversed(), groups].map((own) => relay(own, 20_000)));

  const ids = (await drain(client, queueUrl)).map(({ Body = '' }) => JSON.parse(Body).id as string);
  const expected = Array.from({ length: EVENTS }, (_, index) => index + 1);
  for (const key of groups) {
    const own = ids.filter((id) => id.startsWith(`acme_mi8x2k_${key.group}_`));
    expect([...new Set(own)]).toEqual(expected.map((sequence) => `acme_mi8x2k_${key.group}_${sequence}`));
    expect(await stores.marks.load(destination.name, key)).toBe(EVENTS);
  }
  expect(runs.flat().every(({ state }) => state === 'done')).toBe(true);
});
