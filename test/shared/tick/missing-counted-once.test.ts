// A walk that ticks cut off reads a range again. What it counts there must not count twice.
import { expect, it } from 'vitest';
import type { SourceSession } from '../../../shared/source/source-session.ts';
import { createSourceWorld, type SourceWorld } from '../source-world.ts';
import { answerAfter, areRemoved, typesOf } from './slow-world.ts';

async function ticksUntilRemoved(
  world: SourceWorld,
  { session, gone, most }: { session: SourceSession; gone: readonly number[]; most: number },
) {
  for (let made = 0; made < most && !(await areRemoved(world, gone)); made += 1)
    await world.nextTick(session);
}

// Before, the groups that an earlier cycle had noted counted in each tick, and were held for ever.
it('thirteen removed groups are published though ticks are cut off, and settle is longer than a cycle', async () => {
  const world = createSourceWorld({
    groups: 150,
    knobs: { limitMax: 50, touches: [] },
    settings: { reconcileMs: 120_000, requestsPerMinute: 60, settleMs: 600_000 },
  });
  const session = world.startProcess('a');
  for (let made = 0; made < 12; made += 1) await world.nextTick(session);
  const gone = world
    .oldestFirst()
    .slice(20, 98)
    .filter((_, index) => index % 6 === 0);
  for (const id of gone) world.control.remove(id);
  answerAfter(world, 3_000);

  await ticksUntilRemoved(world, { session, gone, most: 90 });

  expect(gone).toHaveLength(13);
  expect((await world.state()).guarding.holds).toEqual([]);
  expect(await typesOf(world, gone)).toEqual(gone.map(() => 'return_group.removed'));
});

// Before, each tick that was cut off counted the known groups of the range again, so a hundredth of them was too many.
it.each(['whole', 'cut off'])(
  'more than a hundredth gone at once is held (ticks before: %s)',
  async (ticks) => {
    const world = createSourceWorld({
      groups: 2_500,
      knobs: { touches: [] },
      settings: { reconcileMs: 600_000, requestsPerMinute: 60 },
    });
    const session = world.startProcess('a');
    for (let made = 0; made < 15; made += 1) await world.nextTick(session);
    const old = world.oldestFirst();
    const every = (distance: number, count: number) =>
      old
        .slice(30)
        .filter((_, index) => index % distance === 1)
        .slice(0, count);
    const few = every(120, 16);
    for (const id of few) world.control.remove(id);
    if (ticks === 'cut off') answerAfter(world, 2_500);
    await ticksUntilRemoved(world, { session, gone: few, most: 60 });
    world.network.intercept = undefined;
    while ((await world.state()).reconciliation.all.isUnderWay) await world.nextTick(session);

    for (const id of every(60, 76)
      .filter((group) => !few.includes(group))
      .slice(0, 38))
      world.control.remove(id);
    for (let made = 0; made < 40; made += 1) await world.nextTick(session);

    const { guarding, reconciliation } = await world.state();
    expect(reconciliation.all.lastKnown).toBeLessThanOrEqual(2_500);
    expect(guarding.holds.map(({ guard }) => guard)).toEqual(['groups_removed']);
  },
);
