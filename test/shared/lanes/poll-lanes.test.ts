import { describe, expect, it } from 'vitest';
import { DAY, formatInstant, HOUR, type Instant, MINUTE, SECOND } from '../../../shared/instant.ts';
import { createFreshLane, createLateLane } from '../../../shared/lanes/poll-lanes.ts';
import type { Place } from '../../../shared/position/places.ts';
import type { Position } from '../../../shared/position/position.ts';
import type { ReturnGroupsQuery } from '../../../shared/returns-service/return-groups-query.ts';
import { lateRhythm, nextSlot } from '../../../shared/source/rhythms.ts';
import type { SourceState } from '../../../shared/source/source-state.ts';
import { VIRTUAL_START } from '../../fakes/virtual-clock.ts';
import { aPosition } from '../a-state.ts';
import { createListWorld, type ListWorldOptions } from '../list-world.ts';

/** The lookback and `settle` of the settings. */
const REACH = 6 * MINUTE;
/** `fresh` exists where polls are more frequent than `late`. */
const OFTEN = { settings: { intervalMs: 5_000, requestsPerMinute: 100_000 } };

function setUp(changes: Partial<SourceState> = {}, options: ListWorldOptions = {}) {
  const world = createListWorld(options);
  const session = world.startProcess();
  const run = world.begin({ baselineAt: VIRTUAL_START - HOUR, ...changes }, session);
  const late = createLateLane(run);
  const fresh = createFreshLane(run);
  return {
    ...{ ...world, session, run },
    late: () => world.time.run(late.work()),
    fresh: () => world.time.run(fresh.work()),
    lanes: { late, fresh },
    known: async (...ids: number[]) => [...(await session.store.load(run.state, ids)).keys()],
  };
}

/** The position of a feed that began at the start, with changes. */
function begun(changes: Partial<Position> = {}): { readonly position: Position } {
  return { position: aPosition({ origin: VIRTUAL_START, cursor: VIRTUAL_START - REACH, ...changes }) };
}

/** Pairs of minutes after the start and stamps. */
const pairs = (...known: readonly [number, number][]) =>
  known.map(([minute, stamp]) => ({
    at: VIRTUAL_START + minute * MINUTE,
    stamp: VIRTUAL_START + stamp * MINUTE,
  }));

const NOTED = { newestAt: pairs([1, 1], [2, 2]), newest: VIRTUAL_START };

