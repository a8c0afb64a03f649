import { DescribeTableCommand, DescribeTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aKey, aSave } from '../contract/sample-saves.ts';
import { openTables, storesOn, type TestTables } from '../contract/stores.ts';
import { createTables } from './tables.ts';

let engine: TestTables;

beforeAll(async () => {
  engine = await openTables();
});
afterAll(() => engine.close());

const describeTable = async (TableName: string) =>
  (await engine.client.send(new DescribeTableCommand({ TableName }))).Table;

test('only the ledger has a stream', async () => {
  const { snapshots, ledger, marks, sources } = engine.tables;

  const streams = await Promise.all(
    [snapshots, ledger, marks, sources].map(async (name) => (await describeTable(name))?.StreamSpecification),
  );

  expect(streams.map((stream) => stream?.StreamViewType)).toEqual([
    undefined,
    'NEW_IMAGE',
    undefined,
    undefined,
  ]);
});

test('entries of the ledger expire by the attribute that the adapter writes', async () => {
  const command = new DescribeTimeToLiveCommand({ TableName: engine.tables.ledger });

  const { TimeToLiveDescription } = await engine.client.send(command);

  expect(TimeToLiveDescription).toMatchObject({ TimeToLiveStatus: 'ENABLED', AttributeName: 'x' });
});

test('existing tables are left unchanged', async () => {
  const stores = storesOn(engine.client, engine.tables);
  await stores.snapshots.save(aKey(1), aSave(aKey(1), undefined, 1));
  const before = await stores.states.identity();

  await createTables(engine.client, engine.tables);

  expect((await stores.snapshots.load(aKey(1), [1])).size).toBe(1);
  expect(await storesOn(engine.client, engine.tables).states.identity()).toBe(before);
});
