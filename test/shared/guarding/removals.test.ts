// Many groups that vanish at once, from the first walk that misses them to their removal.
import { describe, expect, it } from 'vitest';
import { holdBack, isHolding } from '../../../shared/guarding/holds.ts';
import { releaseHold } from '../../../shared/guarding/release-hold.ts';
import { DAY, HOUR, MINUTE } from '../../../shared/instant.ts';
import { createWalkLane } from '../../../shared/lanes/walk-lanes.ts';
import { beginRound } from '../../../shared/reading/round.ts';
import { VIRTUAL_START } from '../../fakes/virtual-clock.ts';
import { createListWorld, type ListWorldOptions } from '../list-world.ts';
import { conditionsOf } from '../read-reports.ts';

const COUNT = 60;
const GONE = 25;

/** A source of which 25 of 60 groups have vanished. */
async function aThinnedSource(last: number, options: ListWorldOptions = {}) {
  const world = createListWorld(options);
  world.addMany(COUNT, HOUR, last);
  const session = world.startProcess();
  const minutes = async (count: number) => {
    for (let minute = 0; minute < count; minute += 1) await world.nextTick(session);
  };
  await minutes(3);
  for (let id = 1; id <= GONE; id += 1) world.list.groups.delete(id);
  return {
    ...{ ...world, session, minutes },
    phase: async () => (await world.state()).holds.find(({ kind }) => kind === 'removals')?.phase,
    release: () =>
      world.rewrite((state) => {
        const released = releaseHold(state, state.lastHold, world.now());
        return released.outcome === 'released' ? released.state : state;
      }),
    async removed() {
      const all = Array.from({ length: GONE }, (_, index) => world.eventsOf(index + 1));
      return (await Promise.all(all)).flat().filter(({ type }) => type === 'return_group.removed').length;
    },
  };
}

describe('more than twenty groups and one percent that vanish in a cycle', () => {
  it('are not published as removed, however long the hold stands', async () => {
    const { minutes, phase, removed, eventsOf } = await aThinnedSource(VIRTUAL_START - HOUR);

    await minutes(60);

    expect([await phase(), await removed()]).toEqual(['holding', 0]);
    expect(conditionsOf(await eventsOf('feed'))).toEqual(['feed.source_degraded removals']);
  });

  // The hold ends with the walk, before the look-ups: these are held again after twenty.
  it('are published as removed once an operator releases them, each after two look-ups', async () => {
    const { minutes, phase, removed, release } = await aThinnedSource(VIRTUAL_START - HOUR);
    await minutes(15);

    await release();
    await minutes(5);

    expect([await phase(), await removed()]).toEqual([undefined, GONE]);
  });

  // A walk over recent groups ends it, although it has read none of those that are missing.
  it('of older groups are held until a walk over older groups misses few', async () => {
    const world = createListWorld({ settings: { requestsPerMinute: 600, reconcileMs: 1_000 } });
    world.addMany(COUNT, HOUR, VIRTUAL_START - 60 * DAY);
    world.addMany(COUNT, HOUR, VIRTUAL_START - HOUR, 1_000);
    const run = world.begin();
    const [recent, older] = [createWalkLane(run, 'recent'), createWalkLane(run, 'older')];
    for (const lane of [recent, recent, older]) await world.time.run(lane.work());
    await world.time.advance(10 * MINUTE);
    for (let id = 1; id <= GONE; id += 1) world.list.groups.delete(id);

    await world.time.run(older.work());
    const held = isHolding(run.state, 'removals');
    await world.time.run(recent.work());

    expect([held, isHolding(run.state, 'removals')]).toEqual([true, true]);
  });

  it('of older groups are held while the walk that misses them goes on', async () => {
    const world = createListWorld({ settings: { requestsPerMinute: 600, reconcileMs: 1_000 } });
    world.addMany(COUNT, HOUR, VIRTUAL_START - 60 * DAY);
    world.addMany(COUNT, HOUR, VIRTUAL_START - HOUR, 1_000);
    const run = world.begin();
    const recent = createWalkLane(run, 'recent');
    for (const _ of ['baseline', 'next']) await world.time.run(recent.work());
    await world.time.advance(10 * MINUTE);
    const round = { ...beginRound(run.now(), []), missing: GONE };
    run.update((state) => ({
      ...holdBack(state, { kind: 'removals', count: GONE }, run.now()),
      lanes: { ...state.lanes, older: { ...state.lanes.older, round } },
    }));

    await world.time.run(recent.work());

    expect(isHolding(run.state, 'removals')).toBe(true);
  });
});