describe('the cursor', () => {
  it('stays while the feed is young', async () => {
    const { run, list, late } = setUp();
    list.add(1, VIRTUAL_START - HOUR);

    await late();

    expect(run.state.position.cursor).toBe(VIRTUAL_START - REACH);
  });

  it('follows the newest stamp known lookback and `settle` before a round began, two seconds behind it', async () => {
    const newestAt = pairs([1, 1], [2, 2], [3, 3], [4, 4]);
    const { run, time, late } = setUp(begun({ newestAt, newest: VIRTUAL_START }));
    await time.advance(9 * MINUTE);

    await late();

    expect(run.state.position.cursor).toBe(VIRTUAL_START + 2 * MINUTE + 2 * SECOND);
    expect(run.state.position.newestAt).toEqual([...pairs([2, 2], [3, 3], [4, 4]), ...pairs([9, 0])]);
  });

  it('goes on beyond a place that is left out; the place stays', async () => {
    const { run, time, late } = setUp(begun({ ...NOTED, places: [aPlace(VIRTUAL_START)] }));
    await time.advance(9 * MINUTE);

    await late();

    expect(run.state.position.cursor).toBe(VIRTUAL_START + 2 * MINUTE + 2 * SECOND);
    expect(run.state.position.places).toEqual([aPlace(VIRTUAL_START)]);
  });

  it('stands behind the last change of a quiet store, so polls read nothing', async () => {
    const last = VIRTUAL_START - MINUTE;
    const newestAt = [{ at: VIRTUAL_START, stamp: last }];
    const { run, time, list, late } = setUp(begun({ origin: last, newest: last, newestAt }));
    list.add(1, last);
    for (let minute = 0; minute < 9; minute += 1) {
      await late();
      await time.advance(MINUTE);
    }
    const before = run.recorder.counts.groups;

    await late();

    expect(run.recorder.counts.groups).toBe(before);
    expect(run.state.position.cursor).toBe(last + 2 * SECOND);
  });

  it('stays after a round that had to cut too often, and the next one begins in ten seconds', async () => {
    const cursor = VIRTUAL_START - 200 * HOUR;
    const { run, time, list, late } = setUp(begun({ ...NOTED, cursor }), {
      settings: { requestsPerMinute: 100_000 },
    });
    for (let id = 1; id <= 200; id += 1) list.add(id, VIRTUAL_START - id * HOUR);
    list.knobs.failing = new Set(list.groups.keys());
    await time.advance(9 * MINUTE);

    await late();

    const { dueAt, round } = run.state.lanes.late;
    expect({ dueAt, round }).toEqual({ dueAt: time.now() + 10 * SECOND, round: undefined });
    expect(run.state.position).toMatchObject({ cursor, readAt: { late: undefined } });
    expect(run.polls).toBe(0);
  });

  it('stays while a round is not complete', async () => {
    const { run, time, list, late } = setUp(begun(NOTED));
    await time.advance(9 * MINUTE);
    list.knobs.isDown = true;
    run.session.deadline = time.elapsed() + 20 * SECOND;

    await expect(late()).rejects.toThrow();

    expect(run.state.position.cursor).toBe(VIRTUAL_START - REACH);
    expect(run.state.lanes.late.round?.stack).toHaveLength(1);
  });

  it('never follows a stamp more than a minute ahead of the clock', async () => {
    const { run, list, late, fresh } = setUp({}, OFTEN);
    list.add(1, VIRTUAL_START - MINUTE, VIRTUAL_START + 30 * MINUTE);
    list.add(2, VIRTUAL_START - MINUTE, VIRTUAL_START + 50 * SECOND);

    await fresh();
    await late();

    expect(run.state.position.newest).toBe(VIRTUAL_START + 50 * SECOND);
    expect(run.state.position.newestAt).not.toContainEqual(expect.objectContaining(pairs([0, 30])[0]));
  });

  it('goes back by the difference once the lookback was raised', async () => {
    const world = createListWorld();
    const session = world.startProcess();
    await world.tick(session);
    const { cursor } = (await world.state()).position;
    const settings = { ...world.settings, lookbackMs: world.settings.lookbackMs + 60_000 };

    await world.nextTick(world.startProcess('a', { settings }));
    const raised = (await world.state()).position;
    await world.nextTick(world.startProcess('a', { settings }));

    expect(raised.cursor).toBe(cursor - MINUTE);
    expect((await world.state()).position.cursor).toBe(cursor - MINUTE);
  });
});

/** A place of ten seconds that was left out at the start. */
function aPlace(from: Instant, changes: Partial<Place> = {}): Place {
  const place = { axis: 'updated', isLeftOut: true, seenAt: VIRTUAL_START, reason: '500' } as const;
  return { ...place, from, to: from + 10 * SECOND, ...changes };
}

