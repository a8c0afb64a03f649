// G1, G8: the open-ended newest range is called done although nothing of it was proved.
import { expect, it } from 'vitest';
import { DAY } from '../../shared/instant.ts';
import { createSourceWorld } from '../shared/source-world.ts';

it('reads groups with stamps ahead beyond the window of a list, or tells that it does not', async () => {
  const world = createSourceWorld({
    groups: 10,
    knobs: { limitMax: 20, order: 'created_at:asc' },
    settings: { reconcileMs: 120_000 },
  });
  for (let index = 1; index <= 150; index += 1) {
    world.control.create((draft) => {
      Object.assign(draft, {
        created_at: world.time.now() + index * DAY,
        updated_at: world.time.now() - 90 * DAY + index * 3_600_000_000,
      });
    });
  }
  const { store } = world.reference;
  const { select } = store;
  store.select = (query, from) =>
    query.offset >= 100 ? [] : select({ ...query, limit: Math.min(query.limit, 100 - query.offset) }, from);
  const session = world.startProcess('a');
  await world.tick(session);
  for (let ticks = 0; ticks < 20; ticks += 1) await world.nextTick(session);

  const { baseline, health } = await world.state();
  const known = new Set(world.store.all(await world.source()).map(({ groupId }) => groupId));
  const missing = world.control.snapshot().filter(({ id }) => !known.has(Number(id))).length;
  const isTold = health.degradedSince !== undefined;
  expect({ missing, isTold, status: baseline.status }).toEqual({
    missing: 0,
    isTold: false,
    status: 'completed',
  });
});
