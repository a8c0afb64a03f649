import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SECOND } from '../../shared/instant.ts';
import type { BudgetState } from '../../shared/ports.ts';
import { hastyClock, STORES, type Stores } from './stores.ts';

describe.each(STORES)('budgets $name', ({ open }) => {
  let stores: Stores;

  beforeAll(async () => {
    stores = await open();
  });
  afterAll(() => stores.close());

  test('has no state of a token before its first request', async () => {
    const { version, state } = await stores.budgets.load('never');

    expect({ version, state }).toEqual({ version: 0, state: undefined });
  });

  test('loads a state as it was saved, and counts its versions', async () => {
    await stores.budgets.save('counted', aBudget(1), 0);
    await stores.budgets.save('counted', aBudget(2), 1);

    const { version, state } = await stores.budgets.load('counted');

    expect({ version, state }).toEqual({ version: 2, state: aBudget(2) });
  });

  test('overwrites only the version that was read', async () => {
    await stores.budgets.save('moved', aBudget(1), 0);

    const results = [
      await stores.budgets.save('moved', aBudget(2), 0),
      await stores.budgets.save('moved', aBudget(2), 7),
    ];

    expect(results).toEqual(['conflict', 'conflict']);
    expect((await stores.budgets.load('moved')).state).toEqual(aBudget(1));
  });

  test('lets exactly one of several saves win, even with equal states', async () => {
    const rivals = Array.from({ length: 8 }, () => stores.budgets.save('contested', aBudget(1), 0));

    const results = await Promise.all(rivals);

    expect(results.filter((result) => result === 'saved')).toHaveLength(1);
  });

  test("returns the store's time", async () => {
    const before = hastyClock.now();
    const { storeTime } = await stores.budgets.load('timed');
    const after = hastyClock.now();

    expect(storeTime).toBeGreaterThan(before - SECOND);
    expect(storeTime).toBeLessThanOrEqual(after);
  });
});

function aBudget(requests: number): BudgetState {
  return {
    theoreticalArrival: 1_763_633_703_000_000 + requests * 250_000,
    reservedArrival: 1_763_633_703_000_000,
    rateShare: 0.625,
    rateChangedAt: 1_763_633_000_000_000,
    pausedUntil: 0,
    reach: 15_644_453,
  };
}
