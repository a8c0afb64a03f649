// A turn of the walk over old open groups, in which several were created at one moment: it begins with these only if all
// of them fit the tick.
import { describe, expect, it } from 'vitest';
import { MINUTE, SECOND } from '../../../shared/instant.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import type { SourceWorld } from '../source-world.ts';
import { createTogether, everyTenthOpen } from './crowded-world.ts';
import {
  answerAfter,
  areRemoved,
  cancel,
  NO_ANSWER,
  oldGroups,
  pauseSlowWalk,
  SLOW,
  setAll,
  slowWorld,
  ticksWithoutSlowWalk,
  typesOf,
} from './slow-world.ts';

describe('old open groups of one moment', () => {
  // Before, each such moment ended the walk's turn: it read two of them in a tick, however many there are.
  it('that come in pairs are read within as few ticks as others', async () => {
    const { world, session, open } = await everyTenthOpen(60, 'in pairs');
    await ticksWithoutSlowWalk(world, session, 3);
    const few = open.slice(-2);
    for (const id of few) cancel(world, id);

    await ticksWithoutSlowWalk(world, session, 4);

    expect(await areRemoved(world, few)).toBe(true);
  });

  // Before, each tick was cut off among them, and nothing that it had read was noted.
  it('do not stop new processes if their look-ups are slower than those before them', async () => {
    let slow: readonly number[] = [];
    let behind: readonly number[] = [];
    const { world } = await slowWorld(
      (store) => {
        const old = oldGroups(store);
        setAll(store, old, false);
        slow = old.slice(600, 609);
        behind = old.slice(800, 1_000).filter((_, index) => index % 60 === 0);
        setAll(store, [...old.filter((_, index) => index % 10 === 4).slice(0, 14), ...slow, ...behind], true);
        createTogether(store, slow);
      },
      { groups: 1_600, knobs: SLOW.knobs, settings: { reconcileMs: 60_000, requestsPerMinute: 300 } },
    );
    await ticksWithoutSlowWalk(world, 'new', 6);
    const isSlow = new Set(slow.map(String));
    world.network.intercept = (request) => {
      const afterMs = isSlow.has(request.query.get('return_group_id') ?? '') ? 5_000 : 900;
      return { ...world.reference.service.answer(request), afterMs };
    };
    const changed = [...slow.slice(-2), ...behind];
    for (const id of changed) cancel(world, id);
    const { next: random } = createSeededRandom(3);

    for (let ticks = 0; ticks < 20 && !(await areRemoved(world, changed)); ticks += 1) {
      await pauseSlowWalk(world, 5 * MINUTE);
      await pauseRecentWalk(world);
      await world.nextTick(world.startProcess(`p${world.time.elapsed()}`, { random }));
    }

    expect(await typesOf(world, changed)).not.toContain('');
  });

  // Before, only the end of a tick's time counted as a turn that was cut off, so each tick began at the first pair again.
  it('that come in pairs are read although connections are reset in the second half of each tick', async () => {
    const { world, session, open } = await everyTenthOpen(100, 'in pairs', { requestsPerMinute: 120 });
    await ticksWithoutSlowWalk(world, session, 4);
    let begunAt = 0;
    world.network.intercept = () =>
      world.time.now() - begunAt < 24 * SECOND ? undefined : { ...NO_ANSWER, delivery: 'reset' };
    const few = open.slice(-2);
    for (const id of few) cancel(world, id);

    for (let ticks = 0; ticks < 14; ticks += 1) {
      begunAt = world.time.now() + MINUTE;
      await ticksWithoutSlowWalk(world, session, 1);
    }

    expect(await typesOf(world, few)).not.toContain('');
  });

  // Before, each tick began a crowd that it could not finish, and then none of the tick's requests were counted.
  it('are not begun if the rest of the tick is too short for all of a moment', async () => {
    const { world } = await slowWorld(
      (store) => {
        const old = oldGroups(store);
        setAll(store, old, false);
        for (let crowd = 0; crowd < 4; crowd += 1) {
          const together = old.slice(crowd * 100, crowd * 100 + 14);
          setAll(store, together, true);
          createTogether(store, together);
        }
      },
      {
        ...{ groups: 1_500, knobs: SLOW.knobs },
        settings: { reconcileMs: 300_000, requestsPerMinute: 120 },
      },
    );
    answerAfter(world, 2_000);
    const cycle = async () => (await world.state()).reconciliation.open;
    const { lastCompletedAt: before } = await cycle();
    for (let ticks = 0; ticks < 60 && (await cycle()).lastCompletedAt === before; ticks += 1)
      await ticksWithoutSlowWalk(world, 'new', 1);

    expect((await cycle()).lastRequests).toBeGreaterThanOrEqual(3 * 14);
  });
});

/** As in a store with few recent groups, whose walk takes hardly any time. */
async function pauseRecentWalk(world: SourceWorld) {
  const state = await world.state();
  const { reconciliation, version } = state;
  const recent = {
    ...reconciliation.recent,
    isUnderWay: false,
    isAsked: false,
    startedAt: world.time.now() + 58 * SECOND,
  };
  const paused = { ...state, version: version + 1, reconciliation: { ...reconciliation, recent } };
  await world.states.save(paused, version);
}
