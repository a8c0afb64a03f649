import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDynamoDbActivities, readActivities } from '../../functions/adapters/dynamodb-activities.ts';
import { listSources } from '../../functions/adapters/dynamodb-source-list.ts';
import { createDynamoDbSourceStates } from '../../functions/adapters/dynamodb-source-states.ts';
import { aState } from './sample-states.ts';
import { hastyClock, openTables, storesOn, type TestTables } from './stores.ts';

let opened: TestTables;

beforeAll(async () => {
  opened = await openTables();
});
afterAll(() => opened.close());

it('lists the sources with a state, without other items of their table', async () => {
  const { client, tables } = opened;
  const { states } = storesOn(client, tables);
  const other = { k: { S: 'activity/busy' } };

  const before = await listSources(client, tables.sources);
  await states.save(aState('zeta'), 0);
  await states.save(aState('acme'), 0);
  await client.send(new PutItemCommand({ TableName: tables.sources, Item: other }));

  expect(before).toEqual([]);
  expect(await listSources(client, tables.sources)).toEqual(['acme', 'zeta']);
});

it('reads the states and the activities of more sources than one request takes', async () => {
  const { tables } = opened;
  const access = { ...opened, clock: hastyClock };
  const states = createDynamoDbSourceStates(access);
  const activities = createDynamoDbActivities(opened);
  const names = Array.from({ length: 120 }, (_, index) => `shop-${index}`);
  for (const name of names) await states.save(aState(name), 0);
  await activities.save('shop-119', { minutes: [], recent: [] });

  const loaded = await states.loadMany([...names, 'nope']);
  const known = await readActivities(access, tables.sources, [...names, 'nope']);

  expect(loaded.map(({ source }) => source).sort()).toEqual(names.toSorted());
  expect([...known]).toEqual([['shop-119', { minutes: [], recent: [] }]]);
});
