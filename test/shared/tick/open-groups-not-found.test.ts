// Old open groups that look-ups do not find: the look-ups fail, or the groups are gone.
import { describe, expect, it } from 'vitest';
import {
  type Answer,
  jsonAnswer,
  type ServiceRequest,
} from '../../../local/reference-service/service/answer.ts';
import { MINUTE } from '../../../shared/instant.ts';
import type { SourceSession } from '../../../shared/source/source-session.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { releaseNow } from '../guarding/release-now.ts';
import type { SourceWorld } from '../source-world.ts';
import {
  answerAfter,
  cancel,
  cycles,
  oldGroups,
  openEach,
  openFew,
  pauseSlowWalk,
  SLOW,
  setAll,
  slowWorld,
  worldWithFewOpen,
  worldWithManyOpen,
} from './slow-world.ts';

/** A world in which only look-ups and their lists read one old group, which the answers may hide. */
async function worldWithOneLookedUp() {
  let id = 0;
  const { world, session } = await slowWorld((store) => {
    id = openFew(store)[2] ?? 0;
  });
  await pauseSlowWalk(world);
  return { world, session, id };
}

async function ticksWithoutSlowWalk(world: SourceWorld, session: SourceSession | 'new', count: number) {
  const { next: random } = createSeededRandom(count);
  for (let made = 0; made < count; made += 1) {
    await pauseSlowWalk(world, 5 * MINUTE);
    const process = () => world.startProcess(`p${world.time.elapsed()}`, { random });
    await world.nextTick(session === 'new' ? process() : session);
  }
}

/** Ticks until it is so, but at most so often. */
async function ticksUntil(
  isSo: () => Promise<boolean>,
  {
    world,
    session,
    most,
  }: { readonly world: SourceWorld; readonly session: SourceSession | 'new'; readonly most: number },
) {
  for (let made = 0; made < most && !(await isSo()); made += 5) await ticksWithoutSlowWalk(world, session, 5);
}

async function areRemoved(world: SourceWorld, groups: readonly number[]) {
  return (await typesOf(world, groups)).every((types) => types !== '');
}

async function typesOf(world: SourceWorld, groups: readonly number[]) {
  const events = await Promise.all(groups.map((id) => world.groupEvents(id)));
  return events.map((each) => each.map(({ type }) => type).join());
}

/** Whether it asks for a list from the creation of a group on. */
function isListFrom(world: SourceWorld, groupId: number): (request: ServiceRequest) => boolean {
  const group = world.control.snapshot().find(({ id }) => id === groupId);
  const createdAt = Date.parse(String(group?.created_at));
  return ({ query }) => Math.abs(Date.parse(query.get('min_created_at') ?? '') - createdAt) < 5_000;
}

const NO_ANSWER: Answer = { status: 200, headers: {}, body: '', delivery: 'hang', afterMs: 0 };

describe('an old group that is open', () => {
  // Before, no look-up was made until the next walk over all groups began.
  it('is looked up again within minutes after look-ups got no answer for a while', async () => {
    const { world, session, open } = await worldWithFewOpen();
    const walkBegunAt = async () => (await world.state()).reconciliation.all.startedAt;
    const before = await walkBegunAt();
    while ((await walkBegunAt()) === before) await world.nextTick(session);
    const begunAt = await walkBegunAt();
    world.hang((query) => query.has('return_group_id'));
    while ((await world.state()).setAside.length < open.length) await world.nextTick(session);
    world.network.intercept = undefined;
    for (const id of open) cancel(world, id);

    for (let minute = 0; minute < 14; minute += 1) await world.nextTick(session);

    const events = await Promise.all(open.map((id) => world.groupEvents(id)));
    const isFound = events.map((each) => each.some(({ type }) => type === 'return_line_item.status_changed'));
    expect(await walkBegunAt()).toBe(begunAt);
    expect(new Set(isFound)).toEqual(new Set([true]));
  });

  // Before, each waited for ten minutes times the number of those that had failed.
  it('is looked up again soon after every second look-up was refused for twenty minutes', async () => {
    const open: number[] = [];
    const { world, session } = await slowWorld((store) => void open.push(...openEach(store, 18)), {
      ...{ groups: 2_400, knobs: SLOW.knobs },
      settings: { reconcileMs: 300_000, requestsPerMinute: 120 },
    });
    await ticksWithoutSlowWalk(world, session, 10);
    world.network.intercept = ({ query }) => {
      const place = open.indexOf(Number(query.get('return_group_id')));
      return place % 2 === 0 ? jsonAnswer(400, {}) : undefined;
    };
    await ticksWithoutSlowWalk(world, session, 20);
    expect((await world.state()).setAside.length).toBeGreaterThan(20);
    world.network.intercept = undefined;

    await ticksWithoutSlowWalk(world, session, 35);

    expect((await world.state()).setAside).toEqual([]);
  });

  it('is not removed while lists show it, if its look-up does not find it', async () => {
    const { world, session, id } = await worldWithOneLookedUp();
    world.network.intercept = ({ query }) =>
      query.get('return_group_id') === String(id) ? jsonAnswer(200, []) : undefined;

    await cycles(world, session, 3);
    world.setShipment(id, 'FAILED');
    await cycles(world, session, 2);

    const types = (await world.groupEvents(id)).map(({ type }) => type);
    expect(types).toEqual(['shipment.status_changed']);
    expect((await world.state()).setAside).toEqual([]);
  });

  it('is set aside, not removed, if its look-up does not find it and no list of its creation arrives', async () => {
    const { world, session, id } = await worldWithOneLookedUp();
    const isAtCreation = isListFrom(world, id);
    world.network.intercept = (request) => {
      if (request.query.get('return_group_id') === String(id)) return jsonAnswer(200, []);
      return isAtCreation(request) ? jsonAnswer(422, { detail: [] }) : undefined;
    };

    await cycles(world, session, 3);

    expect(await world.groupEvents(id)).toEqual([]);
    expect((await world.state()).setAside).toMatchObject([
      { groupId: id, reason: expect.stringContaining('no proved end') },
    ]);
  });
});

