// Old open groups that look-ups do not find: the look-ups fail, or lists can not be read.
import { describe, expect, it } from 'vitest';
import { jsonAnswer } from '../../../local/reference-service/service/answer.ts';
import { MINUTE } from '../../../shared/instant.ts';
import {
  areRemoved,
  cancel,
  cycles,
  isListFrom,
  NO_ANSWER,
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
  worldWithFewOpen,
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
  /** Three old groups of one moment, of which two may go. */
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
