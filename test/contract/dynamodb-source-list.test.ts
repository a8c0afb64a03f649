import { afterAll, beforeAll, expect, it } from 'vitest';
import { listSources } from '../../functions/adapters/dynamodb-source-list.ts';
import { NO_ACTIVITY } from '../../shared/reporting/activity.ts';
import { aState } from './sample-states.ts';
import { openTables, storesOn, type TestTables } from './stores.ts';

let opened: TestTables;

beforeAll(async () => {
  opened = await openTables();
});
afterAll(() => opened.close());

it('lists the sources with a state, without budgets and activities', async () => {
  const { client, tables } = opened;
  const { states, budgets, activities } = storesOn(client, tables);
  const arrival = {
    theoreticalArrival: 1,
    reservedArrival: 1,
    rateShare: 1,
    rateChangedAt: 1,
    pausedUntil: 0,
    reach: 0,
  };

  const before = await listSources(client, tables.sources);
  await states.save(aState('zeta'), 0);
  await states.save(aState('acme'), 0);
  await budgets.save('a-hash', arrival, 0);
  await activities.save('busy', NO_ACTIVITY);

  expect(before).toEqual([]);
  expect(await listSources(client, tables.sources)).toEqual(['acme', 'zeta']);
});
