import { expect, test } from 'vitest';
import { createDynamoDbActivities, deleteActivity } from '../../functions/adapters/dynamodb-activities.ts';
import { badWire } from './dynamodb-faults.ts';
import { anActivity } from './sample-activities.ts';
import { aState } from './sample-states.ts';

const wire = badWire();

test.each(['GetItem', 'PutItem'])('a %s without an answer fails soon', async (operation) => {
  const activities = createDynamoDbActivities({ ...wire, timeoutMs: 1_000 });
  wire.proxy.next(operation, () => new Promise(() => {}), 9);

  const call = operation === 'GetItem' ? activities.load('acme') : activities.save('acme', anActivity(1, 1));

  await expect(call).rejects.toThrow();
  expect(wire.countOf(operation)).toBe(1);
});

test('deleting an activity deletes no other item of its source', async () => {
  const { activities, states } = wire.stores;
  await states.save(aState('leaving'), 0);
  await activities.save('leaving', anActivity(1, 1));
  await activities.save('staying', anActivity(1, 1));

  for (const _ of ['once', 'again']) await deleteActivity(wire.client, wire.tables.sources, 'leaving');

  expect(await activities.load('leaving')).toBeUndefined();
  expect(await activities.load('staying')).toBeDefined();
  expect(await states.load('leaving')).toBeDefined();
});
