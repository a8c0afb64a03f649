// Old open groups that are gone are published as removed, while the walk over all groups takes days.
import { describe, expect, it } from 'vitest';
import { jsonAnswer } from '../../../local/reference-service/service/answer.ts';
import { DAY, MILLISECOND, MINUTE } from '../../../shared/instant.ts';
import { releaseNow } from '../guarding/release-now.ts';
import {
  answerAfter,
  areRemoved,
  cancel,
  oldGroups,
  openEach,
  openFew,
  pauseSlowWalk,
  SLOW,
  setAll,
  slowWorld,
  ticksUntil,
  ticksWithoutSlowWalk,
  typesOf,
  worldWithManyOpen,
} from './slow-world.ts';

describe('while the walk over all groups takes days', () => {
  // Before, the time of a step did not suffice for the group behind them, and they were held.
  it.each([
    [0, 5, 5_000],
    [0, 8, 3_000],
    [5, 17, 3_000],
    // Before, the walk looked for the first group that is there, and each tick ended before it had noted anything.
    [0, 4, 8_000],
  ])(
    'neighbours that were removed are published although answers are slow (%i to %i, %i ms)',
    async (from, to, latencyMs) => {
      let gone: number[] = [];
      const { world, session } = await slowWorld((store) => {
        gone = openEach(store, 20).slice(from, to);
      });
      await ticksWithoutSlowWalk(world, session, 5);
      for (const id of gone) world.control.remove(id);
      answerAfter(world, latencyMs);

      await ticksUntil(() => areRemoved(world, gone), { world, session, most: 120 });

      expect((await world.state()).guarding.holds).toEqual([]);
      expect(await typesOf(world, gone)).toEqual(gone.map(() => 'return_group.removed'));
    },
  );

  it.each([
    ['in the middle', -20, -13],
    ['the last ones', -7, undefined],
  ])('seven neighbouring open groups that were removed are published (%s)', async (_, from, to) => {
    let gone: number[] = [];
    const { world, session } = await slowWorld((store) => {
      gone = openEach(store, 20).slice(from, to);
    });
    expect(gone).toHaveLength(7);
    for (const id of gone) world.control.remove(id);

    await ticksUntil(() => areRemoved(world, gone), { world, session, most: 45 });

    expect(await typesOf(world, gone)).toEqual(gone.map(() => 'return_group.removed'));
  });

  // Before, the range of the neighbours was read again for each of them that was removed.
  it('open groups behind many neighbours that were removed are read', async () => {
    const later: number[] = [];
    const crowd: number[] = [];
    const { world, session } = await slowWorld((store) => {
      const old = oldGroups(store);
      setAll(store, old, false);
      crowd.push(...old.slice(100, 220));
      later.push(...old.slice(400).filter((_, index) => index % 30 === 0));
      setAll(store, [...crowd, ...later], true);
    });
    for (const id of crowd.filter((_, index) => index % 3 === 1)) world.control.remove(id);
    await ticksWithoutSlowWalk(world, session, 45);
    for (const id of later) cancel(world, id);

    await ticksWithoutSlowWalk(world, session, 60);

    const found = await Promise.all(later.map(async (id) => (await world.groupEvents(id)).length > 0));
    expect(found).toEqual(later.map(() => true));
  });

  // Before, a tick that was cut off counted them, and the next tick counted them again.
  it('eighteen that were removed are published although slow ticks are cut off', async () => {
    const { world, session, open } = await worldWithManyOpen();
    await ticksWithoutSlowWalk(world, session, 5);
    const gone = open.slice(12, 30);
    for (const id of gone) world.control.remove(id);
    answerAfter(world, 1_000);

    await ticksUntil(() => areRemoved(world, gone), { world, session, most: 60 });

    expect((await world.state()).guarding.holds).toEqual([]);
    expect(await typesOf(world, gone)).toEqual(gone.map(() => 'return_group.removed'));
  });

  // Before, each tick read the groups before them, and had no time left to note what was not found.
  it.each([1, 5])(
    '%i that were removed behind others are published by new processes, if answers take three seconds',
    async (count) => {
      const { world, open } = await worldWithManyOpen();
      await ticksWithoutSlowWalk(world, 'new', 5);
      const gone = open.slice(12, 12 + count);
      for (const id of gone) world.control.remove(id);
      answerAfter(world, 3_000);

      await ticksUntil(() => areRemoved(world, gone), { world, session: 'new', most: 90 });

      expect(await typesOf(world, gone)).toEqual(gone.map(() => 'return_group.removed'));
    },
  );

  // Before, lists held only those six, so they seemed to be hidden, and the hold kept all walks from publishing them.
  it('one that was removed with five neighbours is published', async () => {
    let gone: number[] = [];
    const { world, session } = await slowWorld((store) => {
      const old = oldGroups(store);
      const first = old.indexOf(openFew(store)[3] ?? 0);
      gone = old.slice(first, first + 6);
    });
    for (const id of gone) world.control.remove(id);
    const open = gone.slice(0, 1);

    await ticksUntil(() => areRemoved(world, open), { world, session, most: 60 });

    expect(await typesOf(world, open)).toEqual(['return_group.removed']);
    expect((await world.state()).guarding.holds).toEqual([]);
  });

  // Before, lists held five known groups, and no tick finished them.
  it('one that was removed is published although pages have two rows and answers take five seconds', async () => {
    const open: number[] = [];
    const { world, session } = await slowWorld((store) => void open.push(...openEach(store, 20)), {
      ...SLOW,
      groups: 500,
      knobs: { ...SLOW.knobs, limitMax: 2 },
    });
    const gone = open.slice(5, 6);
    for (const id of gone) world.control.remove(id);
    answerAfter(world, 5_000);

    await ticksUntil(() => areRemoved(world, gone), { world, session, most: 60 });

    expect(await typesOf(world, gone)).toEqual(['return_group.removed']);
  });

  // Before, the look-ups that were answered had found nothing, so all seemed to be hidden.
  it('six that were removed are published after the look-ups of all others failed for half an hour', async () => {
    let open: number[] = [];
    const { world, session } = await slowWorld((store) => {
      open = openEach(store, 20);
    });
    const gone = open.filter((_, index) => index % 6 === 3);
    await ticksWithoutSlowWalk(world, session, 10);
    for (const id of gone) world.control.remove(id);
    const existing = new Set(open.filter((id) => !gone.includes(id)).map(String));
    world.network.intercept = ({ query }) =>
      existing.has(query.get('return_group_id') ?? '') ? jsonAnswer(500, {}) : undefined;
    await ticksWithoutSlowWalk(world, session, 30);
    world.network.intercept = undefined;

    await ticksUntil(() => areRemoved(world, gone), { world, session, most: 90 });

    expect(await typesOf(world, gone)).toEqual(gone.map(() => 'return_group.removed'));
    expect((await world.state()).guarding.holds).toEqual([]);
  });

  // Before, each tick read the range of all of them, and had no time left for the one that is gone.
  it('one that was removed from a crowd is published by new processes, if answers take three seconds', async () => {
    let crowd: number[] = [];
    const { world } = await slowWorld((store) => {
      const old = oldGroups(store);
      setAll(store, old, false);
      crowd = old.slice(100, 220);
      setAll(store, crowd, true);
    });
    await ticksWithoutSlowWalk(world, 'new', 5);
    const gone = crowd.slice(5, 6);
    for (const id of gone) world.control.remove(id);
    answerAfter(world, 3_000);

    await ticksUntil(() => areRemoved(world, gone), { world, session: 'new', most: 90 });

    expect(await typesOf(world, gone)).toEqual(['return_group.removed']);
  });

  it('six neighbours that were removed do not stop walks if the look-ups of existing groups are refused', async () => {
    const gone = new Set<number>();
    const { world, session } = await slowWorld((store) => {
      for (const id of openEach(store, 20).slice(-6)) gone.add(id);
    });
    await ticksWithoutSlowWalk(world, session, 10);
    world.network.intercept = ({ query }) => {
      const id = Number(query.get('return_group_id') ?? Number.NaN);
      return Number.isNaN(id) || gone.has(id) ? undefined : jsonAnswer(400, {});
    };
    await ticksWithoutSlowWalk(world, session, 30);
    for (const id of gone) world.control.remove(id);
    await ticksWithoutSlowWalk(world, session, 40);
    const before = (await world.state()).reconciliation.open.lastCompletedAt;

    await ticksWithoutSlowWalk(world, session, 20);

    const { lastCompletedAt } = (await world.state()).reconciliation.open;
    expect(lastCompletedAt).toBeGreaterThan(before ?? 0);
    expect(new Set(await typesOf(world, [...gone]))).toEqual(new Set(['']));
  });

  // Before, no known group followed it, and it counted as hidden.
  it('the newest of all groups, which is old, is published', async () => {
    let newest = 0;
    const { world, session } = await slowWorld((store) => {
      newest = store.newest;
      setAll(store, store.oldestFirst(), false);
      setAll(store, [newest], true);
    });
    await world.time.advance(70 * DAY);
    for (let ticks = 0; ticks < 10; ticks += 1) await world.nextTick(session);
    expect(oldGroups(world)).toContain(newest);
    world.control.remove(newest);

    const isPublished = async () => /return_group\.removed$/.test(String(await typesOf(world, [newest])));
    await ticksUntil(isPublished, { world, session, most: 30 });

    expect((await world.state()).guarding.holds).toEqual([]);
    expect(await isPublished()).toBe(true);
  });

  // Before, the walk went on behind them, and looked them up a second time in its next cycle.
  it('removed groups are published minutes after the release of their hold, though a cycle takes long', async () => {
    const open: number[] = [];
    const { world, session } = await slowWorld((store) => void open.push(...openEach(store, 8)), {
      ...SLOW,
      groups: 1_600,
      settings: { reconcileMs: 25 * 60_000, requestsPerMinute: 20 },
    });
    const old = oldGroups(world);
    await ticksWithoutSlowWalk(world, session, 60);
    const gone = open.slice(0, 4);
    for (const id of old.slice(0, old.indexOf(gone.at(-1) ?? 0) + 25)) world.control.remove(id);
    const holds = async () => (await world.state()).guarding.holds;
    const isHeld = async () => {
      const { lastCompletedAt = 0 } = (await world.state()).reconciliation.open;
      return (await holds()).some(({ since }) => since < lastCompletedAt);
    };
    for (let minutes = 0; minutes < 200 && !(await isHeld()); minutes += 1)
      await ticksWithoutSlowWalk(world, session, 1);

    for (const { number } of await holds()) await releaseNow(world, number);
    for (let minutes = 0; minutes < 15; minutes += 1) await ticksWithoutSlowWalk(world, session, 1);

    expect(await typesOf(world, gone)).toEqual(gone.map(() => 'return_group.removed'));
  });

  // Before, the walk went back to the released ones in each turn, until the moment that a wrong Date had noted.
  it('open groups behind released ones are read after Date was a day ahead', async () => {
    const { world, session, open } = await worldWithManyOpen();
    await ticksWithoutSlowWalk(world, session, 5);
    for (const id of open.slice(3, 25)) world.control.remove(id);
    const holds = async () => (await world.state()).guarding.holds;
    world.network.intercept = (request) => {
      const answer = world.reference.service.answer(request);
      const date = new Date((world.time.now() + DAY) / MILLISECOND).toUTCString();
      return { ...answer, headers: { ...answer.headers, date } };
    };
    const wrong = world.startProcess('wrong');
    for (let made = 0; made < 10 && (await holds()).length === 0; made += 1) {
      await pauseSlowWalk(world, DAY + 5 * MINUTE);
      await world.nextTick(wrong);
    }
    world.network.intercept = undefined;
    answerAfter(world, 1_000);
    const right = world.startProcess('right');
    await ticksWithoutSlowWalk(world, right, 3);
    const held = await holds();
    for (const { number } of held) await releaseNow(world, number);
    const later = open.slice(-3);
    for (const id of later) cancel(world, id);

    await ticksUntil(() => areRemoved(world, later), { world, session: right, most: 20 });

    expect(held).toHaveLength(1);
    expect(await typesOf(world, later)).not.toContain('');
  });
});
