// Requests that take effect, but get no answer.
import { describe, expect, test } from 'vitest';
import { DAY, MILLISECOND } from '../../shared/instant.ts';
import type { GroupKey } from '../../shared/ports.ts';
import { badWire, newSaves, withoutStoredItems } from './dynamodb-faults.ts';
import { type Fault, loseAnswer, rewriting } from './faulty-proxy.ts';
import { ACME, aKey, aSave, aSmallSnapshot } from './sample-saves.ts';
import { aState } from './sample-states.ts';
import { clockAt, storesOn } from './stores.ts';

/** The number of attempts of the SDK's client. */
const ATTEMPTS = 4;

const wire = badWire();
let lastGroup = 1_000;
const freshKey = () => aKey(lastGroup++);
const idOf = (key: GroupKey) => Number(key.group);
const versionOf = async (key: GroupKey) =>
  (await wire.stores.snapshots.load(key, [idOf(key)])).get(idOf(key))?.version;
const numbersOf = async (key: GroupKey) =>
  (await wire.stores.ledger.read(key, 0, 2_000)).map((entry) => entry.sequence);
const numbersTo = (last: number) => Array.from({ length: last }, (_, at) => at + 1);

describe('a save with a lost answer', () => {
  test.each([2, 91, 1_000])(
    'reports saved when the SDK sends it again, and is saved once: %i events',
    async (events) => {
      const key = freshKey();
      wire.proxy.next('TransactWriteItems', loseAnswer, 2);

      const result = await wire.stores.snapshots.save(key, aSave(key, undefined, events));

      expect(result).toBe('saved');
      expect(wire.countOf('TransactWriteItems')).toBe(3);
      expect(await numbersOf(key)).toEqual(numbersTo(events));
    },
  );

  test('is sent with its own token, the same each time', async () => {
    const key = freshKey();
    const tokens: string[] = [];
    const noteToken: Fault = ({ body, forward }) => {
      tokens.push(body.ClientRequestToken);
      return forward();
    };
    const save = aSave(key, undefined, 1);
    const other = { ...save, snapshot: { ...save.snapshot, receivedAt: save.snapshot.receivedAt + 1 } };
    wire.proxy.next('TransactWriteItems', noteToken, 3);

    for (const sent of [save, structuredClone(save), other]) await wire.stores.snapshots.save(key, sent);

    expect(tokens[0]).toMatch(/^[\w-]{36}$/);
    expect(tokens[1]).toBe(tokens[0]);
    expect(tokens[2]).not.toBe(tokens[0]);
  });

  test('fails when every answer is lost, and reports saved when it is called again', async () => {
    const key = freshKey();
    const save = aSave(key, undefined, 1);
    wire.proxy.next('TransactWriteItems', loseAnswer, ATTEMPTS);
    await expect(wire.stores.snapshots.save(key, save)).rejects.toThrow();

    const again = await wire.stores.snapshots.save(key, save);

    expect(again).toBe('saved');
    expect(await numbersOf(key)).toEqual([1]);
  });

  test.each([1, 200])('is recognised after its token has expired: %i events', async (events) => {
    const key = freshKey();
    const save = aSave(key, undefined, events);
    wire.proxy.next('TransactWriteItems', loseAnswer, ATTEMPTS);
    await expect(wire.stores.snapshots.save(key, save)).rejects.toThrow();
    const tomorrow = storesOn(wire.client, wire.tables, clockAt(Date.now() * MILLISECOND + DAY));

    const again = await tomorrow.snapshots.save(key, save);

    expect(again).toBe('saved');
    expect(await numbersOf(key)).toEqual(numbersTo(events));
  });

  test('is a conflict later if it was overwritten', async () => {
    const key = freshKey();
    const save = aSave(key, undefined, 1);
    wire.proxy.next('TransactWriteItems', loseAnswer, ATTEMPTS);
    await expect(wire.stores.snapshots.save(key, save)).rejects.toThrow();
    await wire.stores.snapshots.save(key, aSave(key, save.snapshot, 1));
    const tomorrow = storesOn(wire.client, wire.tables, clockAt(Date.now() * MILLISECOND + DAY));

    const again = await tomorrow.snapshots.save(key, save);

    expect(again).toBe('conflict');
    expect(await versionOf(key)).toBe(2);
  });

  test('is recognised on an engine that does not return stored items', async () => {
    const key = freshKey();
    const save = aSave(key, undefined, 1);
    await wire.stores.snapshots.save(key, save);
    wire.proxy.next('TransactWriteItems', rewriting(withoutStoredItems));
    const tomorrow = storesOn(wire.client, wire.tables, clockAt(Date.now() * MILLISECOND + DAY));

    const again = await tomorrow.snapshots.save(key, save);

    expect(again).toBe('saved');
  });

  test.each([
    ['a new group', 0],
    ['a known group', 1],
  ])('is recognised without events: %s', async (_, expectedVersion) => {
    const key = freshKey();
    if (expectedVersion === 1) await wire.stores.snapshots.saveAll(ACME, newSaves([idOf(key)]));
    const save = { snapshot: aSmallSnapshot(idOf(key), expectedVersion + 1), expectedVersion };
    wire.proxy.next('PutItem', loseAnswer);
    wire.proxy.next('BatchExecuteStatement', loseAnswer);

    const results = await wire.stores.snapshots.saveAll(ACME, [save]);

    expect(results).toEqual(['saved']);
    expect(await versionOf(key)).toBe(expectedVersion + 1);
  });

  test('is recognised: a state, an event of the feed', async () => {
    wire.proxy.next('PutItem', loseAnswer);
    const state = await wire.stores.states.save(aState('lost'), 0);
    wire.proxy.next('PutItem', loseAnswer);
    const [event] = aSave(aKey(1, { source: 'lost', generation: 'mi8x2k' }), undefined, 1).events;
    const feed = aKey('feed', { source: 'lost', generation: 'mi8x2k' });
    const appended = event && (await wire.stores.ledger.append(feed, { ...event, id: 'lost_mi8x2k_feed_1' }));

    expect([state, appended]).toEqual(['saved', 'saved']);
    expect(wire.countOf('PutItem')).toBe(4);
  });
});

describe('an erasure with a lost answer', () => {
  test('erases a part of an item once', async () => {
    const key = freshKey();
    await wire.stores.snapshots.save(key, aSave(key, undefined, 200));
    wire.proxy.next('PutItem', loseAnswer);
    wire.proxy.next('BatchWriteItem', loseAnswer);

    const erased = [await wire.stores.eraser.erase(key, 99), await wire.stores.eraser.erase(key, 99)];

    expect(erased).toEqual([99, 0]);
    expect(await numbersOf(key)).toEqual(numbersTo(200).slice(99));
  });
});