describe('the lane `late`', () => {
  it.each([
    ['its start', OFTEN, -MINUTE, 0],
    ['the newest stamp', OFTEN, 30 * SECOND, 30 * SECOND],
    ['all plausible stamps where `fresh` does not read', {}, -MINUTE, MINUTE],
  ])('reads from the cursor up to a second after %s', async (_, options, newest, end) => {
    const { run, list, late } = setUp(begun({ newest: VIRTUAL_START + newest }), options);

    await late();

    expect(list.requests).toMatchObject([
      {
        minUpdatedAt: formatInstant(VIRTUAL_START - REACH - SECOND),
        maxUpdatedAt: formatInstant(VIRTUAL_START + end + 2 * SECOND),
      },
    ]);
    expect(run.state.lanes.late).toMatchObject({ round: undefined, requests: 1 });
    expect(run.state.position.readAt.late).toBe(VIRTUAL_START);
  });

  it('finds what showed late, with a stamp of up to lookback and `settle` ago', async () => {
    const { time, list, late, fresh, known } = setUp({}, OFTEN);
    list.add(1, VIRTUAL_START - 2 * HOUR);
    for (let minute = 0; minute < 12; minute += 1) {
      list.change(1, 'OPEN', time.now());
      await fresh();
      await late();
      await time.advance(MINUTE);
    }
    list.add(2, time.now() - REACH + 5 * SECOND);

    await late();

    expect(await known(2)).toEqual([2]);
  });

  it('notes the newest stamp once a minute', async () => {
    const { run, time, late } = setUp(begun({ newest: VIRTUAL_START }));

    for (let turn = 0; turn < 4; turn += 1) {
      await late();
      await time.advance(20 * SECOND);
    }

    expect(run.state.position.newestAt.map(({ at }) => at - VIRTUAL_START)).toEqual([0, MINUTE + 150_000]);
  });

  it('goes on with its round in the next tick', async () => {
    const { run, time, list, late } = setUp({}, { knobs: { mostRows: 10 } });
    for (let id = 1; id <= 60; id += 1) list.add(id, VIRTUAL_START - id * SECOND);
    run.session.deadline = time.elapsed() + 100_000;
    await expect(late()).rejects.toThrow('deadline');
    const { round } = run.state.lanes.late;
    run.session.deadline = time.elapsed() + HOUR;

    await late();

    expect(round?.stack.length).toBeGreaterThan(1);
    expect(run.state.position.readAt.late).toBe(round?.startedAt);
    expect(list.requests.length).toBeLessThan(30);
  });

  it('claims nothing of a page whose save fails, and reads its range again', async () => {
    const world = createListWorld();
    const { store } = world;
    let isDown = true;
    const unlessDown = <Saved>(save: () => Promise<Saved>) =>
      isDown ? Promise.reject(new Error('The store is down.')) : save();
    const failing = {
      ...store,
      save: (...args: Parameters<typeof store.save>) => unlessDown(() => store.save(...args)),
      saveAll: (...args: Parameters<typeof store.saveAll>) => unlessDown(() => store.saveAll(...args)),
    };
    const run = world.begin(
      { baselineAt: VIRTUAL_START - HOUR },
      world.startProcess('a', { store: failing }),
    );
    const late = createLateLane(run);
    world.list.add(1, VIRTUAL_START - MINUTE);

    await expect(world.time.run(late.work())).rejects.toThrow('The store is down.');
    const after = { claimed: run.state.position.readAt.late, left: run.state.lanes.late.round?.stack.length };
    isDown = false;
    await world.time.run(late.work());

    expect(after).toEqual({ claimed: undefined, left: 1 });
    expect([...(await store.load(run.state, [1])).keys()]).toEqual([1]);
  });

  it('claims the moment of its earliest answer, not that of its start', async () => {
    const { run, time, list, late } = setUp({}, { knobs: { mostRows: 10, latencyMs: 1_000 } });
    for (let id = 1; id <= 30; id += 1) list.add(id, VIRTUAL_START - id * SECOND);
    const stale = VIRTUAL_START - 3 * MINUTE;
    run.update((state) => {
      const { late } = state.lanes;
      const stack = [{ axis: 'updated' as const, from: VIRTUAL_START - REACH }];
      const round = { startedAt: VIRTUAL_START, asOf: stale, stack };
      const counts = { requests: 0, groups: 0, cuts: 0, missing: 0, held: 0 };
      return { ...state, lanes: { ...state.lanes, late: { ...late, round: { ...round, ...counts } } } };
    });

    await late();

    expect(run.state.position.readAt.late).toBe(stale);
    expect(time.now()).toBeGreaterThan(VIRTUAL_START + SECOND);
  });

  it('plans its next round by the groups of the last one', async () => {
    const { run, list, late } = setUp({ limit: 20 });
    for (let id = 1; id <= 60; id += 1)
      list.add(id, VIRTUAL_START - id * SECOND * 5, VIRTUAL_START - id * SECOND);
    await late();
    list.requests.length = 0;

    await late();

    expect(run.state.lanes.late.cuts).toHaveLength(4);
    expect(list.requests).toHaveLength(5);
  });

  it('is due by slots: a round that begins late does not shift the next one', async () => {
    const { run, time, late, lanes } = setUp();
    await late();
    const first = lanes.late.dueAt();
    await time.advance(MINUTE + 7 * SECOND);
    await late();

    expect(first).toBe(VIRTUAL_START + 55 * SECOND);
    expect(run.state.lanes.late.dueAt).toBe(VIRTUAL_START + 2 * MINUTE);
  });

  it('that begins a round a little early does not begin another one at once', async () => {
    const { time, lanes, late } = setUp();
    await late();
    await time.advance(lanes.late.dueAt() - time.now());

    await late();

    expect(lanes.late.dueAt()).toBe(VIRTUAL_START + 115 * SECOND);
  });

  it('is due less often after a round of many requests', async () => {
    const { run, list, late } = setUp({}, { knobs: { mostRows: 10 } });
    for (let id = 1; id <= 300; id += 1) list.add(id, VIRTUAL_START - id * SECOND);

    await late();

    const { requests, dueAt } = run.state.lanes.late;
    expect(requests).toBeGreaterThan(60);
    expect(dueAt).toBe(nextSlot((requests / (0.2 * 240)) * MINUTE, VIRTUAL_START));
  });
});

