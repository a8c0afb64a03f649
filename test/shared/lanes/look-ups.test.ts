// Groups that lists lack: the list check finds them, look-ups by id decide.
import { describe, expect, it } from 'vitest';
import { DAY, HOUR, type Instant, MINUTE, SECOND } from '../../../shared/instant.ts';
import { createLookUpLane } from '../../../shared/lanes/look-ups.ts';
import { createWalkLane } from '../../../shared/lanes/walk-lanes.ts';
import { noteLookUp } from '../../../shared/recording/look-up-queue.ts';
import { VIRTUAL_START } from '../../fakes/virtual-clock.ts';
import { createListWorld, type ListWorldOptions } from '../list-world.ts';

const SETTLE = MINUTE;

/** A source that has walked over its groups ten minutes ago. */
async function setUp(options: ListWorldOptions = {}, count = 40) {
  const world = createListWorld({
    ...options,
    settings: { requestsPerMinute: 100_000, ...options.settings },
  });
  const session = world.startProcess();
  const run = world.begin({}, session);
  await world.states.save({ ...run.state, version: 1 }, 0);
  const lane = createLookUpLane(run);
  const walkLane = createWalkLane(run, 'recent');
  const walk = () => world.time.run(walkLane.work());
  world.addMany(count, HOUR);
  await walk();
  await world.time.advance(10 * MINUTE);
  world.list.requests.length = 0;
  return {
    ...{ ...world, session, run, lane, walk },
    lookUp: () => world.time.run(lane.work()),
    typesOf: async (group: number) => (await world.eventsOf(group)).map(({ type }) => type),
    lookedUp: () => world.list.requests.flatMap(({ returnGroupId }) => returnGroupId ?? []),
    queued: () => run.state.lookUps.map(({ groupId }) => groupId),
  };
}

describe('a part of a walk that lacks known groups', () => {
  it('queues them for a look-up by their ids', async () => {
    const { list, walk, queued } = await setUp();
    for (const id of [7, 8]) list.groups.delete(id);

    await walk();

    expect(queued()).toEqual([7, 8]);
  });

  it('has the room of answers forgotten: pages that became shorter are cut from then on', async () => {
    const apart = { requestsPerMinute: 60, reconcileMs: 1_000 };
    const { run, list, walk, queued } = await setUp({ knobs: { mostRows: 30 }, settings: apart });
    list.knobs.mostRows = 12;

    await walk();
    const missed = queued().length;
    await walk();

    expect(missed).toBeGreaterThan(0);
    expect(run.state.room.rows).toBeLessThanOrEqual(12);
    expect(queued()).toHaveLength(missed);
  });

  it.each([
    ['one group', 40, [7]],
    ['some of a page of fewer than ten', 11, [7, 8]],
  ])('has no room forgotten if it lacks %s: they are removed', async (_, count, gone) => {
    const { run, list, walk, queued } = await setUp({}, count);
    const { room } = run.state;
    for (const id of gone) list.groups.delete(id);

    await walk();

    expect(queued()).toEqual(gone);
    expect(run.state.room).toEqual(room);
  });

  it('has the room forgotten once a look-up shows the one group that it lacks: pages became shorter', async () => {
    const { run, list, time, walk, lookUp, queued } = await setUp({ knobs: { mostRows: 30 } });
    // Pages that are one row shorter than pieces.
    list.knobs.mostRows = 0.8 * (run.state.room.planned ?? 0) - 1;

    await walk();
    const missed = queued();
    for (const _ of missed) await lookUp();
    await time.advance(MINUTE);
    await walk();

    expect(missed).toEqual([20, 40]);
    expect(queued()).toEqual([]);
    expect(run.state.findings).toEqual([]);
  });

  it('has the room forgotten if it lacks two groups on a page of ten or more', async () => {
    const { run, list, walk } = await setUp();
    const { room } = run.state;
    for (const id of [39, 40]) list.groups.delete(id);

    await walk();

    expect(run.state.room).toEqual({ ...room, rows: 9, groups: 9 });
  });

  it('says nothing of groups that were saved less than `settle` before its request', async () => {
    const { list, walk, queued, time } = await setUp();
    list.change(7, 'CANCELED');
    await walk();
    list.groups.delete(7);
    await time.advance(50 * SECOND);

    await walk();
    const early = queued();
    await time.advance(SETTLE);
    await walk();

    expect([early, queued()]).toEqual([[], [7]]);
  });

  it('says nothing if it has a place that was set aside', async () => {
    const { run, list, walk, queued, now } = await setUp();
    const { createdAt = 0 } = list.groups.get(7) ?? {};
    const place = { axis: 'created', from: createdAt - SECOND, to: createdAt + SECOND } as const;
    const places = [{ ...place, isLeftOut: true, seenAt: now(), reason: '500' }];
    run.updatePosition((position) => ({ ...position, places }));
    for (const id of [7, 20]) list.groups.delete(id);

    await walk();

    expect(queued()).toEqual([20]);
  });

  it('holds removals if it lacks more than twenty and one percent; the others prove the identity', async () => {
    const { run, list, walk, queued, lookedUp } = await setUp({}, 100);
    for (let id = 1; id <= 21; id += 1) list.groups.delete(id);

    await walk();

    expect(run.state.holds).toMatchObject([{ kind: 'removals', phase: 'holding', count: 21 }]);
    expect(run.state.holds[0]?.samples).toHaveLength(10);
    expect(queued()).toEqual([]);
    expect(lookedUp()).toEqual([]);
  });

  it('proves the identity by ids if it shows no known group', async () => {
    const { run, list, walk, lookedUp } = await setUp({}, 100);
    list.groups.clear();

    await expect(walk()).rejects.toMatchObject({ name: 'SourceHeld' });

    expect(lookedUp().length).toBeGreaterThan(0);
    expect(run.state.holds).toMatchObject([{ kind: 'removals' }, { kind: 'other_store' }]);
  });

  it('releases that hold when a walk lacks few again', async () => {
    const { run, list, walk } = await setUp({}, 100);
    const all = [...list.groups];
    for (let id = 1; id <= 21; id += 1) list.groups.delete(id);
    await walk();

    for (const [id, group] of all) list.groups.set(id, group);
    await walk();

    expect(run.state.holds).toEqual([]);
  });
});

