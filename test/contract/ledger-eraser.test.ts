import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { GroupKey } from '../../shared/ports.ts';
import { aKey, aSave } from './sample-saves.ts';
import { STORES, type Stores } from './stores.ts';

describe.each(STORES)('ledger eraser $name', ({ open }) => {
  let stores: Stores;

  beforeAll(async () => {
    stores = await open();
  });
  afterAll(() => stores.close());

  const write = (key: GroupKey, count: number) => stores.snapshots.save(key, aSave(key, undefined, count));
  const numbersOf = async (key: GroupKey) =>
    (await stores.ledger.read(key, 0, 1_000)).map(({ sequence }) => sequence);

  test('erases all events of a group up to a number, and no other group’s', async () => {
    const [group, other] = [aKey(1), aKey(10)];
    await write(group, 62);
    await write(other, 3);

    const erased = await stores.eraser.erase(group, 60);

    expect(erased).toBe(60);
    expect(await numbersOf(group)).toEqual([61, 62]);
    expect(await numbersOf(other)).toEqual([1, 2, 3]);
  });

  test('erases the remaining events, if any, when it is called again', async () => {
    const group = aKey(2);
    await write(group, 5);

    const erased = [
      await stores.eraser.erase(group, 3),
      await stores.eraser.erase(group, 3),
      await stores.eraser.erase(group, 5),
    ];

    expect(erased).toEqual([3, 0, 2]);
  });
});
