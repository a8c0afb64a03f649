import {
  CreateTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listBehind } from '../../../functions/adapters/dynamodb-behind.ts';
import { addMissingIndexes, createTables } from '../../../local/engines/tables.ts';
import { aKey, aSave } from '../../contract/sample-saves.ts';
import { openTables, startStream, storesOn, type TestTables } from '../../contract/stores.ts';
import { anEvent } from '../../shared/publishing/an-event.ts';

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

test('a stream without a reader ends, and the table keeps its entries', async () => {
  const { client, tables } = engine;
  const names = { ...tables, ledger: `${tables.ledger}-streamed` };
  await createTables(client, names);
  await startStream(client, names.ledger);
  const { ledger } = storesOn(client, names);
  await ledger.append(aKey(1), anEvent(aKey(1), 1));
  const before = await describeTable(names.ledger);

  for (const _ of ['once', 'again']) await createTables(client, names);

  const after = await describeTable(names.ledger);
  expect(before?.StreamSpecification?.StreamEnabled).toBe(true);
  expect(after?.StreamSpecification?.StreamEnabled ?? false).toBe(false);
  expect(await ledger.read(aKey(1), 0, 10)).toHaveLength(1);
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

test.each([
  ['the feed starts', createTables],
  ['a command opens it', addMissingIndexes],
])(
  'when %s, a table of an earlier release gets the index that it lacks, and keeps the rest',
  async (_, open) => {
    const { client, tables } = engine;
    const names = { ...tables, marks: `${tables.marks}-${open.name}` };
    await client.send(
      new CreateTableCommand({
        TableName: names.marks,
        BillingMode: 'PAY_PER_REQUEST',
        KeySchema: [{ AttributeName: 'k', KeyType: 'HASH' }],
        AttributeDefinitions: [{ AttributeName: 'k', AttributeType: 'S' }],
      }),
    );
    const { marks } = storesOn(client, names);
    await marks.advance('queue', aKey(1), 7);
    await marks.noteBehind('queue', aKey(1), { sequence: 8, reason: 'refused' });
    const before = await describeTable(names.marks);

    for (const _ of ['once', 'again']) await open(client, names);

    const after = await describeTable(names.marks);
    expect(before?.GlobalSecondaryIndexes).toBeUndefined();
    expect(after?.GlobalSecondaryIndexes).toMatchObject([{ IndexName: 'behind', IndexStatus: 'ACTIVE' }]);
    expect(after?.TableId).toBe(before?.TableId);
    expect(await marks.load('queue', aKey(1))).toBe(7);
    const [behind] = await toArray(listBehind(client, names.marks, 'queue'));
    expect(behind).toMatchObject({ key: aKey(1), behind: '8: refused' });
  },
);

test('no index is created if there are no tables', async () => {
  const names = { snapshots: 'none-1', ledger: 'none-2', marks: 'none-3', sources: 'none-4' };

  await addMissingIndexes(engine.client, names);

  expect(await describeTable('none-3').catch((error: Error) => error.name)).toBe('ResourceNotFoundException');
});

async function toArray<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
