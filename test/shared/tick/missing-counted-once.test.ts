// If a tick ends within a range, the next tick reads the range again. It must not count the same groups twice.
import { expect, it } from 'vitest';
import { absentSince } from '../../../shared/comparing/group-absence.ts';
import { holdBack } from '../../../shared/guarding/holds.ts';
import { DAY, parseStamp } from '../../../shared/instant.ts';
import type { SourceSession } from '../../../shared/source/source-session.ts';
import { releaseNow } from '../guarding/release-now.ts';
import { createSourceWorld, type SourceWorld } from '../source-world.ts';
import {
  answerAfter,
  areRemoved,
  oldGroups,
  setAll,
  slowWorld,
  ticksUntil,
  ticksWithoutSlowWalk,
  typesOf,
  worldWithManyOpen,
} from './slow-world.ts';

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

// Before, the groups that the walk read again after the release counted twice.
it('more than a hundredth gone at once is held after a hold was released in the middle of a walk', async () => {
  const { world, session } = await slowWorld((store) => setAll(store, oldGroups(store), false), {
    groups: 3_000,
    knobs: { limitMax: 20, touches: [] },
    settings: { reconcileMs: 180_000, requestsPerMinute: 120 },
  });
  const all = async () => (await world.state()).reconciliation.all;
  const holds = async () => (await world.state()).guarding.holds;
  const few = oldGroups(world)
    .slice(30, 430)
    .filter((_, index) => index % 10 === 1);
  for (const id of few) world.control.remove(id);
  const isMiddle = async () => (await holds()).length > 0 && (await all()).known > 2_000;
  for (let made = 0; made < 150 && !(await isMiddle()); made += 1) await world.nextTick(session);
  for (const { number } of await holds()) await releaseNow(world, number);
  const before = (await all()).lastCompletedAt;
  for (let made = 0; made < 200 && (await all()).lastCompletedAt === before; made += 1)
    await world.nextTick(session);
  const since = world.time.now() - 40 * DAY;
  const recent = world.control
    .snapshot()
    .filter(({ created_at }) => (parseStamp(String(created_at))?.instant ?? 0) > since)
    .map(({ id }) => Number(id))
    .filter((id) => id !== world.newest);
  const distance = Math.floor(recent.length / 45);

  for (const id of recent.filter((_, index) => index % distance === 0).slice(0, 45)) world.control.remove(id);
  for (let made = 0; made < 15; made += 1) await world.nextTick(session);

  expect((await all()).lastKnown).toBeLessThanOrEqual(3_000);
  expect((await holds()).map(({ guard }) => guard)).toContain('groups_removed');
});

// Before, the groups behind one that was released counted again each time the walk went back to that one.
it('thirteen removed open groups are published, although one of them was held and released before', async () => {
  const { world, session, open } = await worldWithManyOpen();
  await ticksWithoutSlowWalk(world, session, 5);
  const [first = 0, noted = 0, ...others] = open.slice(10, 23);
  world.control.remove(noted);
  const isNoted = async () => {
    const snapshot = (await world.store.load({ ...(await world.source()) }, [noted])).get(noted);
    return snapshot !== undefined && absentSince(snapshot) !== undefined;
  };
  for (let made = 0; made < 10 && !(await isNoted()); made += 1)
    await ticksWithoutSlowWalk(world, session, 1);
  const state = await world.state();
  const from = state.reconciliation.open.startedAt - 400 * DAY;
  const held = holdBack(
    state,
    { guard: 'groups_removed', tier: 'open', suspects: 1, from },
    world.time.now(),
  );
  await world.states.save({ ...held, version: state.version + 1 }, state.version);
  await ticksWithoutSlowWalk(world, session, 6);
  for (const id of [first, ...others]) world.control.remove(id);
  for (const { number } of (await world.state()).guarding.holds) await releaseNow(world, number);
  const gone = [first, noted, ...others];

  await ticksUntil(() => areRemoved(world, gone), { world, session, most: 50 });

  expect((await world.state()).guarding.holds).toEqual([]);
  expect(await typesOf(world, gone)).toEqual(gone.map(() => 'return_group.removed'));
});
