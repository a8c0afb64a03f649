// The handler as in Lambda, but not bundled: only its environment configures it, and it uses engines over the wire.

import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { Context, DynamoDBStreamEvent } from 'aws-lambda';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { toLedgerItem } from '../../../functions/adapters/ledger-item.ts';
import type { GroupKey } from '../../../shared/ports.ts';
import { formatGroupKey } from '../../../shared/recording/group-key.ts';
import { pullStoresOn } from '../../contract/positions-under-test.ts';
import { hastyClock, openTables, type TestTables } from '../../contract/stores.ts';
import { connectSns, connectSqs, createTopicWithQueue, drain } from '../../contract/topic-clients.ts';
import { type SqsEngine, startSqsEngine } from '../../engines/sqs-engine.ts';
import { aKey, anEvent } from '../../shared/publishing/an-event.ts';

const context = { getRemainingTimeInMillis: () => 60_000 } as Context;

let tables: TestTables;
let sqs: SqsEngine;
let topicArn: string;
let queueUrl: string;

beforeAll(async () => {
  [tables, sqs] = await Promise.all([openTables(), startSqsEngine()]);
  const clients = [connectSns(sqs.endpoint), connectSqs(sqs.endpoint)] as const;
  ({ topicArn, queueUrl } = await createTopicWithQueue(...clients));
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

test('importing it reads no environment; the first invocation does, and names the missing variables', async () => {
  const { handler } = await import('../../../functions/relay/handler.ts');

  await expect(handler(recordsOf(), context)).rejects.toThrow('environment is incomplete or invalid');
});

function runIn(environment: Record<string, string>): void {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
}

/** The metrics that a run writes to its log. */
async function metricsOf(run: () => Promise<unknown>): Promise<Record<string, unknown>[]> {
  const lines: string[] = [];
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => lines.push(String(chunk)) > 0);
  try {
    await run();
  } finally {
    spy.mockRestore();
  }
  return lines.map((line) => JSON.parse(line)).filter((line) => '_aws' in line);
}

test('records and sweeps send events from the ledger to the topic, but not the events of the feed itself', async () => {
  const { handler, sweep } = await import('../../../functions/relay/handler.ts');
  const environment = {
    DESTINATION: 'ordered',
    TOPIC_ARN: topicArn,
    LEDGER_TABLE: tables.tables.ledger,
    MARKS_TABLE: tables.tables.marks,
    SNAPSHOTS_TABLE: tables.tables.snapshots,
    SOURCES_TABLE: tables.tables.sources,
    AWS_ENDPOINT_URL_DYNAMODB: tables.endpoint,
    AWS_ENDPOINT_URL_SNS: sqs.endpoint,
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    POWERTOOLS_LOG_LEVEL: 'SILENT',
    POWERTOOLS_METRICS_NAMESPACE: 'ReturnsChangeFeed',
    POWERTOOLS_SERVICE_NAME: 'feed',
  };
  runIn(environment);
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

test('a group that is behind is reported at once, and by each sweep until it advances', async () => {
  const { handler, sweep } = await import('../../../functions/relay/handler.ts');
  const unreadable = { ...toLedgerItem(aKey(3), anEvent(aKey(3), 1)), b: { B: new Uint8Array([1]) } };
  await tables.client.send(new PutItemCommand({ TableName: tables.tables.ledger, Item: unreadable }));

  const byRecords = await metricsOf(() => handler(recordsOf(aKey(3)), context));
  const bySweep = await metricsOf(() => sweep({}, context));
  await write(aKey(3), 1);
  const ofOthers = await metricsOf(() => handler(recordsOf(aKey(3)), context));
  const byNextSweep = await metricsOf(() => sweep({}, context));

  const reported = { service: 'feed', destination: 'queue', GroupsBehind: 1 };
  expect(byRecords).toMatchObject([reported]);
  expect(bySweep).toMatchObject([reported]);
  expect(ofOthers).toEqual([]);
  expect(byNextSweep).toMatchObject([{ ...reported, GroupsBehind: 0 }]);
});

test('for the pull feed, records and sweeps give events their positions, and other groups none', async () => {
  // The first invocation of a process decides its destination.
  vi.resetModules();
  runIn({ DESTINATION: 'pull' });
  const { handler, sweep } = await import('../../../functions/relay/handler.ts');
  const { positions } = pullStoresOn(tables.client, tables.tables, hastyClock);
  const read = async () => {
    const found = await positions.read(0, 100);
    return found === 'expired' ? found : found.events.map(({ event }) => event.id);
  };

  const response = await handler(recordsOf(aKey(1), aKey('feed')), context);
  const byRecords = await read();
  await sweep({}, context);
  const bySweep = await read();

  expect(response).toEqual({ batchItemFailures: [] });
  expect(byRecords).toEqual(['acme_mi8x2k_1_1', 'acme_mi8x2k_1_2']);
  expect(bySweep.slice(0, 2)).toEqual(byRecords);
  expect(bySweep.slice(2)).toEqual(['acme_mi8x2k_2_1', 'acme_mi8x2k_3_1']);
});
