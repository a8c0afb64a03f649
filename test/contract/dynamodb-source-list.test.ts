import { afterAll, beforeAll, expect, it } from 'vitest';
import { listSources } from '../../functions/adapters/dynamodb-source-list.ts';
import { aState } from './sample-states.ts';
import { openTables, storesOn, type TestTables } from './stores.ts';

let opened: TestTables;

beforeAll(async () => {
  opened = await openTables();
});
afterAll(() => opened.close());

it('lists the sources with a state, without the budgets', async () => {
  const { client, tables } = opened;
  const { states, budgets } = storesOn(client, tables);
  const arrival = {
    theoreticalArrival: 1,
    reservedArrival: 1,
    rateShare: 1,
    rateChangedAt: 1,
    pausedUntil: 0,
  };

  const before = await listSources(client, tables.sources);
  await states.save(aState('zeta'), 0);
  await states.save(aState('acme'), 0);
  await budgets.save('a-hash', arrival, 0);

  expect(before).toEqual([]);
  expect(await listSources(client, tables.sources)).toEqual(['acme', 'zeta']);
});
