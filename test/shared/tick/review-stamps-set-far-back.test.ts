// Review: three returns get stamps that are newer than before, but long past (a job that fills in the true updated_at
// of old returns, or a bulk write that keeps old times). A walk finds them, polls "passed them over", and polls begin
// again at the oldest of these stamps: 300 days back, further than any clock or zone can fall back. A process that has
// just started then finds new changes only once all these days are covered again.
import { expect, it } from 'vitest';
import { DAY, MINUTE, SECOND } from '../../../shared/instant.ts';
import { createSourceWorld } from '../source-world.ts';

it.each([
  ['no old return gets another stamp', 0],
  ['three old returns get stamps that are 300 days old', 3],
])('the next poll finds a change where %s', async (_, count) => {
  const world = createSourceWorld({
    groups: 6_000,
    settings: { reconcileMs: 3_600_000, requestsPerMinute: 20 },
  });
  const first = world.startProcess('a');
  await world.tick(first);
  let ticks = 0;
  while ((await world.state()).baseline.status !== 'completed' && ticks < 90) {
    ticks += 1;
    await world.nextTick(first);
  }
  for (let tick = 0; tick < 5; tick += 1) await world.nextTick(first);
  const now = world.control.now();
  // Returns that were last updated longer ago than that.
  const old = world.control
    .snapshot()
    .filter(({ updated_at }) => Date.parse(String(updated_at)) * 1_000 < now - 301 * DAY)
    .slice(0, 3);
  for (const [index, { id }] of old.entries())
    if (index < count)
      world.control.mutate(Number(id), (draft) => {
        draft.updated_at = now - 300 * DAY + index * MINUTE;
      });
  // The walk over all groups finds them.
  const goBack = async () => (world.control.now() - (await world.state()).settledThrough) / DAY;
  let waited = 0;
  for (; waited < 90 && (await goBack()) < 1; waited += 1) await world.nextTick(first);
  const settledDaysBack = await goBack();

  // From here on each tick has a new process, as where a source is polled every 15 minutes, or after a deployment.
  const [changed, other] = world.control.snapshot().flatMap(({ id, shipments }) => (shipments.length > 0 ? Number(id) : []));
  let found: number | undefined;
  // Something else changes in each minute, just before the poll: so the stamps' clock runs true.
  const changeOther = (tick: number) =>
    world.control.mutate(Number(other), (draft) => {
      draft.return_outcome = tick % 2 === 0 ? 'credit' : 'refund';
    });
  changeOther(0);
  await world.nextTick(first, 1_000);
  world.setShipment(Number(changed), 'FAILED');
  for (let tick = 1; tick <= 60 && found === undefined; tick += 1) {
    await world.time.advance(59 * SECOND);
    changeOther(tick);
    await world.nextTick(world.startProcess(`p${tick}`), 1_000);
    const events = await world.groupEvents(Number(changed));
    if (events.some(({ type }) => type.startsWith('shipment.'))) found = tick;
  }
  const health = (await world.feedEvents()).map(({ type }) => type);
  console.log(_, { old: old.length, ticks, waited, settledDaysBack, found, health, daysBackNow: await goBack() });
  expect(found).toBeLessThanOrEqual(2);
}, 200_000);
