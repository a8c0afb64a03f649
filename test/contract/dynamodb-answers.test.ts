// Features that only the adapters have: pages of an index, the ids of tables.
import { DeleteItemCommand, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import { insertBatch } from '../../functions/adapters/dynamodb-batch-insert.ts';
import { sourceStateKey } from '../../functions/adapters/source-state-item.ts';
import { badWire, newSaves } from './dynamodb-faults.ts';
import { refuse, rewriting } from './faulty-proxy.ts';
import { aState } from './sample-states.ts';
import { hastyClock, storesOn } from './stores.ts';

const wire = badWire();

describe('the known groups of a range', () => {
  test('come from every page of the index', async () => {
    const source = { source: 'a-source-with-a-very-long-name', generation: 'mi8x2kmi8x2k' };
    const ids = Array.from({ length: 9_500 }, (_, at) => 1_000_000_000_000_000 + at);
    const items = ids.map((id) => ({
      k: { S: `${source.source}_${source.generation}_${id}` },
      i: { S: `${source.source}_${source.generation}` },
      c: { N: String(id) },
    }));
    await insertBatch({ client: wire.engine.client, clock: hastyClock }, wire.tables.snapshots, items);

    const known = [];
    for await (const { groupId } of wire.stores.snapshots.knownCreatedBetween(
      source,
      0,
      Number.POSITIVE_INFINITY,
    )) {
      known.push(groupId);
    }

    expect(known).toEqual(ids);
    expect(wire.countOf('Query')).toBeGreaterThan(1);
  }, 60_000);

  test('are read no further than a page beyond those that are taken', async () => {
    const source = { source: 'acme', generation: 'many' };
    const ids = Array.from({ length: 500 }, (_, at) => at + 1);
    await wire.stores.snapshots.saveAll(source, newSaves(ids));
    const read: number[] = [];
    wire.proxy.next('Query', async ({ body, forward }) => {
      read.push(body.Limit);
      return forward(body);
    });

    for await (const { groupId } of wire.stores.snapshots.knownCreatedBetween(
      source,
      0,
      Number.POSITIVE_INFINITY,
    ))
      if (groupId === 150) break;

    expect(read).toEqual([200]);
    expect(wire.countOf('Query')).toBe(1);
  });

  test('are all returned, however small the pages are', async () => {
    const source = { source: 'acme', generation: 'few' };
    await wire.stores.snapshots.saveAll(source, newSaves([5, 1, 4, 2, 3]));
    wire.proxy.next('Query', ({ body, forward }) => forward({ ...body, Limit: 2 }), 10);

    const known = [];
    for await (const { groupId } of wire.stores.snapshots.knownCreatedBetween(
      source,
      0,
      Number.POSITIVE_INFINITY,
    )) {
      known.push(groupId);
    }

    expect(known).toEqual([1, 2, 3, 4, 5]);
  });
});

describe("the tables' identity", () => {
  test('is requested once, or again after a failure', async () => {
    wire.proxy.next('DescribeTable', refuse('com.amazonaws.dynamodb.v20120810#ResourceNotFoundException'));
    await expect(wire.stores.states.identity()).rejects.toThrow();

    const names = [await wire.stores.states.identity(), await wire.stores.states.identity()];

    expect(names[0]).toBe(names[1]);
    expect(wire.countOf('DescribeTable')).toBe(6);
  });

  test('differs after a table was restored under the same name', async () => {
    const before = await wire.stores.states.identity();
    wire.proxy.next(
      'DescribeTable',
      rewriting((answer) => {
        const isLedger = answer.body.Table.TableName === wire.tables.ledger;
        return isLedger
          ? { ...answer, body: { Table: { ...answer.body.Table, TableId: 'restored' } } }
          : answer;
      }),
      3,
    );

    const after = await storesOn(wire.client, wire.tables).states.identity();

    expect(after).not.toBe(before);
  });

  test('is kept although a save ended while a state was read', async () => {
    const { states } = wire.stores;
    await states.save(aState('slow', 1), 0);
    await states.identity();
    wire.proxy.next('GetItem', async ({ forward }) => {
      const answer = await forward();
      await states.save(aState('slow', 2), 1);
      return answer;
    });

    const read = await states.load('slow');
    await states.identity();

    expect(read?.version).toBe(1);
    expect(wire.countOf('DescribeTable')).toBe(3);
  });

  test.each(['an older state', 'none'])('is requested again by a process that finds %s', async (found) => {
    const { states } = wire.stores;
    const table = { TableName: wire.tables.sources };
    const key = { k: { S: sourceStateKey('restored') } };
    await states.save(aState('restored', 1), 0);
    const { Item: backup } = await wire.engine.client.send(new GetItemCommand({ ...table, Key: key }));
    await states.save(aState('restored', 2), 1);
    await states.identity();
    await states.load('restored');
    await states.identity();
    expect(wire.countOf('DescribeTable')).toBe(3);

    if (found === 'none') await wire.engine.client.send(new DeleteItemCommand({ ...table, Key: key }));
    else await wire.engine.client.send(new PutItemCommand({ ...table, Item: backup }));
    await states.load('restored');
    await states.identity();

    expect(wire.countOf('DescribeTable')).toBe(6);
  });
});
