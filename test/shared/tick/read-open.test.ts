import { describe, expect, it } from 'vitest';
import {
  type Answer,
  jsonAnswer,
  type ServiceRequest,
} from '../../../local/reference-service/service/answer.ts';
import { DAY, MINUTE, parseStamp } from '../../../shared/instant.ts';
import { fitsCycle, requestsOfAll } from '../../../shared/source/reconciliation-plan.ts';
import type { SourceSession } from '../../../shared/source/source-session.ts';
import { createSourceWorld, type SourceWorld, type SourceWorldOptions } from '../source-world.ts';

const LOOK_UP = 'return_group_id=';
/** A world in which changes move no stamps, and a walk over all groups does not fit a cycle. */
const SLOW = {
  groups: 900,
  knobs: { limitMax: 5, touches: [] },
  settings: { reconcileMs: 180_000, requestsPerMinute: 60 },
} as const;

async function slowWorld(close: (world: SourceWorld) => void, options: SourceWorldOptions = SLOW) {
  const world = createSourceWorld(options);
  close(world);
  const session = world.startProcess('a');
  await world.tick(session);
  while ((await world.state()).baseline.status !== 'completed') await world.nextTick(session);
  expect(fitsCycle(await world.state(), world.settings)).toBe(false);
  return { world, session };
}

/** Opens one of so many old groups, and closes the others. @returns the open ones */
function openEach(world: SourceWorld, distance: number): number[] {
  const old = oldGroups(world);
  setAll(world, old, false);
  const open = old.filter((_, index) => index % distance === distance / 2);
  setAll(world, open, true);
  return open;
}

function openFew(world: SourceWorld): number[] {
  return openEach(world, 60);
}

async function worldWithFewOpen() {
  const open: number[] = [];
  const { world, session } = await slowWorld((store) => void open.push(...openFew(store)));
  return { world, session, open };
}

/** A world in which only look-ups and their lists read one old group, which the answers may hide. */
async function worldWithOneLookedUp(answer: (request: ServiceRequest, id: number) => Answer | undefined) {
  let id = 0;
  const { world, session } = await slowWorld((store) => {
    id = openFew(store)[2] ?? 0;
  });
  await pauseSlowWalk(world);
  world.network.intercept = (request) => answer(request, id);
  return { world, session, id };
}

/** Groups that are too old to be walked with the recent ones, oldest first. */
function oldGroups(world: SourceWorld): number[] {
  const before = world.time.now() - 50 * DAY;
  return world.control.snapshot().flatMap(({ id, created_at }) => {
    const createdAt = parseStamp(String(created_at))?.instant ?? Number.POSITIVE_INFINITY;
    return createdAt < before ? [Number(id)] : [];
  });
}

function setAll(world: SourceWorld, groups: readonly number[], isOpen: boolean) {
  for (const id of groups) {
    world.control.mutate(id, (draft) => {
      for (const item of draft.returns) item.status = isOpen ? 'OPEN' : 'COMPLETED';
      for (const shipment of draft.shipments) shipment.status = 'DELIVERED';
      for (const exchange of draft.exchange_line_items) exchange.status = 'PROCESSED';
    });
  }
}

function cancel(world: SourceWorld, id: number) {
  world.control.mutate(id, (draft) => {
    for (const item of draft.returns) item.status = 'CANCELED';
  });
}

/** As in a large store, where the walk over all groups takes days. */
async function pauseSlowWalk(world: SourceWorld, duration = DAY) {
  const state = await world.state();
  const { reconciliation, version } = state;
  const all = { ...reconciliation.all, pausedUntil: world.time.now() + duration };
  const paused = { ...state, version: version + 1, reconciliation: { ...reconciliation, all } };
  await world.states.save(paused, version);
}

async function ticksWithoutSlowWalk(world: SourceWorld, session: SourceSession, count: number) {
  for (let made = 0; made < count; made += 1) {
    await pauseSlowWalk(world, 5 * MINUTE);
    await world.nextTick(session);
  }
}

async function cycles(world: SourceWorld, session: SourceSession, count: number) {
  const seen = new Set<number | undefined>();
  for (let minutes = 0; seen.size <= count && minutes < 120; minutes += 1) {
    await world.nextTick(session);
    seen.add((await world.state()).reconciliation.open.lastCompletedAt);
  }
}

