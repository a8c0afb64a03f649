import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listSources } from '../../functions/adapters/dynamodb-source-list.ts';
import { aState } from './sample-states.ts';
import { openTables, storesOn, type TestTables } from './stores.ts';

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
