import { expect, it } from 'vitest';
import { standingHolds } from '../../../shared/guarding/holds.ts';
import { formatInstant, SECOND } from '../../../shared/instant.ts';
import { carrierWorld, track } from '../guarding/other-carriers.ts';
import { readReportsOf } from '../read-reports.ts';

it('read_up_to does not pass a change that polls left during a hold before it is published', async () => {
  const source = await carrierWorld(40, { settings: { reconcileMs: 3_600_000, sourceRead: true } });
  const { world, faulty } = source;
  await source.ticks(100);
  source.answer('OTHER');
  await source.ticks(70);
  const whenHeld = standingHolds(await world.state());
  const [group = 0] = faulty;

  // The mistake is over, but the hold stands until the next walk. The group's stamp shows before its shipments.
  source.answer(undefined);
  const showsFrom = world.time.now() + 70 * SECOND;
  source.alterRows((row) => {
    if (row.id === group && world.time.now() < showsFrom) delete row.shipments;
  });
  track(source, group, 'CHANGED');
  const stamp = formatInstant(world.time.now());
  const passed: boolean[] = [];
  for (let tick = 0; tick < 200; tick += 1) {
    await source.ticks(1);
    const isPassed = ((await readReportsOf(world)).at(-1)?.read_up_to ?? '') > stamp;
    const isPublished = (await source.published('CHANGED')).length > 0;
    passed.push(isPassed && !isPublished);
  }

  expect(whenHeld).toHaveLength(1);
  expect(passed).not.toContain(true);
  expect(await source.published('CHANGED')).toEqual([group]);
  expect((await readReportsOf(world)).at(-1)?.read_up_to).not.toBeNull();
  expect(((await readReportsOf(world)).at(-1)?.read_up_to ?? '') > stamp).toBe(true);
});
