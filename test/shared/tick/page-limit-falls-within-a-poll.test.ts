// G1: whether a short page may end a poll is decided once, as the poll begins. If the service lowers its limit to ten
// rows (which polls are promised to manage) and refuses more, halving goes 200, 100, 50, 25, 12, 6 within that poll: its
// first page of six rows, asked for as such by us, is taken for the end, and what was never read counts as settled.
import { expect, it } from 'vitest';
import { createSourceWorld } from '../source-world.ts';

it('finds by the next polls what changed, where a service lowers its limit to ten rows', async () => {
  const world = createSourceWorld({
    groups: 60,
    settings: { reconcileMs: 43_200_000 },
    knobs: { limitMax: 250, limitOver: 'refuse', order: 'updated_at:asc' },
  });
  const session = world.startProcess('a');
  for (let minute = 0; minute < 20; minute += 1) await world.nextTick(session);
  const before = await world.state();
  const ids = world.control
    .snapshot()
    .filter(({ shipments }) => shipments.some(({ status }) => status !== 'FAILED'))
    .map(({ id }) => Number(id))
    .slice(0, 30);

  world.control.setKnob('limitMax', 10);
  for (const id of ids) world.setShipment(id, 'FAILED');
  // The service is deployed anew and does not answer meanwhile: the changes are older than the lookback by then.
  await world.time.advance(600_000_000);
  for (let minute = 0; minute < 20; minute += 1) await world.nextTick(session);

  const told = await Promise.all(
    ids.map(async (id) =>
      (await world.groupEvents(id)).some(({ type }) => type === 'shipment.status_changed'),
    ),
  );
  const { health, pageLimit } = await world.state();
  expect({
    status: before.baseline.status,
    fullPageSeen: before.fullPageSeen,
    missed: told.filter((isTold) => !isTold).length,
    degraded: health.reasons,
    pageLimit,
  }).toEqual({
    status: 'completed',
    fullPageSeen: true,
    missed: 0,
    degraded: [],
    pageLimit: expect.any(Number),
  });
});
