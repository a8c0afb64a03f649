// G1: a poll decides at its start whether a short page may end it. If the service lowers its limit to ten rows, which
// polls must support, and refuses more, the poll halves its pages to 200, 100, 50, 25, 12 and 6 rows. The defect: it
// treated its first page of six rows as the end, and settled rows that it had never read.
import { expect, it } from 'vitest';
import { createSourceWorld } from '../source-world.ts';

it('publishes changes by the next polls if a service lowers its limit to ten rows', async () => {
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
  // The service is redeployed and does not answer meanwhile: the changes become older than the lookback.
  await world.time.advance(600_000_000);
  for (let minute = 0; minute < 20; minute += 1) await world.nextTick(session);

  const isPublished = await Promise.all(
    ids.map(async (id) =>
      (await world.groupEvents(id)).some(({ type }) => type === 'shipment.status_changed'),
    ),
  );
  const { health, pageLimit } = await world.state();
  expect({
    status: before.baseline.status,
    fullPageSeen: before.fullPageSeen,
    missed: isPublished.filter((published) => !published).length,
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
