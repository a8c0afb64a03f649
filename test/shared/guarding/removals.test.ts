// Many groups that vanish at once, from the first walk that misses them to their removal.
import { describe, expect, it } from 'vitest';
import { releaseHold } from '../../../shared/guarding/release-hold.ts';
import { DAY, HOUR } from '../../../shared/instant.ts';
import { VIRTUAL_START } from '../../fakes/virtual-clock.ts';
import { conditionsOf } from '../read-reports.ts';
import { createListWorld, type ListWorldOptions } from '../list-world.ts';

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
    const { minutes, phase, removed, eventsOf } = await aThinnedSource(VIRTUAL_START - DAY);

    await minutes(60);

    expect([await phase(), await removed()]).toEqual(['holding', 0]);
    expect(conditionsOf(await eventsOf('feed'))).toEqual(['feed.source_degraded removals']);
  });

  it('are published as removed once an operator releases them, each after two look-ups', async () => {
    const { minutes, phase, removed, release } = await aThinnedSource(VIRTUAL_START - DAY);
    await minutes(15);

    await release();
    await minutes(5);

    expect([await phase(), await removed()]).toEqual([undefined, GONE]);
  });

  it('are held until a walk over the same groups misses few', async () => {
    const { minutes, phase } = await aThinnedSource(VIRTUAL_START - 60 * DAY, {
      settings: { requestsPerMinute: 60, reconcileMs: 120_000 },
      knobs: { mostRows: 10 },
    });
    await minutes(12 * 60);

    const phases: unknown[] = [];
    for (let minute = 0; minute < 20; minute += 1) {
      await minutes(1);
      phases.push(await phase());
    }

    expect(phases.at(-1)).toBe('holding');
  });
});