describe('a place', () => {
  const LONG_AGO = VIRTUAL_START - 3 * HOUR;

  it('beyond the cursor is asked for by itself after ten minutes, and ends once it is read', async () => {
    const { run, time, list, late, known } = setUp(begun({ places: [aPlace(LONG_AGO)] }));
    list.add(1, LONG_AGO + SECOND);

    await late();
    const early = [list.requests.length, run.state.position.places.length, (await known(1)).length];
    await time.advance(10 * MINUTE);
    await late();

    expect(early).toEqual([1, 1, 0]);
    expect(list.requests).toContainEqual(
      expect.objectContaining({
        minUpdatedAt: formatInstant(LONG_AGO - SECOND),
        maxUpdatedAt: formatInstant(LONG_AGO + 11 * SECOND),
      }),
    );
    expect(run.state.position.places).toEqual([]);
    expect(await known(1)).toEqual([1]);
  });

  it('that still fails stays, and is left out for ten minutes more', async () => {
    const { run, time, list, late, known } = setUp(begun({ places: [aPlace(LONG_AGO)] }));
    list.add(1, LONG_AGO + SECOND);
    list.add(2, LONG_AGO + 9 * SECOND);
    list.knobs.failing = new Set([1]);
    await time.advance(10 * MINUTE);

    await late();

    const { places, readAt } = run.state.position;
    expect(places).toMatchObject([{ axis: 'updated', isLeftOut: true }]);
    expect(places[0]?.seenAt).toBeGreaterThanOrEqual(VIRTUAL_START + 10 * MINUTE);
    expect(places[0]?.from).toBeLessThanOrEqual(LONG_AGO + SECOND);
    expect(readAt.late).toBe(VIRTUAL_START + 10 * MINUTE);
    expect(await known(1, 2)).toEqual([2]);
  });

  it('by creation is asked for by itself, and known groups that it lacks are looked up', async () => {
    const { run, time, list, late } = setUp(begun({ cursor: LONG_AGO }));
    list.add(1, LONG_AGO + SECOND, LONG_AGO + MINUTE);
    await late();
    list.groups.delete(1);
    const place = aPlace(LONG_AGO, { axis: 'created' });
    run.updatePosition((position) => ({ ...position, cursor: VIRTUAL_START, places: [place] }));
    await time.advance(10 * MINUTE);

    await late();

    expect(run.state.lookUps).toMatchObject([{ groupId: 1, isMissing: true }]);
    expect(run.state.position.places).toEqual([]);
  });
});

