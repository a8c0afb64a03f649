// The list of groups that are behind, on a real engine, because the fake has no index.
import { PutItemCommand, QueryCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BehindGroup, listBehind } from '../../functions/adapters/dynamodb-behind.ts';
import type { GroupKey } from '../../shared/ports.ts';
import type { WebhookMarks } from '../../shared/webhooks/webhook-ports.ts';
import { aKey } from './sample-saves.ts';
import { openTables, storesOn, type TestTables } from './stores.ts';

let engine: TestTables;
let marks: WebhookMarks;
let lastDestination = 0;

beforeAll(async () => {
  engine = await openTables();
  marks = storesOn(engine.client, engine.tables).marks;
});
afterAll(() => engine.close());

const freshDestination = () => `to${lastDestination++}`;
const GLOBEX = { source: 'globex', generation: 'mi8x2k' };

async function behind(destination: string, source?: string): Promise<BehindGroup[]> {
  const found: BehindGroup[] = [];
  for await (const group of listBehind(engine.client, engine.tables.marks, destination, source))
    found.push(group);
  return found;
}
const keysOf = (groups: readonly BehindGroup[]): GroupKey[] => groups.map(({ key }) => key);

async function countIndexed(destination: string): Promise<number | undefined> {
  const query = new QueryCommand({
    TableName: engine.tables.marks,
    IndexName: 'behind',
    KeyConditionExpression: 'd = :d',
    ExpressionAttributeValues: { ':d': { S: destination } },
  });
  return (await engine.client.send(query)).Count;
}

/** Puts a mark like an earlier release, without the attribute of the index. */
function noteAsBefore(destination: string, group: number) {
  const Item = {
    k: { S: `${destination}#acme_mi8x2k_${group}` },
    v: { N: '1' },
    n: { N: '3' },
    r: { S: '4: refused' },
  };
  return engine.client.send(new PutItemCommand({ TableName: engine.tables.marks, Item }));
}

test('lists the groups of one destination with the notes of their marks, and no others', async () => {
  const [queue, hook] = [freshDestination(), freshDestination()];
  await marks.advance(queue, aKey(1), 3);
  await marks.noteBehind(queue, aKey(1), { sequence: 4, reason: 'too large' });
  await marks.noteBehind(queue, aKey('feed'), { sequence: 1, reason: 'refused' });
  await marks.advance(queue, aKey(2), 9);
  await marks.noteFailing(hook, aKey(3), { sequence: 1, reason: 'answered 500', at: 1_000 });

  expect(await behind(queue)).toEqual([
    { destination: queue, key: aKey(1), sequence: 3, behind: '4: too large', failingSince: undefined },
    {
      destination: queue,
      key: aKey('feed'),
      sequence: undefined,
      behind: '1: refused',
      failingSince: undefined,
    },
  ]);
  expect(await behind(hook)).toEqual([
    { destination: hook, key: aKey(3), sequence: undefined, behind: '1: answered 500', failingSince: 1_000 },
  ]);
});

test('lists only the groups of one source, also if the name of another source begins with its name', async () => {
  const queue = freshDestination();
  const keys = [aKey(1), aKey(2, GLOBEX), aKey(3, { ...GLOBEX, source: 'globex-2' })];
  for (const key of keys) await marks.noteBehind(queue, key, { sequence: 1, reason: 'refused' });

  expect(keysOf(await behind(queue, 'globex'))).toEqual([aKey(2, GLOBEX)]);
});

test.each<[string, (destination: string, key: GroupKey) => Promise<unknown>]>([
  ['its mark moves', (destination, key) => marks.advance(destination, key, 1)],
  ['its note is removed', (destination, key) => marks.noteBehind(destination, key, undefined)],
])('a group is listed no longer when %s, and is no longer in the index', async (_, recover) => {
  const queue = freshDestination();
  await marks.noteBehind(queue, aKey(1), { sequence: 1, reason: 'refused' });
  await marks.noteFailing(queue, aKey(2), { sequence: 1, reason: 'timeout', at: 1_000 });
  const before = keysOf(await behind(queue));

  for (const group of [1, 2]) await recover(queue, aKey(group));

  expect(before).toEqual([aKey(1), aKey(2)]);
  expect(await behind(queue)).toEqual([]);
  expect(await countIndexed(queue)).toBe(0);
  await marks.noteBehind(queue, aKey(1), { sequence: 2, reason: 'refused' });
  expect(keysOf(await behind(queue))).toEqual([aKey(1)]);
});

test('lists a group that an earlier release noted once it is noted again', async () => {
  const [queue, hook] = [freshDestination(), freshDestination()];
  await noteAsBefore(queue, 1);
  await noteAsBefore(hook, 1);
  const before = await behind(queue);

  await marks.noteBehind(queue, aKey(1), { sequence: 4, reason: 'refused' });
  await marks.noteFailing(hook, aKey(1), { sequence: 4, reason: 'timeout', at: 1_000 });

  expect(before).toEqual([]);
  expect(keysOf(await behind(queue))).toEqual([aKey(1)]);
  expect(keysOf(await behind(hook))).toEqual([aKey(1)]);
});

test('omits a group that an earlier release noted and that has continued since', async () => {
  const queue = freshDestination();
  await marks.noteBehind(queue, aKey(1), { sequence: 1, reason: 'refused' });
  await engine.client.send(
    new UpdateItemCommand({
      TableName: engine.tables.marks,
      Key: { k: { S: `${queue}#acme_mi8x2k_1` } },
      UpdateExpression: 'REMOVE r, s',
    }),
  );

  expect(await behind(queue)).toEqual([]);
});

test('lists more groups than one answer contains', async () => {
  const queue = freshDestination();
  const stop = { sequence: 1, reason: 'x'.repeat(300_000) };
  const groups = [1, 2, 3, 4, 5];
  for (const group of groups) await marks.noteBehind(queue, aKey(group), stop);

  expect(keysOf(await behind(queue))).toEqual(groups.map((group) => aKey(group)));
});

test('reports a table without the index, and its remedy', async () => {
  const list = async () => {
    for await (const _ of listBehind(engine.client, engine.tables.sources, 'queue'));
  };

  await expect(list).rejects.toThrow(/by its index "behind" yet .* Deploy this release/);
});
