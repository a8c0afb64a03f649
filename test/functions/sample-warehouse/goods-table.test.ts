// The goods table on the engine, over the wire.
import { type DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  createGoodsTable,
  type Goods,
  type LineItem,
} from '../../../functions/sample-warehouse/goods-table.ts';
import { type DynamoDbEngine, startDynamoDbEngine } from '../../engines/dynamodb-engine.ts';
import { connectDynamoDb } from '../../engines/sdk-clients.ts';
import { createWarehouseTable } from './warehouse-table.ts';

let engine: DynamoDbEngine;
let client: DynamoDBClient;
let tableName: string;
let goods: Goods;

beforeAll(async () => {
  engine = await startDynamoDbEngine();
  client = connectDynamoDb(engine.endpoint);
});
beforeEach(async () => {
  tableName = await createWarehouseTable(client);
  goods = createGoodsTable({ client, tableName });
});
afterAll(async () => {
  client.destroy();
  await engine.stop();
});

const KEY = { returnGroup: 'acme/1', part: 'line_item/11' };

function lineItem(position: string, others: Partial<LineItem> = {}): LineItem {
  return { ...KEY, status: 'COMPLETED', position, expires: 2_000_000_000, ...others };
}

/** Waits like the workflow's task. */
async function wait(...tokens: string[]): Promise<void> {
  await client.send(
    new UpdateItemCommand({
      TableName: tableName,
      Key: { return_group: { S: KEY.returnGroup }, part: { S: KEY.part } },
      UpdateExpression: 'ADD waiting :tokens',
      ExpressionAttributeValues: { ':tokens': { SS: tokens } },
    }),
  );
}

const parcel = (...line_items: string[]) => ({
  return_group: 'acme/1',
  parcel: 'parcel/21',
  line_items,
  expires: '2000000000',
});

const deliveryOf = (id: string) => ({ id, source: '/sources/acme' });

describe('recording a status', () => {
  test('returns all tokens that wait for the line item', async () => {
    await wait('token-1', 'token-2');

    const waiting = await goods.note(lineItem('g_1'));

    expect([...waiting].sort()).toEqual(['token-1', 'token-2']);
  });

  test('returns no tokens if nothing waits', async () => {
    expect(await goods.note(lineItem('g_1'))).toEqual([]);
  });

  test('returns the waiting tokens again when repeated, until they are removed', async () => {
    await wait('token-1', 'token-2');
    await goods.note(lineItem('g_1'));
    const again = await goods.note(lineItem('g_1'));

    await goods.forgetWaiting(KEY, ['token-1']);

    expect(again).toHaveLength(2);
    expect(await goods.note(lineItem('g_1'))).toEqual(['token-2']);
  });

  test('changes nothing after a newer status, and returns no tokens', async () => {
    await wait('token-1');
    await goods.note(lineItem('g_2', { status: 'OPEN' }));

    const waiting = await goods.note(lineItem('g_1'));

    expect(waiting).toEqual([]);
    expect(await goods.positionOf(KEY)).toBe('g_2');
  });
});

describe('a parcel', () => {
  test('belongs to its first delivery, even if it is recorded several times', async () => {
    const answers = [];
    for (const id of ['acme_g_1_5', 'acme_g_1_7', 'acme_g_1_5'])
      answers.push(await goods.claimParcel(parcel('line_item/11'), deliveryOf(id)));

    expect(answers).toEqual([true, false, true]);
  });

  test('belongs to its first delivery, even after its shipment has moved to another return', async () => {
    await goods.claimParcel(parcel('line_item/11'), deliveryOf('acme_g_1_5'));

    const again = await goods.claimParcel({ ...parcel(), return_group: 'acme/2' }, deliveryOf('acme_g_2_1'));

    expect(again).toBe(false);
  });

  test('is another one than that of another source with the same id', async () => {
    await goods.claimParcel(parcel(), deliveryOf('acme_g_1_5'));

    const other = { ...parcel(), return_group: 'berta/1' };
    expect(await goods.claimParcel(other, { id: 'berta_g_1_5', source: '/sources/berta' })).toBe(true);
  });

  test('may have no known line items', async () => {
    expect(await goods.claimParcel(parcel(), deliveryOf('acme_g_1_5'))).toBe(true);
  });
});

test("a group's line items are the recorded ones and those of its parcels, each once", async () => {
  await goods.note(lineItem('g_1'));
  await goods.note(lineItem('g_1', { part: 'return_group' }));
  await goods.note(lineItem('g_1', { returnGroup: 'acme/2', part: 'line_item/99' }));
  await goods.claimParcel(parcel('line_item/11', 'line_item/12'), deliveryOf('acme_g_1_5'));

  const parts = await goods.lineItemsOf('acme/1');

  expect([...parts].sort()).toEqual(['line_item/11', 'line_item/12']);
});

test('an unrecorded part has no position', async () => {
  await wait('token-1');

  expect(await goods.positionOf(KEY)).toBeUndefined();
  expect(await goods.positionOf({ ...KEY, part: 'return_group' })).toBeUndefined();
});
