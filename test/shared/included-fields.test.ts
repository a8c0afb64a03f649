// Fields that the settings of a source include reach its events, and no others do.
import { expect, test } from 'vitest';
import type { Includable } from '../../shared/returns-service/read-included.ts';
import { createSourceWorld } from './source-world.ts';

async function eventsWith(include: Includable[]) {
  const world = createSourceWorld({ settings: { baseline: 'emit', include } });
  await world.tick(world.startProcess('a'));
  const events = (await world.events()).filter(({ type }) => !type.startsWith('feed.'));
  return { events, texts: JSON.stringify(events), stored: JSON.stringify(await storedOf(world)) };
}

async function storedOf(world: ReturnType<typeof createSourceWorld>) {
  return [...(await world.store.load(await world.source(), [world.someGroup()])).values()];
}

test('without the setting no event has them', async () => {
  const { texts } = await eventsWith([]);

  expect(texts).not.toMatch(/included|destination_address|order_tags|suggested_refund/);
});

test('only the named fields are included, in events and not in the store', async () => {
  const { events, texts, stored } = await eventsWith(['destination_address', 'suggested_refund']);

  const included = events.map(({ data }) => ('included' in data ? Object.keys(data.included ?? {}) : []));
  const ofShipments = events.flatMap(({ type }, at) => (type.startsWith('shipment.') ? [included[at]] : []));
  expect(included).toContainEqual(['suggested_refund']);
  expect(ofShipments).toContainEqual(['suggested_refund', 'destination_address']);
  expect(included.every((names) => names.length > 0)).toBe(true);
  expect(texts).not.toMatch(/order_tags|address1|"zip"/);
  expect(stored).not.toMatch(/included|destination_address|suggested_refund/);
});