describe('a group that a walk missed', () => {
  it('is published as removed once two look-ups, `settle` apart, did not find it', async () => {
    const { list, walk, lookUp, lane, time, now, typesOf, lookedUp, queued } = await setUp();
    list.groups.delete(7);
    await walk();

    await lookUp();
    const between = { types: await typesOf(7), wait: lane.dueAt() - now() };
    await time.advance(between.wait);
    await lookUp();

    expect(between).toEqual({ types: [], wait: SETTLE });
    expect(await typesOf(7)).toEqual(['return_group.removed']);
    expect(lookedUp().filter((id) => id === 7)).toHaveLength(2);
    expect(queued()).toEqual([]);
  });

  it('is not removed by two look-ups that are less than `settle` apart', async () => {
    const { run, list, walk, lookUp, time, typesOf } = await setUp();
    list.groups.delete(7);
    await walk();
    await lookUp();
    await time.advance(SETTLE - SECOND);
    run.update((state) => ({
      ...state,
      lookUps: state.lookUps.map((each) => ({ ...each, dueAt: time.now() })),
    }));

    await lookUp();

    expect(await typesOf(7)).toEqual([]);
    expect(run.state.lookUps).toHaveLength(1);
  });

  it('is not absent any more if any answer shows it between the two look-ups', async () => {
    const { run, list, walk, lookUp, time, typesOf } = await setUp();
    const group = list.groups.get(7);
    list.groups.delete(7);
    await walk();
    await lookUp();

    if (group) list.groups.set(7, group);
    await walk();
    list.groups.delete(7);
    await time.advance(SETTLE);
    await lookUp();

    expect(await typesOf(7)).toEqual([]);
    expect(run.state.lookUps).toMatchObject([{ groupId: 7, absentSince: expect.any(Number) }]);
  });

  it('is recorded and reported as hidden if its look-up shows it, until a walk misses none', async () => {
    const { run, list, walk, lookUp, time, typesOf } = await setUp();
    list.knobs.hidden = new Set([7]);
    list.change(7, 'CANCELED');
    await walk();

    await lookUp();
    const { findings } = run.state;
    await time.advance(10 * MINUTE);
    list.knobs.hidden = new Set();
    await walk();

    expect(findings).toMatchObject([{ code: 'groups_hidden', count: 1, example: 'return group 7' }]);
    expect(await typesOf(7)).toEqual(['return_line_item.status_changed']);
    expect(run.state.findings).toEqual([]);
  });

  it('stays in the queue while its look-up fails, and is set aside', async () => {
    const { run, list, walk, lookUp, lane, now, time, typesOf, queued } = await setUp();
    const group = list.groups.get(7);
    list.knobs.hidden = new Set([7]);
    list.knobs.failing = new Set([7]);
    await walk();

    await lookUp();
    const failed = { queued: queued(), wait: lane.dueAt() - now(), aside: run.state.setAside };
    list.knobs.failing = new Set();
    await time.advance(MINUTE);
    await lookUp();

    expect(group).toBeDefined();
    expect(failed).toMatchObject({ queued: [7], wait: MINUTE, aside: [{ groupId: 7 }] });
    expect(queued()).toEqual([]);
    expect(run.state.setAside).toEqual([]);
    expect(await typesOf(7)).toEqual([]);
  });

  it('is not set aside any more once it is removed, though a look-up failed before', async () => {
    const { run, list, walk, lookUp, time, typesOf } = await setUp();
    list.groups.delete(7);
    await walk();
    list.knobs.isDown = true;
    await lookUp();
    const failed = run.state.setAside;
    list.knobs.isDown = false;
    for (const wait of [MINUTE, SETTLE]) {
      await time.advance(wait);
      await lookUp();
    }

    expect(failed).toMatchObject([{ groupId: 7 }]);
    expect(await typesOf(7)).toEqual(['return_group.removed']);
    expect(run.state.setAside).toEqual([]);
  });

  it('is not removed if too many are in one cycle', async () => {
    const { run, list, walk, lookUp, time, typesOf, queued } = await setUp();
    list.groups.delete(7);
    await walk();
    run.update((state) => ({ ...state, removals: 20 }));
    await lookUp();
    await time.advance(SETTLE);

    await lookUp();

    expect(await typesOf(7)).toEqual([]);
    expect(run.state.holds).toMatchObject([{ kind: 'removals', phase: 'holding' }]);
    expect(queued()).toEqual([]);
  });

  it('is not removed if no known group is found any more: the token shows another store', async () => {
    const { run, list, walk, lookUp, lane, time, typesOf } = await setUp();
    list.groups.delete(7);
    await walk();
    await lookUp();
    await time.advance(SETTLE);
    list.groups.clear();

    await expect(lookUp()).rejects.toMatchObject({ name: 'SourceHeld' });

    expect(await typesOf(7)).toEqual([]);
    expect(run.state.holds).toMatchObject([{ kind: 'other_store' }]);
    expect(lane.dueAt()).toBe(Infinity);
  });

  it('is looked up past caches', async () => {
    const { list, walk, lookUp, typesOf } = await setUp({ knobs: { keptFor: HOUR } });
    list.knobs.hidden = new Set([7]);
    await walk();
    await lookUp();
    list.change(7, 'CANCELED');
    await walk();

    await lookUp();

    expect(await typesOf(7)).toEqual(['return_line_item.status_changed']);
  });

  it('is not removed by an answer that a cache keeps however it is asked: the second has another limit', async () => {
    const { run, list, lookUp, time, typesOf, queued } = await setUp({
      knobs: { keptFor: HOUR, keepsAlways: true },
    });
    const group = list.groups.get(7);
    list.groups.delete(7);
    run.update((state) => noteLookUp(state, { groupId: 7, dueAt: time.now(), isMissing: true }));
    await lookUp();
    if (group) list.groups.set(7, group);
    await time.advance(SETTLE);

    await lookUp();

    expect(list.requests.filter(({ returnGroupId }) => returnGroupId).map(({ limit }) => limit)).toEqual([
      undefined,
      run.state.limit - 1,
    ]);
    expect(await typesOf(7)).toEqual([]);
    expect(queued()).toEqual([]);
  });

  it('is not removed before the times of two answers are `settle` apart', async () => {
    const { run, list, lookUp, lane, time, now, typesOf } = await setUp();
    list.groups.delete(7);
    list.knobs.age = 90 * SECOND;
    const lookUps = [{ groupId: 7, dueAt: now(), absentSince: now() }];
    run.update((state) => ({ ...state, lookUps }));
    await time.advance(SETTLE);

    await lookUp();
    const between = { types: await typesOf(7), wait: lane.dueAt() - now() };
    await time.advance(between.wait);
    await lookUp();

    expect(between).toEqual({ types: [], wait: expect.any(Number) });
    expect(await typesOf(7)).toEqual(['return_group.removed']);
  });

  it('counts towards the removals of its cycle', async () => {
    const { run, list, walk, lookUp, time } = await setUp();
    list.groups.delete(7);
    await walk();
    await lookUp();
    await time.advance(SETTLE);
    await lookUp();
    const { removals } = run.state;

    await walk();

    expect([removals, run.state.removals]).toEqual([1, 0]);
  });
});

