import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDynamoDbLedgerEraser } from '../../../functions/adapters/dynamodb-ledger-eraser.ts';
import { toLedgerItem } from '../../../functions/adapters/ledger-item.ts';
import type { GroupKey, LedgerEraser } from '../../../shared/ports.ts';
import { hastyClock, openTables, storesOn, type TestTables } from '../../contract/stores.ts';
import { aKey, anEvent } from '../../shared/publishing/an-event.ts';

let tables: TestTables;
let eraser: LedgerEraser;

beforeAll(async () => {
  tables = await openTables();
  eraser = createDynamoDbLedgerEraser({ client: tables.client, tables: tables.tables, clock: hastyClock });
});
afterAll(() => tables.close());

async function write(key: GroupKey, count: number) {
  for (let sequence = 1; sequence <= count; sequence += 1) {
    const Item = toLedgerItem(key, anEvent(key, sequence));
    await tables.client.send(new PutItemCommand({ TableName: tables.tables.ledger, Item }));
  }
}

async function numbersOf(key: GroupKey) {
  const entries = await storesOn(tables.client, tables.tables).ledger.read(key, 0, 1_000);
  return entries.map(({ sequence }) => sequence);
}

test('all events of a group up to a number are erased, and no other group’s', async () => {
  const [group, other] = [aKey(1), aKey(10)];
  await write(group, 62);
  await write(other, 3);

  const erased = await eraser.erase(group, 60);

  expect(erased).toBe(60);
  expect(await numbersOf(group)).toEqual([61, 62]);
  expect(await numbersOf(other)).toEqual([1, 2, 3]);
});

test('a repeat erases the remaining events, if any', async () => {
  const group = aKey(2);
  await write(group, 5);

  const erased = [await eraser.erase(group, 3), await eraser.erase(group, 3), await eraser.erase(group, 5)];

  expect(erased).toEqual([3, 0, 2]);
});