describe('old groups that are open and were created at the same moment', () => {
  /** Two of three are gone, and the service refuses the list of that moment. */
  async function worldWithThree() {
    let three: number[] = [];
    const { world, session } = await slowWorld((store) => {
      const open = openFew(store);
      const old = oldGroups(store);
      const first = old.indexOf(open[2] ?? 0);
      three = old.slice(first, first + 3);
      setAll(store, three, true);
      let at = 0;
      for (const id of three)
        store.control.mutate(id, (draft) => {
          at ||= draft.created_at;
          draft.created_at = at;
        });
    });
    await ticksWithoutSlowWalk(world, session, 5);
    const [first = 0, left = 0, last = 0] = three;
    return { world, session, gone: [first, last], left };
  }

  it('are read though others are gone, and the list of the moment is refused', async () => {
    const { world, session, gone, left } = await worldWithThree();
    const isAtCreation = isListFrom(world, left);
    for (const id of gone) world.control.remove(id);
    world.network.intercept = (request) =>
      isAtCreation(request) ? jsonAnswer(422, { detail: [] }) : undefined;
    cancel(world, left);

    await ticksWithoutSlowWalk(world, session, 15);

    expect((await world.groupEvents(left))[0]?.type).toBe('return_line_item.status_changed');
    const setAside = (await world.state()).setAside.map(({ groupId }) => groupId);
    expect(setAside.toSorted()).toEqual(gone.toSorted());
    expect(await typesOf(world, gone)).toEqual(['', '']);
  });

  it('are published as removed if they are gone', async () => {
    const { world, session, gone, left } = await worldWithThree();
    for (const id of gone) world.control.remove(id);

    await ticksUntil(() => areRemoved(world, gone), { world, session, most: 30 });

    expect(await typesOf(world, [...gone, left])).toEqual([
      'return_group.removed',
      'return_group.removed',
      '',
    ]);
  });
});

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
  it('nor if the service hides all but one', async () => {
    const { world, session, open } = await worldWithFewOpen();
    for (const id of oldGroups(world)) if (id !== open[6]) world.control.remove(id);

    await ticksWithoutSlowWalk(world, session, 60);

    expect(new Set(await typesOf(world, open))).toEqual(new Set(['']));
    expect((await world.state()).guarding.holds.map(({ guard }) => guard)).toEqual(['known_range_empty']);
  });

  it('nor if the look-up of one of them fails', async () => {
    const { world, session, open } = await worldWithFewOpen();
    for (const id of oldGroups(world)) world.control.remove(id);
    const failing = String(open[0]);
    world.network.intercept = ({ query }) =>
      query.get('return_group_id') === failing ? jsonAnswer(500, {}) : undefined;

    await ticksWithoutSlowWalk(world, session, 60);

    expect(new Set(await typesOf(world, open))).toEqual(new Set(['']));
  });

  // Before, a step of slow answers had fewer than five groups, and none of the steps was held.
  it.each(['stays', 'new'] as const)('nor if answers take six seconds (process: %s)', async (kind) => {
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

  // Before, the time of a step did not suffice for the group behind them, and they were held.
  it.each([
    [0, 5, 5_000],
    [0, 8, 3_000],
    [5, 17, 3_000],
    // Before, the walk looked for the first group that is there, and each tick ended before it had noted anything.
    [0, 4, 8_000],
  ])(
    'neighbours that were removed are not held because answers are slow (%i to %i, %i ms)',
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
  it('eighteen that were removed are not held because slow ticks are cut off', async () => {
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

  it.each([
    ['gets no answer', NO_ANSWER],
    ['is reset', { ...NO_ANSWER, delivery: 'reset' }],
    ['is cut off', { ...jsonAnswer(200, [1, 2, 3]), delivery: 'cut' }],
  ] as const)('a removed one is set aside if the list at its creation %s', async (_, answer) => {
    const { world, session, open } = await worldWithFewOpen();
    await ticksWithoutSlowWalk(world, session, 10);
    const [gone = 0, ...later] = open.slice(2);
    const isAtCreation = isListFrom(world, gone);
    world.control.remove(gone);
    world.network.intercept = (request) => (isAtCreation(request) ? answer : undefined);
    await ticksWithoutSlowWalk(world, session, 40);
    for (const id of later) cancel(world, id);

    await ticksWithoutSlowWalk(world, session, 30);

    const { reconciliation, setAside } = await world.state();
    expect(reconciliation.open.lastCompletedAt).toBeGreaterThan(world.time.now() - 15 * MINUTE);
    expect(await typesOf(world, later)).not.toContain('');
    expect(setAside.map(({ groupId }) => groupId)).toContain(gone);
  });

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
});