describe('an old group that is open', () => {
  it('is looked up once a cycle, also if the service sends a false creation time', async () => {
    const open: number[] = [];
    const { world, session } = await slowWorld((store) => {
      open.push(...openFew(store));
      store.network.intercept = (request) => {
        const answer = store.reference.service.answer(request);
        if (answer.status !== 200) return answer;
        const rows = JSON.parse(answer.body) as { id: number; created_at: string }[];
        for (const row of rows) if (open.includes(row.id)) row.created_at = '0001-01-01T00:00:00Z';
        return { ...answer, body: JSON.stringify(rows) };
      };
    });
    await pauseSlowWalk(world);
    const before = world.requests().length;
    await cycles(world, session, 2);

    const lookedUp = new Set(
      world
        .requests()
        .slice(before)
        .map(({ query }) => query.split(LOOK_UP)[1]),
    );
    expect(open.filter((id) => lookedUp.has(String(id)))).toEqual(open);
  });

  it('is looked up by its id once a cycle if few old groups are open', async () => {
    const { world, session, open } = await worldWithFewOpen();
    await cycles(world, session, 1);
    const gone = open.pop() ?? 0;
    world.control.remove(gone);
    for (const id of open) cancel(world, id);

    await cycles(world, session, 1);

    const lookUps = (id: number) =>
      world.requests().filter(({ query }) => query.endsWith(`${LOOK_UP}${id}`)).length;
    const histories = await Promise.all(open.map((id) => world.groupEvents(id)));
    expect(open.length).toBeGreaterThan(5);
    expect(
      histories.every((events) => events.some(({ type }) => type === 'return_line_item.status_changed')),
    ).toBe(true);
    expect(open.every((id) => lookUps(id) > 0)).toBe(true);
    // A group that is not found is looked up a second time, like a group that is missing from a range.
    expect(lookUps(gone)).toBeGreaterThan(lookUps(open[0] ?? 0));
  });

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

  // Before, as many groups were to be looked up as there would have been time for with fast answers, and the tick ended;
  // or it ended before the group that is missing was looked up for the second time.
  it.each([
    [500, 0],
    [2_000, 1],
  ])(
    'is looked up in parts that fit ticks of new processes, if answers take %i ms and %i group is gone',
    async (latencyMs, removed) => {
      const open: number[] = [];
      const { world, session } = await slowWorld((store) => void open.push(...openEach(store, 8)), {
        ...{ groups: 1_600, knobs: SLOW.knobs },
        settings: { reconcileMs: 60_000 },
      });
      await cycles(world, session, 1);
      world.network.intercept = (request) => ({
        ...world.reference.service.answer(request),
        afterMs: latencyMs,
      });
      const oldestOpen = world.oldestFirst().filter((id) => open.includes(id));
      for (const id of oldestOpen.slice(12, 12 + removed)) world.control.remove(id);
      const before = world.time.now();

      for (let minute = 0; minute < 80; minute += 1) {
        await world.nextTick(world.startProcess(`p${world.time.elapsed()}`));
      }

      expect((await world.state()).reconciliation.open.lastCompletedAt).toBeGreaterThan(before + 30 * MINUTE);
    },
  );

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
    const { world, session, id } = await worldWithOneLookedUp(({ query }, hidden) =>
      query.get('return_group_id') === String(hidden) ? jsonAnswer(200, []) : undefined,
    );

    await cycles(world, session, 3);
    world.setShipment(id, 'FAILED');
    await cycles(world, session, 2);

    const types = (await world.groupEvents(id)).map(({ type }) => type);
    expect(types).toEqual(['shipment.status_changed']);
    expect((await world.state()).setAside).toEqual([]);
  });

  it('is set aside, not removed, if its look-up does not find it and no list of its creation arrives', async () => {
    const { world, session, id } = await worldWithOneLookedUp(({ query }, hidden) => {
      if (query.get('return_group_id') === String(hidden)) return jsonAnswer(200, []);
      const bounds = ['min_created_at', 'max_created_at'].map((name) => Date.parse(query.get(name) ?? ''));
      const [from = Number.NaN, to = Number.NaN] = bounds;
      return to - from < 60_000 ? jsonAnswer(422, { detail: [] }) : undefined;
    });

    await cycles(world, session, 3);

    expect(await world.groupEvents(id)).toEqual([]);
    expect((await world.state()).setAside).toMatchObject([
      { groupId: id, reason: expect.stringContaining('no proved end') },
    ]);
  });

  it('is read with its neighbours if many of them are open', async () => {
    const { world, session } = await slowWorld((store) => {
      const old = oldGroups(store);
      setAll(store, old, false);
      setAll(store, old.slice(100, 160), true);
    });

    await cycles(world, session, 2);

    const { open } = (await world.state()).reconciliation;
    expect(open.compared).toBeGreaterThanOrEqual(60);
    expect(open.lastRequests).toBeLessThan(40);
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

    await ticksWithoutSlowWalk(world, session, 45);

    const events = await Promise.all(gone.map((id) => world.groupEvents(id)));
    expect(events.map((each) => each.map(({ type }) => type))).toEqual(
      gone.map(() => ['return_group.removed']),
    );
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
});

it('a store of groups that never close takes about as many requests as a walk over all of them', async () => {
  const { world, session } = await slowWorld((store) => setAll(store, oldGroups(store), true));

  await cycles(world, session, 2);

  const state = await world.state();
  expect(state.reconciliation.open.lastRequests).toBeLessThanOrEqual(requestsOfAll(state) + 60);
  expect(state.reconciliation.recent.lastCompletedAt).toBeDefined();
});
