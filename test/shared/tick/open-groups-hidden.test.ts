// G5: a service that hides old groups does not make the open ones removed, while the walk over all groups takes days.
import { describe, expect, it } from 'vitest';
import { jsonAnswer } from '../../../local/reference-service/service/answer.ts';
import { releaseNow } from '../guarding/release-now.ts';
import {
  answerAfter,
  areRemoved,
  NO_ANSWER,
  oldGroups,
  ticksUntil,
  ticksWithoutSlowWalk,
  typesOf,
  worldWithFewOpen,
} from './slow-world.ts';

describe('while the walk over all groups takes days', () => {
  it('old open groups are not published as removed if the service hides all old groups', async () => {
    const { world, session } = await worldWithFewOpen();
    for (const id of oldGroups(world)) world.control.remove(id);

    await ticksWithoutSlowWalk(world, session, 60);

    const { guarding } = await world.state();
    expect((await world.events()).map(({ type }) => type)).not.toContain('return_group.removed');
    expect(guarding.holds.map(({ guard }) => guard)).toContain('known_range_empty');
  });

  // Before, the one that it showed was taken as a sign that the others are removed.
  it('no old group is published as removed if the service hides all but one of them', async () => {
    const { world, session, open } = await worldWithFewOpen();
    for (const id of oldGroups(world)) if (id !== open[6]) world.control.remove(id);

    await ticksWithoutSlowWalk(world, session, 60);

    expect(new Set(await typesOf(world, open))).toEqual(new Set(['']));
    expect((await world.state()).guarding.holds.map(({ guard }) => guard)).toEqual(['known_range_empty']);
  });

  it('no removal if the look-up of one of them fails', async () => {
    const { world, session, open } = await worldWithFewOpen();
    for (const id of oldGroups(world)) world.control.remove(id);
    const failing = String(open[0]);
    world.network.intercept = ({ query }) =>
      query.get('return_group_id') === failing ? jsonAnswer(500, {}) : undefined;

    await ticksWithoutSlowWalk(world, session, 60);

    expect(new Set(await typesOf(world, open))).toEqual(new Set(['']));
  });

  // Before, a step of slow answers had fewer than five groups, and none of the steps was held.
  it.each(['stays', 'new'] as const)('no removal if answers take six seconds (process: %s)', async (kind) => {
    const { world, session, open } = await worldWithFewOpen();
    await ticksWithoutSlowWalk(world, session, 5);
    for (const id of oldGroups(world)) world.control.remove(id);
    answerAfter(world, 6_000);

    const process = kind === 'new' ? 'new' : session;
    const isHeld = async () => (await world.state()).guarding.holds.length > 0;
    await ticksUntil(isHeld, { world, session: process, most: 150 });
    await ticksWithoutSlowWalk(world, process, 20);

    expect(new Set(await typesOf(world, open))).toEqual(new Set(['']));
    const { guarding } = await world.state();
    expect(guarding.holds.map(({ guard }) => guard)).toContain('known_range_empty');
  });

  it.each([
    ['gets no answer', NO_ANSWER],
    ['is answered with 403', jsonAnswer(403, {})],
  ] as const)(
    'a released hold is published although the look-up of the oldest group %s',
    async (_, answer) => {
      const { world, session, open } = await worldWithFewOpen();
      await ticksWithoutSlowWalk(world, session, 5);
      for (const id of oldGroups(world)) world.control.remove(id);
      const holds = async () => (await world.state()).guarding.holds;
      const walked = async () => (await world.state()).reconciliation.open.lastCompletedAt ?? 0;
      while (((await holds())[0]?.since ?? Number.POSITIVE_INFINITY) > (await walked()))
        await ticksWithoutSlowWalk(world, 'new', 1);
      const oldest = String(world.oldestFirst()[0]);
      world.network.intercept = ({ query }) => (query.get('return_group_id') === oldest ? answer : undefined);
      for (const { number } of await holds()) await releaseNow(world, number);

      await ticksUntil(() => areRemoved(world, open), { world, session: 'new', most: 80 });

      expect(await typesOf(world, open)).toEqual(open.map(() => 'return_group.removed'));
    },
  );

  // Before, a first page that was falsely empty decided, though the list that was read then showed groups.
  it('a removed group whose neighbours are removed is published, though one list was falsely empty', async () => {
    const { world, session, open } = await worldWithFewOpen();
    await ticksWithoutSlowWalk(world, session, 5);
    const old = oldGroups(world);
    const [first = 0] = open.slice(3);
    const place = old.indexOf(first);
    const createdAt = (id?: number) =>
      Date.parse(String(world.control.snapshot().find((group) => group.id === id)?.created_at));
    const [from, near] = [createdAt(first), createdAt(old[place + 4])];
    for (const id of old.slice(place, place + 3)) world.control.remove(id);
    let isShown = false;
    world.network.intercept = ({ query }) => {
      const bound = (name: string) => Date.parse(query.get(name) ?? '');
      const isFar = Math.abs(bound('min_created_at') - from) < 5_000 && bound('max_created_at') > near;
      if (!isFar || isShown) return undefined;
      isShown = true;
      return jsonAnswer(200, []);
    };

    await ticksUntil(() => areRemoved(world, [first]), { world, session, most: 120 });

    expect(isShown).toBe(true);
    expect((await world.state()).guarding.holds).toEqual([]);
    expect(await typesOf(world, [first])).toEqual(['return_group.removed']);
  });
});
