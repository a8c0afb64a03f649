import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anActivity } from './sample-activities.ts';
import { aState } from './sample-states.ts';
import { STORES, type Stores } from './stores.ts';

describe.each(STORES)('activities $name', ({ open }) => {
  let stores: Stores;

  beforeAll(async () => {
    stores = await open();
  });
  afterAll(() => stores.close());

  test('has none before the first save', async () => {
    expect(await stores.activities.load('never')).toBeUndefined();
  });

  test('loads an activity as it was saved', async () => {
    const activity = anActivity(60, 50);

    await stores.activities.save('whole', activity);

    expect(activity.minutes).toHaveLength(60);
    expect(await stores.activities.load('whole')).toStrictEqual(activity);
  });

  test('loads an activity without minutes and groups', async () => {
    await stores.activities.save('quiet', anActivity(0, 0));

    expect(await stores.activities.load('quiet')).toStrictEqual({ minutes: [], recent: [] });
  });

  test('keeps the last save, of any process', async () => {
    await stores.activities.save('shared', anActivity(3, 3));
    await stores.activities.save('shared', anActivity(1, 2));

    expect(await stores.activities.load('shared')).toStrictEqual(anActivity(1, 2));
  });

  test('is independent of the state of the same source, and of other sources', async () => {
    await stores.states.save(aState('apart'), 0);
    await stores.activities.save('apart', anActivity(1, 1));

    expect(await stores.states.load('apart')).toStrictEqual(aState('apart'));
    expect(await stores.activities.load('other')).toBeUndefined();
  });
});