describe('a reading that was left as possibly stale', () => {
  it('is looked up `settle` later', async () => {
    const { run, list, walk, lookUp, lane, time, typesOf, session } = await setUp();
    list.change(7, 'CANCELED');
    await walk();
    const savedAt: Instant = (await session.store.load(run.state, [7])).get(7)?.receivedAt ?? 0;
    list.change(7, 'OPEN');
    await time.advance(30 * SECOND);
    await walk();
    const dueAt = lane.dueAt();

    await time.advance(dueAt - time.now());
    await lookUp();

    expect(dueAt).toBe(savedAt + SETTLE);
    expect(await typesOf(7)).toEqual(['return_line_item.status_changed', 'return_line_item.status_changed']);
    expect(run.recorder.counts.left).toBeGreaterThan(0);
    expect(savedAt).toBeGreaterThan(VIRTUAL_START - DAY);
  });
});

describe('a group that answers show with a stamp before the known one', () => {
  /** Its known state is three minutes old; the walk has read the one before. */
  async function goneBack() {
    const world = await setUp();
    const { list, walk, time, now } = world;
    const before = list.groups.get(7)?.updatedAt;
    list.change(7, 'CANCELED', now());
    await walk();
    await time.advance(3 * MINUTE);
    const known = list.groups.get(7)?.updatedAt;
    list.change(7, 'OPEN', before);
    await walk();
    return {
      ...world,
      async lookUpIn(wait: Instant) {
        await time.advance(wait);
        await world.lookUp();
      },
      showKnown: () => list.change(7, 'CANCELED', known),
      showOlder: () => list.change(7, 'OPEN', before),
    };
  }

  it('is looked up at once, and again an hour after it first showed', async () => {
    const { lane, now, lookUpIn, typesOf, queued } = await goneBack();
    const first = lane.dueAt() - now();

    await lookUpIn(0);
    const second = lane.dueAt() - now();
    const between = [await typesOf(7), queued()];
    await lookUpIn(second);

    expect(first).toBeLessThanOrEqual(0);
    expect(HOUR - second).toBeLessThan(SECOND);
    expect(between).toEqual([['return_line_item.status_changed'], [7]]);
    expect(await typesOf(7)).toEqual(['return_line_item.status_changed', 'return_line_item.status_changed']);
    expect(queued()).toEqual([]);
  });

  it('has no event if any answer between shows the known one: a copy lags', async () => {
    const { run, lane, walk, now, lookUpIn, showKnown, showOlder, typesOf } = await goneBack();
    await lookUpIn(0);
    showKnown();
    await walk();
    const { lookUps } = run.state;
    showOlder();

    await walk();
    await lookUpIn(0);

    expect(lookUps).toEqual([]);
    expect(lane.dueAt() - now()).toBeGreaterThan(HOUR - MINUTE);
    expect(await typesOf(7)).toEqual(['return_line_item.status_changed']);
  });

  it('has no event if its look-up shows the known one', async () => {
    const { lookUpIn, showKnown, typesOf, queued } = await goneBack();
    showKnown();

    await lookUpIn(0);

    expect(await typesOf(7)).toEqual(['return_line_item.status_changed']);
    expect(queued()).toEqual([]);
  });
});