describe('the lane `fresh`', () => {
  it('reads from the newest stamp of its last round, less three seconds, up to an hour after now', async () => {
    const { time, list, fresh } = setUp({}, OFTEN);
    list.add(1, VIRTUAL_START - SECOND);
    await fresh();
    await time.advance(MINUTE);

    await fresh();

    expect(list.requests.at(-1)).toMatchObject({
      minUpdatedAt: formatInstant(VIRTUAL_START - 5 * SECOND),
      maxUpdatedAt: formatInstant(time.now() - 50_000 + HOUR + SECOND),
    });
  });

  it('never begins before the cursor', async () => {
    const { run, list, fresh } = setUp({}, OFTEN);
    list.add(1, VIRTUAL_START - SECOND);
    await fresh();
    run.updatePosition((position) => ({ ...position, cursor: VIRTUAL_START - 2 * SECOND }));

    await fresh();

    expect(list.requests.at(-1)?.minUpdatedAt).toBe(formatInstant(VIRTUAL_START - 3 * SECOND));
  });

  it('goes on from the first page of its last round: what changed later in a part that was read is found', async () => {
    const position = begun({ origin: 0, cursor: VIRTUAL_START - 3 * HOUR });
    const options = { ...OFTEN, knobs: { mostRows: 10 } };
    const { time, list, fresh, eventsOf, run, states } = setUp(position, options);
    await states.save({ ...run.state, version: 1 }, 0);
    run.update((state) => ({ ...state, version: 1 }));
    for (let id = 1; id <= 30; id += 1)
      list.add(id, VIRTUAL_START - 2 * HOUR + id * MINUTE, VIRTUAL_START - id * SECOND);
    await fresh();
    await time.advance(SECOND);
    for (let id = 1; id <= 30; id += 1) list.change(id, 'RECEIVED', time.now() - id * 1_000);
    list.knobs.latencyMs = 4_000;
    const before = list.requests.length;
    /** Changes a group of the first part while the second is read, and one of the last part before that is read. */
    const changing = (async () => {
      while (list.requests.length < before + 2) await time.sleep(100);
      list.change(30, 'CANCELED', time.now());
      while (list.requests.length < before + 4) await time.sleep(100);
      list.change(1, 'CANCELED', time.now());
    })();

    await fresh();
    await changing;
    const parts = list.requests.length - before;
    await fresh();

    expect(parts).toBe(5);
    for (const id of [1, 30])
      expect((await eventsOf(id)).at(-1)).toMatchObject({ data: { object: { status: 'CANCELED' } } });
  });

  /** A feed that began long ago, and more groups than a round of `fresh` reads. */
  function withMany(count: number) {
    const many = setUp(begun({ origin: 0, cursor: VIRTUAL_START - 3 * HOUR }), {
      ...OFTEN,
      knobs: { mostRows: 10, order: () => 0 },
    });
    for (let id = 1; id <= count; id += 1)
      many.list.add(id, VIRTUAL_START - DAY - id * MINUTE, VIRTUAL_START - id * 5 * SECOND);
    return many;
  }

  it('sends 60 requests a round at most; the next one reads first what is left, and then its own range', async () => {
    const { run, session, time, list, fresh, known } = withMany(330);

    await fresh();
    const first = { requests: list.requests.length, polls: run.polls, known: await known(1, 330) };
    const left = session.fresh.left.length;
    list.change(1, 'CANCELED', time.now());
    await fresh();
    const isOwn = ({ maxUpdatedAt }: ReturnGroupsQuery) => String(maxUpdatedAt) > formatInstant(time.now());
    const own = list.requests.slice(60).findIndex(isOwn);

    expect(first).toEqual({ requests: 60, polls: 0, known: [1] });
    expect(own).toBeGreaterThanOrEqual(left);
    expect(list.requests[60 + own]?.minUpdatedAt).toBe(formatInstant(VIRTUAL_START - 9 * SECOND));
    expect({ left: session.fresh.left, polls: run.polls }).toEqual({ left: [], polls: 1 });
    expect(await known(330)).toEqual([330]);
  });

  it('reads only what is left where that takes all requests of a round, and its own range after it', async () => {
    const { session, list, fresh, known } = withMany(1_200);
    await fresh();
    const { newest } = session.fresh;
    await fresh();
    const after = { newest: session.fresh.newest, requests: list.requests.length };

    while (session.fresh.left.length > 0) await fresh();

    expect(after).toEqual({ newest, requests: 120 });
    expect((await known(...list.groups.keys())).length).toBe(1_200);
  });

  it('keeps its range if a round ends before its first page', async () => {
    const { session, time, list, fresh } = setUp({}, OFTEN);
    list.add(1, VIRTUAL_START - MINUTE);
    await fresh();
    const before = session.fresh;
    const known = { newest: before.newest, left: before.left };
    list.knobs.isDown = true;
    session.deadline = time.elapsed() + SECOND;

    await expect(fresh()).rejects.toThrow();

    expect({ newest: session.fresh.newest, left: session.fresh.left }).toEqual(known);
  });

  it('is due by slots: a round that begins late does not shift the next one', async () => {
    const { time, lanes, fresh } = setUp({}, OFTEN);

    await fresh();
    const first = lanes.fresh.dueAt();
    await time.advance(7 * SECOND);
    await fresh();

    expect([first, lanes.fresh.dueAt()]).toEqual([VIRTUAL_START + 5 * SECOND, VIRTUAL_START + 10 * SECOND]);
  });

  it('is due a little early as a tick begins, and then not again in that slot', async () => {
    const { run, time, fresh } = setUp({}, OFTEN);
    await fresh();
    await time.advance(4.4 * SECOND);
    const before = createFreshLane(run).dueAt();
    await time.advance(SECOND / 10);

    const early = createFreshLane(run);
    const dueAt = early.dueAt();
    await time.run(early.work());

    expect(before).toBe(VIRTUAL_START + 5 * SECOND);
    expect(dueAt).toBeLessThan(VIRTUAL_START + 4.6 * SECOND);
    expect(early.dueAt()).toBe(VIRTUAL_START + 10 * SECOND);
  });

  it('is due at once in the next tick after a round that the end of a tick cut off', async () => {
    const { run, session, time, list, fresh } = setUp({}, OFTEN);
    await fresh();
    await time.advance(5 * SECOND);
    list.knobs.isDown = true;
    session.deadline = time.elapsed() + SECOND / 10;
    await expect(fresh()).rejects.toThrow();

    const next = createFreshLane(run);

    expect(next.dueAt()).toBeLessThanOrEqual(time.now());
  });

  it('is due at once after a clock that was ahead', () => {
    const { run, session, time } = setUp({}, OFTEN);
    session.fresh.dueAt = time.now() + HOUR;

    expect(createFreshLane(run).dueAt()).toBe(time.now());
  });

  it.each([
    ['more frequent than `late`', 59_000, true],
    ['as frequent', 60_000, false],
    ['rarer', 300_000, false],
  ])('exists where polls are %s', (_, intervalMs, exists) => {
    const { lanes } = setUp({}, { settings: { intervalMs } });

    expect(Number.isFinite(lanes.fresh.dueAt())).toBe(exists);
  });

  it('exists where `late` is less frequent than polls because of its requests', () => {
    const { run, lanes } = setUp({}, { settings: { intervalMs: 60_000 } });
    const { late } = run.state.lanes;

    run.update((state) => ({ ...state, lanes: { ...state.lanes, late: { ...late, requests: 96 } } }));

    expect(lateRhythm(run.session.settings, 96)).toBe(2 * MINUTE);
    expect(Number.isFinite(lanes.fresh.dueAt())).toBe(true);
  });
});
