import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aState } from './sample-states.ts';
import { STORES, type Stores } from './stores.ts';

describe.each(STORES)('source states $name', ({ open }) => {
  let stores: Stores;

  beforeAll(async () => {
    stores = await open();
  });
  afterAll(() => stores.close());

  test('has no state before the first tick', async () => {
    expect(await stores.states.load('never')).toBeUndefined();
  });

  test('loads a state as it was saved, including undefined fields', async () => {
    const state = aState('whole');

    await stores.states.save(state, 0);

    expect(await stores.states.load('whole')).toStrictEqual(state);
  });

  test('overwrites only the preceding version', async () => {
    await stores.states.save(aState('moving', 1), 0);

    const results = [
      await stores.states.save(aState('moving', 2), 1),
      await stores.states.save(aState('moving', 2, { limit: 50 }), 1),
      await stores.states.save(aState('moving', 1), 0),
      await stores.states.save(aState('moving', 6), 5),
    ];

    expect(results).toEqual(['saved', 'conflict', 'conflict', 'conflict']);
    expect(await stores.states.load('moving')).toStrictEqual(aState('moving', 2));
  });

  test('lets exactly one of several saves win, even with equal states', async () => {
    const rivals = Array.from({ length: 8 }, () => stores.states.save(aState('contested'), 0));

    const results = await Promise.all(rivals);

    expect(results.filter((result) => result === 'saved')).toHaveLength(1);
  });

  test('refuses a state whose version is not the next', async () => {
    const saving = stores.states.save(aState('leaping', 3), 1);

    await expect(saving).rejects.toThrow(RangeError);
  });

  test('always returns the same identity', async () => {
    const [first, second] = [await stores.states.identity(), await stores.states.identity()];

    expect(first).toMatch(/^\S+$/);
    expect(second).toBe(first);
  });
});
