// The handler as Lambda runs it, its bundle aside: told by its environment alone, on engines over the wire.

import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { Context, DynamoDBStreamEvent } from 'aws-lambda';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { toLedgerItem } from '../../../functions/adapters/ledger-item.ts';
import { type SqsEngine, startSqsEngine } from '../../../local/engines/sqs-engine.ts';
import { formatGroupKey } from '../../../shared/group-key.ts';
import type { GroupKey } from '../../../shared/ports.ts';
import { connectSqs, createFifoQueue, drain } from '../../contract/destinations.ts';
import { openTables, type TestTables } from '../../contract/stores.ts';
import { aKey, anEvent } from '../../shared/publishing/an-event.ts';

const context = { getRemainingTimeInMillis: () => 60_000 } as Context;

let tables: TestTables;
let sqs: SqsEngine;
let queueUrl: string;

beforeAll(async () => {
  [tables, sqs] = await Promise.all([openTables(), startSqsEngine()]);
  queueUrl = await createFifoQueue(connectSqs(sqs.endpoint));
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await Promise.all([tables.close(), sqs.stop()]);
});

async function write(key: GroupKey, sequence: number) {
  const Item = toLedgerItem(key, anEvent(key, sequence));
  await tables.client.send(new PutItemCommand({ TableName: tables.tables.ledger, Item }));
}

function recordsOf(...keys: GroupKey[]): DynamoDBStreamEvent {
  return {
    Records: keys.map((key, place) => ({
      eventName: 'INSERT',
      dynamodb: { SequenceNumber: String(place), Keys: { k: { S: formatGroupKey(key) }, n: { N: '1' } } },
    })),
  };
}

async function received(): Promise<string[]> {
  return (await drain(connectSqs(sqs.endpoint), queueUrl)).map(({ Body = '' }) => JSON.parse(Body).id);
}

test('importing it reads no environment; the first invocation does, and says what is missing', async () => {
  const { handler } = await import('../../../functions/relay/handler.ts');

  await expect(handler(recordsOf(), context)).rejects.toThrow('environment is not complete');
});

test('records and sweeps bring events from the ledger to the queue, but none of the feed itself', async () => {
  const { handler, sweep } = await import('../../../functions/relay/handler.ts');
  const environment = {
    DESTINATION: 'queue',
    QUEUE_URL: queueUrl,
    LEDGER_TABLE: tables.tables.ledger,
    MARKS_TABLE: tables.tables.marks,
    AWS_ENDPOINT_URL_DYNAMODB: tables.endpoint,
    AWS_ENDPOINT_URL_SQS: sqs.endpoint,
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    POWERTOOLS_LOG_LEVEL: 'SILENT',
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  await write(aKey(1), 1);
  await write(aKey(1), 2);
  await write(aKey(2), 1);
  await write(aKey('feed'), 1);

  const response = await handler(recordsOf(aKey(1), aKey(1), aKey('feed')), context);
  const byRecords = await received();
  const report = await sweep({}, context);
  const bySweep = await received();

  expect(response).toEqual({ batchItemFailures: [] });
  expect(byRecords).toEqual(['acme_mi8x2k_1_1', 'acme_mi8x2k_1_2']);
  expect(bySweep).toEqual(['acme_mi8x2k_2_1']);
  expect(report).toMatchObject({ groups: 3, unsent: 1, done: 1, complete: true });
});
