// Old open groups that were created at one moment, or within the same seconds: no range divides them.
import { describe, expect, it } from 'vitest';
import { type Answer, jsonAnswer } from '../../../local/reference-service/service/answer.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import type { SourceWorld } from '../source-world.ts';
import { createTogether, crowded, openOnes } from './crowded-world.ts';
import {
  answerAfter,
  areRemoved,
  cancel,
  NO_ANSWER,
  oldGroups,
  SLOW,
  setAll,
  slowWorld,
  ticksUntil,
  ticksWithoutSlowWalk,
  typesOf,
} from './slow-world.ts';

const FEW_REQUESTS = {
  groups: 2_400,
  knobs: { limitMax: 20, touches: [] },
  settings: { reconcileMs: 180_000, requestsPerMinute: 60 },
};

describe('old open groups of one moment, or of the same seconds', () => {
  // Before, the list around them, which shows none of them, counted as an empty range.
  it.each([
    ['the same moment', 0],
    ['two seconds', 300_000],
  ])('six that were created within %s and were all removed are published', async (_, apart) => {
    let crowd: readonly number[] = [];
    const { world, session } = await slowWorld((store) => {
      const old = oldGroups(store);
      setAll(store, old, false);
      crowd = old.slice(100, 106);
      setAll(store, crowd, true);
      let at = 0;
      for (const id of crowd)
        store.control.mutate(id, (draft) => {
          at = at === 0 ? draft.created_at : at + apart;
          draft.created_at = at;
        });
    });
    await ticksWithoutSlowWalk(world, session, 5);
    for (const id of crowd) world.control.remove(id);

    await ticksUntil(() => areRemoved(world, crowd), { world, session, most: 60 });

    expect((await world.state()).guarding.holds).toEqual([]);
    expect(await typesOf(world, crowd)).toEqual(crowd.map(() => 'return_group.removed'));
  });

  // Before, the walk did not get beyond the year 1, where instants are too large for single microseconds.
  it.each(['2020-01-01T00:00:00Z', '0001-01-01T00:00:00Z'])(
    'that all show the false creation %s are read, and one is removed',
    async (createdAt) => {
      let crowd: readonly number[] = [];
      const { world, session } = await slowWorld((store) => {
        const old = oldGroups(store);
        setAll(store, old, false);
        crowd = old.filter((_, index) => index % 40 === 0).slice(0, 12);
        setAll(store, crowd, true);
        store.network.intercept = (request) => {
          const answer = store.reference.service.answer(request);
          if (answer.status !== 200) return answer;
          const rows = JSON.parse(answer.body) as { id: number; created_at: string }[];
          for (const row of rows) if (crowd.includes(row.id)) row.created_at = createdAt;
          return { ...answer, body: JSON.stringify(rows) };
        };
      });
      await ticksWithoutSlowWalk(world, session, 15);
      const [gone = 0, ...others] = crowd.toSorted((a, b) => a - b);
      world.control.remove(gone);
      for (const id of others) cancel(world, id);

      await ticksUntil(() => areRemoved(world, [gone]), { world, session, most: 60 });
      await ticksWithoutSlowWalk(world, session, 15);

      expect((await world.state()).guarding.holds).toEqual([]);
      expect(await typesOf(world, [gone])).toEqual(['return_group.removed']);
      expect(await typesOf(world, others)).not.toContain('');
    },
  );

  // Before, each tick read the first group and that list, and ended: seconds were not divided further.
  it.each<[string, Answer]>([
    ['is reset', { ...NO_ANSWER, delivery: 'reset' }],
    ['is cut off', { ...jsonAnswer(200, [1, 2, 3]), delivery: 'cut' }],
    ['is refused with 401', jsonAnswer(401, {})],
  ])('groups of and behind three seconds are read if the list of these always %s', async (_, answer) => {
    let firstAt = 0;
    const { world, crowd, later } = await crowded(60, SLOW, {
      hasLater: true,
      change(store) {
        const [first] = openOnes(store);
        firstAt = Date.parse(String(first?.created_at));
        for (const [place, { id }] of openOnes(store).slice(0, 60).entries()) {
          store.control.mutate(Number(id), (draft) => {
            draft.created_at = firstAt * 1_000 + place * 50_000;
          });
        }
      },
    });
    const session = processByChance(world);
    await ticksWithoutSlowWalk(world, session, 5);
    world.network.intercept = ({ query }) => {
      const bound = (name: string) => Date.parse(query.get(name) ?? '');
      const isOfCrowd = bound('min_created_at') <= firstAt + 2_000 && bound('max_created_at') >= firstAt;
      return isOfCrowd ? answer : undefined;
    };
    const changed = [...crowd.filter((_group, index) => index % 20 === 7), ...later];
    for (const id of changed) cancel(world, id);

    await ticksUntil(() => areRemoved(world, changed), { world, session, most: 100 });

    expect(await typesOf(world, changed)).not.toContain('');
  });

  // A tick has no time to look up 120 groups, and no place is saved within their moment.
  it.each<[string, (world: SourceWorld) => void]>([
    ['one tick was too slow for its pages', (world) => answerAfter(world, 9_000)],
    [
      'its pages failed for one tick',
      ({ network }) => {
        network.intercept = ({ query }) =>
          query.has('min_created_at') ? { ...NO_ANSWER, delivery: 'reset' } : undefined;
      },
    ],
  ])('groups of one moment are read after %s', async (_, disturb) => {
    const { world, crowd, later } = await crowded(120, FEW_REQUESTS, {
      hasLater: true,
      change: (store) => createTogether(store, firstOpen(store, 120)),
    });
    const session = processByChance(world);
    await ticksWithoutSlowWalk(world, session, 15);
    disturb(world);
    await ticksWithoutSlowWalk(world, session, 1);
    world.network.intercept = undefined;
    const changed = [...crowd.filter((_group, index) => index % 50 === 1), ...later.slice(-3)];
    for (const id of changed) cancel(world, id);

    await ticksUntil(() => areRemoved(world, changed), { world, session, most: 60 });

    expect(await typesOf(world, changed)).not.toContain('');
  });

  // Before, pages were tried in the same rhythm as they failed.
  it('groups of one moment are read though their pages fail in every fifth tick', async () => {
    let firstAt = 0;
    const { world, crowd } = await crowded(120, SLOW, {
      change(store) {
        createTogether(store, firstOpen(store, 120));
        firstAt = Date.parse(String(openOnes(store)[0]?.created_at));
      },
    });
    const session = processByChance(world);
    await ticksWithoutSlowWalk(world, session, 5);
    const changed = crowd.slice(-9);
    for (const id of changed) cancel(world, id);
    let tick = 0;
    world.network.intercept = ({ query }) => {
      const isNear = (name: string) => Math.abs(Date.parse(query.get(name) ?? '') - firstAt) < 5_000;
      const isOfCrowd = isNear('min_created_at') && isNear('max_created_at');
      return isOfCrowd && tick % 5 === 1 ? { ...NO_ANSWER, delivery: 'reset' } : undefined;
    };

    for (; tick < 40 && !(await areRemoved(world, changed)); tick += 1)
      await ticksWithoutSlowWalk(world, session, 1);

    expect(await typesOf(world, changed)).not.toContain('');
  });

  // Before, a step began with the few, and the crowd did not fit the rest of it.
  it('groups of one moment are read behind a few others', async () => {
    const knobs = { ...FEW_REQUESTS.knobs, limitMax: 10 };
    const { world, session, crowd } = await crowded(
      70,
      { ...FEW_REQUESTS, knobs },
      {
        change(store) {
          createTogether(store, firstOpen(store, 70));
          const old = oldGroups(store);
          setAll(
            store,
            [20, 250, 480, 700].map((place) => Number(old[place])),
            true,
          );
        },
        hasLater: true,
        behind: 900,
      },
    );
    await ticksWithoutSlowWalk(world, session, 5);
    const changed = crowd.filter((_group, index) => index % 50 === 1);
    for (const id of changed) cancel(world, id);

    await ticksUntil(() => areRemoved(world, changed), { world, session, most: 60 });

    expect(await typesOf(world, changed)).not.toContain('');
  });

  // Before, a step began with the others, was cut off among the groups of one moment, and its place was lost.
  it('groups of one moment are read behind others though answers are slower than a new process expects', async () => {
    const knobs = { ...FEW_REQUESTS.knobs, limitMax: 12 };
    const settings = { reconcileMs: 60_000, requestsPerMinute: 300 };
    const { world, session, later } = await crowded(
      26,
      { ...FEW_REQUESTS, knobs, settings },
      {
        behind: 665,
        hasLater: true,
        change(store) {
          createTogether(store, firstOpen(store, 26));
          const old = oldGroups(store);
          const others = Array.from({ length: 22 }, (_, place) => Number(old[5 + place * 30]));
          setAll(store, others, true);
        },
      },
    );
    await ticksWithoutSlowWalk(world, session, 5);
    answerAfter(world, 1_300);
    const changed = later.slice(0, 3);
    for (const id of changed) cancel(world, id);

    await ticksUntil(() => areRemoved(world, changed), { world, session: 'new', most: 40 });

    expect(await typesOf(world, changed)).not.toContain('');
  });

  // Before, each tick read the pages of the same two seconds, and then had time for one group more.
  it('the walk gets past two seconds of groups whose pages take longer than a tick', async () => {
    const { world, later } = await crowded(120, SLOW, {
      hasLater: true,
      change(store) {
        let at: number | undefined;
        for (const { id } of openOnes(store).slice(0, 120))
          store.control.mutate(Number(id), (draft) => {
            at = at === undefined ? draft.created_at : at + 15_000;
            draft.created_at = at;
          });
      },
    });
    const session = processByChance(world);
    await ticksWithoutSlowWalk(world, session, 5);
    answerAfter(world, 4_000);
    for (const id of later) cancel(world, id);

    await ticksUntil(() => areRemoved(world, later), { world, session, most: 100 });

    expect(await typesOf(world, later)).not.toContain('');
  });
});

/** A process that does not decide alike each time. */
function processByChance(world: SourceWorld) {
  return world.startProcess('b', { random: createSeededRandom(1).next });
}

/** The first so many open groups. */
function firstOpen(world: SourceWorld, count: number): number[] {
  return openOnes(world)
    .slice(0, count)
    .map(({ id }) => Number(id));
}
