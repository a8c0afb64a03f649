// Answers that reject a request, or part of it.
import { beforeAll, describe, expect, test } from 'vitest';
import type { GroupKey } from '../../shared/ports.ts';
import { badWire, cancel, leaveUnprocessed, newSaves, throttleStatements } from './dynamodb-faults.ts';
import { refuse } from './faulty-proxy.ts';
import { ACME, aKey, aSave, aSmallSnapshot } from './sample-saves.ts';
import { storesOn } from './stores.ts';

const wire = badWire();
let lastGroup = 1_000;
const freshKey = () => aKey(lastGroup++);
const idOf = (key: GroupKey) => Number(key.group);

describe('keys that are left unprocessed', () => {
  const ids = [1, 2, 3, 4, 5, 6, 7];

  beforeAll(() => storesOn(wire.engine.client, wire.tables).snapshots.saveAll(ACME, newSaves(ids)));

  test('are requested again, and never count as absent', async () => {
    wire.proxy.next('BatchGetItem', leaveUnprocessed(4));
    wire.proxy.next('BatchGetItem', leaveUnprocessed(1));

    const found = await wire.stores.snapshots.load(ACME, ids);

    expect([...found.keys()].sort()).toEqual(ids);
    expect(wire.countOf('BatchGetItem')).toBe(3);
  });

  test('may be all keys, for a while', async () => {
    wire.proxy.next('BatchGetItem', leaveUnprocessed(7), 5);

    const found = await wire.stores.snapshots.load(ACME, ids);

    expect(found.size).toBe(7);
  });

  test('fail the call if they stay unprocessed', async () => {
    wire.proxy.next('BatchGetItem', leaveUnprocessed(7), 100);

    await expect(wire.stores.snapshots.load(ACME, ids)).rejects.toThrow('left 7 of 7 items');
  });
});

describe('a rejected transaction', () => {
  test.each(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded'])(
    'for %s is retried',
    async (code) => {
      const key = freshKey();
      wire.proxy.next('TransactWriteItems', cancel('None', code), 3);

      const result = await wire.stores.snapshots.save(key, aSave(key, undefined, 1));

      expect(result).toBe('saved');
      expect(wire.countOf('TransactWriteItems')).toBe(4);
    },
  );

  test('fails with the reason after repeated conflicts with another transaction', async () => {
    const key = freshKey();
    wire.proxy.next('TransactWriteItems', cancel('TransactionConflict', 'None'), 100);

    const saving = wire.stores.snapshots.save(key, aSave(key, undefined, 1));

    await expect(saving).rejects.toThrow('TransactionConflict');
    expect(wire.countOf('TransactWriteItems')).toBe(8);
  });

  test('is not retried if it is invalid', async () => {
    const key = freshKey();
    wire.proxy.next('TransactWriteItems', cancel('ValidationError', 'TransactionConflict'), 100);

    const saving = wire.stores.snapshots.save(key, aSave(key, undefined, 1));

    await expect(saving).rejects.toThrow('ValidationError');
    expect(wire.countOf('TransactWriteItems')).toBe(1);
  });

  test('is a conflict if one item has another version, independent of the reasons of the others', async () => {
    const key = freshKey();
    await wire.stores.snapshots.save(key, aSave(key, undefined, 1));
    wire.proxy.next('TransactWriteItems', cancel('ConditionalCheckFailed', 'TransactionConflict'));

    const result = await wire.stores.snapshots.save(key, aSave(key, { version: 1, sequence: 1 }, 1));

    expect(result).toBe('conflict');
    expect(wire.countOf('TransactWriteItems')).toBe(2);
  });

  // Another poller's save of the same group is being committed: its event shows, its snapshot is still locked.
  test('is a conflict if another save of the group has written only its event so far', async () => {
    const key = freshKey();
    await wire.stores.snapshots.save(key, aSave(key, undefined, 1));
    wire.proxy.next('TransactWriteItems', cancel('TransactionConflict', 'ConditionalCheckFailed'), 2);

    const result = await wire.stores.snapshots.save(key, aSave(key, undefined, 2));

    expect(result).toBe('conflict');
    expect(wire.countOf('TransactWriteItems')).toBe(4);
  });
});

describe('saves without events', () => {
  test('are retried if some were throttled', async () => {
    const ids = [31, 32, 33, 34];
    wire.proxy.next('BatchExecuteStatement', throttleStatements(3));
    wire.proxy.next('BatchExecuteStatement', throttleStatements(1));

    const results = await wire.stores.snapshots.saveAll(ACME, newSaves(ids));

    expect(results).toEqual(['saved', 'saved', 'saved', 'saved']);
    expect((await wire.stores.snapshots.load(ACME, ids)).size).toBe(4);
  });

  test('fail if they are throttled every time', async () => {
    wire.proxy.next('BatchExecuteStatement', throttleStatements(1), 100);

    const saving = wire.stores.snapshots.saveAll(ACME, newSaves([41]));

    await expect(saving).rejects.toThrow('rejected 1 of 1 inserts');
  });

  test('are retried while a transaction locks the group', async () => {
    const key = freshKey();
    await wire.stores.snapshots.saveAll(ACME, newSaves([idOf(key)]));
    wire.proxy.next('PutItem', refuse('com.amazonaws.dynamodb.v20120810#TransactionConflictException'), 2);

    const results = await wire.stores.snapshots.saveAll(ACME, [
      { snapshot: aSmallSnapshot(idOf(key), 2), expectedVersion: 1 },
    ]);

    expect(results).toEqual(['saved']);
    expect(wire.countOf('PutItem')).toBe(3);
  });
});
