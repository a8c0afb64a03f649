import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  createDynamoDbSourceDirectory,
  type EntryToSave,
} from '../../functions/adapters/dynamodb-source-directory.ts';
import { aState } from './sample-states.ts';
import { hastyClock, openTables, storesOn, type TestTables } from './stores.ts';

let opened: TestTables;

beforeAll(async () => {
  opened = await openTables();
});
afterAll(() => opened.close());

function openDirectory() {
  const { client, tables } = opened;
  return createDynamoDbSourceDirectory({ client, tables, clock: hastyClock, random: Math.random });
}

function anEntry(name: string, changes: Partial<EntryToSave> = {}): EntryToSave {
  const settings = { name, baseUrl: 'https://returns.example.com/api' };
  return {
    ...{ name, declaredBy: 'command', isPaused: false },
    given: { settings, token: { secretId: 'feed/tokens/returns.example.com/main' } },
    ...changes,
  };
}

it('lists the entries by name with all defaults, and no other items of their table', async () => {
  const { client, tables } = opened;
  const directory = openDirectory();
  await storesOn(client, tables).states.save(aState('acme'), 0);

  await directory.save(anEntry('zeta', { declaredBy: 'stack' }), 0);
  await directory.save(anEntry('acme', { isPaused: true }), 0);
  const entries = await directory.list();

  expect(entries).toMatchObject([
    { name: 'acme', version: 1, declaredBy: 'command', isPaused: true, alarm: false },
    { name: 'zeta', version: 1, declaredBy: 'stack', isPaused: false, settings: { intervalMs: 60_000 } },
  ]);
});

it('saves only over the version that was read', async () => {
  const directory = openDirectory();

  const first = await directory.save(anEntry('once'), 0);
  const again = await directory.save(anEntry('once'), 0);
  const next = await directory.save(anEntry('once', { isPaused: true }), 1);

  expect([first, again, next]).toEqual(['saved', 'conflict', 'saved']);
  expect(await directory.find('once')).toMatchObject({ version: 2, isPaused: true });
});

it('says what is wrong with an entry that it finds, and finds no entry that was removed', async () => {
  const directory = openDirectory();
  await directory.save(anEntry('broken'), 0);
  await directory.save(anEntry('gone'), 0);
  await opened.client.send(
    new UpdateItemCommand({
      TableName: opened.tables.sources,
      Key: { k: { S: 'directory/broken' } },
      UpdateExpression: 'SET b = :b',
      ExpressionAttributeValues: { ':b': { S: '{"settings":{"name":"broken"}}' } },
    }),
  );

  await directory.remove('gone');

  expect(await directory.find('broken')).toMatchObject({
    problem: expect.stringContaining('settings.baseUrl'),
  });
  expect(await directory.find('gone')).toBeUndefined();
});
