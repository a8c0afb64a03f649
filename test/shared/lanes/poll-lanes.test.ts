import { describe, expect, it } from 'vitest';
import { formatInstant, HOUR, MINUTE, SECOND } from '../../../shared/instant.ts';
import { createFreshLane, createLateLane } from '../../../shared/lanes/poll-lanes.ts';
import { lateRhythm } from '../../../shared/lanes/rhythms.ts';
import type { SourceState } from '../../../shared/source/source-state.ts';
import { VIRTUAL_START } from '../../fakes/virtual-clock.ts';
import { createListWorld, type ListWorldOptions } from '../list-world.ts';

/** The lookback and `settle` of the settings. */
const REACH = 6 * MINUTE;

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
  };
}

/** Pairs of minutes after the start and stamps. */
const pairs = (...known: readonly [number, number][]) =>
  known.map(([minute, stamp]) => ({
    at: VIRTUAL_START + minute * MINUTE,
    stamp: VIRTUAL_START + stamp * MINUTE,
  }));

describe('the cursor', () => {
  it('is the feed’s start less the lookback and `settle` at first, and never falls by itself', async () => {
    const { run, list, late } = setUp();
    list.add(1, VIRTUAL_START - HOUR);

    await late();

    expect(run.state.cursor).toBe(VIRTUAL_START - REACH);
  });

  it('follows the newest stamp known lookback and `settle` before a round began, two seconds behind it', async () => {
    const { run, time, late } = setUp({
      newestAt: pairs([1, 1], [2, 2], [3, 3], [4, 4]),
      newest: VIRTUAL_START,
    });
    await time.advance(9 * MINUTE);

    await late();

    expect(run.state.cursor).toBe(VIRTUAL_START + 2 * MINUTE + 2 * SECOND);
    expect(run.state.newestAt).toEqual([...pairs([2, 2], [3, 3], [4, 4]), ...pairs([9, 0])]);
  });

  it('stays up to two hours while rounds leave out a place that fails, so that it is read once it does not', async () => {
    const place = {
      axis: 'updated',
      from: VIRTUAL_START,
      to: VIRTUAL_START + MINUTE,
      reason: '500',
    } as const;
    const { run, time, late } = setUp({
      newestAt: pairs([1, 1], [2, 2]),
      newest: VIRTUAL_START,
      places: [{ ...place, until: VIRTUAL_START + 24 * HOUR }],
    });

    await time.advance(9 * MINUTE);
    await late();
    const early = run.state.cursor;
    await time.advance(2 * HOUR);
    await late();

    expect(early).toBe(VIRTUAL_START - REACH);
    expect(run.state.cursor).toBe(VIRTUAL_START + 2 * MINUTE + 2 * SECOND);
  });

  it('compares stamps with stamps: a service whose clock is hours ahead is no different', async () => {
    const { run, time, late } = setUp({ newestAt: pairs([1, 300], [2, 301]), newest: VIRTUAL_START });
    await time.advance(9 * MINUTE);

    await late();

    expect(run.state.cursor).toBe(VIRTUAL_START + 301 * MINUTE + 2 * SECOND);
  });

  it('stands behind the last change of a quiet store, so polls read nothing', async () => {
    const { run, time, list, late } = setUp();
    list.add(1, VIRTUAL_START - MINUTE);
    for (let minute = 0; minute < 9; minute += 1) {
      await late();
      await time.advance(MINUTE);
    }
    const before = run.recorder.counts.groups;

    await late();

    expect(run.recorder.counts.groups).toBe(before);
    expect(run.state.cursor).toBe(VIRTUAL_START - MINUTE + 2 * SECOND);
  });

  it('does not fall to stamps of groups that changed long ago', async () => {
    const { run, time, late } = setUp({ newestAt: pairs([1, -600]), newest: VIRTUAL_START });
    await time.advance(9 * MINUTE);

    await late();

    expect(run.state.cursor).toBe(VIRTUAL_START - REACH);
  });

  it('stays after a round that had to cut too often, and the next one begins in ten seconds', async () => {
    const { run, time, list, late } = setUp(
      { newestAt: pairs([1, 1]), newest: VIRTUAL_START, cursor: VIRTUAL_START - 200 * HOUR },
      { settings: { requestsPerMinute: 100_000 } },
    );
    for (let id = 1; id <= 200; id += 1) list.add(id, VIRTUAL_START - id * HOUR);
    list.knobs.failing = new Set(list.groups.keys());
    await time.advance(9 * MINUTE);

    await late();

    const { dueAt, round, readAt } = run.state.lanes.late;
    expect(run.state.cursor).toBe(VIRTUAL_START - 200 * HOUR);
    expect({ dueAt, round, readAt }).toEqual({
      dueAt: time.now() + 10 * SECOND,
      round: undefined,
      readAt: undefined,
    });
  });

  it('stays while a round is not complete', async () => {
    const { run, time, list, late } = setUp({ newestAt: pairs([1, 1]), newest: VIRTUAL_START });
    await time.advance(9 * MINUTE);
    list.knobs.isDown = true;
    run.session.deadline = time.elapsed() + 20 * SECOND;

    await expect(late()).rejects.toThrow();

    expect(run.state.cursor).toBe(VIRTUAL_START - REACH);
    expect(run.state.lanes.late.round?.stack).toHaveLength(1);
  });

  it('never follows a stamp more than a minute ahead of the clock', async () => {
    const { run, list, late, fresh } = setUp();
    list.add(1, VIRTUAL_START - MINUTE, VIRTUAL_START + 30 * MINUTE);
    list.add(2, VIRTUAL_START - MINUTE, VIRTUAL_START + 50 * SECOND);

    await fresh();
    await late();

    expect(run.state.newest).toBe(VIRTUAL_START + 50 * SECOND);
    expect(run.state.newestAt.map(({ stamp }) => stamp)).toEqual([VIRTUAL_START + 50 * SECOND]);
  });

  it('goes back by the difference once the lookback was raised', async () => {
    const world = createListWorld();
    const session = world.startProcess();
    await world.tick(session);
    const { cursor } = await world.state();
    const settings = { ...world.settings, lookbackMs: world.settings.lookbackMs + 60_000 };

    await world.nextTick(world.startProcess('a', { settings }));
    const raised = await world.state();
    await world.nextTick(world.startProcess('a', { settings }));

    expect(raised.cursor).toBe(cursor - MINUTE);
    expect((await world.state()).cursor).toBe(cursor - MINUTE);
  });
});

describe('the lane `late`', () => {
  it.each([
    ['its start', -MINUTE, 0],
    ['the newest stamp', 30 * SECOND, 30 * SECOND],
  ])('reads from the cursor up to a second after %s', async (_, newest, end) => {
    const { run, list, late } = setUp({ newest: VIRTUAL_START + newest });

    await late();

    expect(list.requests).toMatchObject([
      {
        minUpdatedAt: formatInstant(VIRTUAL_START - REACH - SECOND),
        maxUpdatedAt: formatInstant(VIRTUAL_START + end + 2 * SECOND),
      },
    ]);
    expect(run.state.lanes.late).toMatchObject({ round: undefined, readAt: VIRTUAL_START });
  });

  it('finds what showed late, with a stamp of up to lookback and `settle` ago', async () => {
    const { run, time, list, late, fresh } = setUp();
    list.add(1, VIRTUAL_START - 2 * HOUR);
    for (let minute = 0; minute < 12; minute += 1) {
      list.change(1, 'OPEN', time.now());
      await fresh();
      await late();
      await time.advance(MINUTE);
    }
    list.add(2, time.now() - REACH + 5 * SECOND);

    await late();

    expect((await run.session.store.load(run.state, [2])).size).toBe(1);
  });

  it.each([
    [{ intervalMs: 5_000, lookbackMs: 300_000 }, MINUTE],
    [{ intervalMs: 5_000, lookbackMs: 60_000 }, 12 * SECOND],
    [{ intervalMs: 300_000, lookbackMs: 300_000 }, 5 * MINUTE],
  ])(
    'is due each minute, or in a fifth of a short lookback, but no more often than polls: %o',
    (pace, rhythm) => {
      expect(lateRhythm(pace)).toBe(rhythm);
    },
  );

  it('notes the newest stamp once a minute', async () => {
    const { run, time, late } = setUp({ newest: VIRTUAL_START });

    for (let turn = 0; turn < 4; turn += 1) {
      await late();
      await time.advance(20 * SECOND);
    }

    expect(run.state.newestAt.map(({ at }) => at - VIRTUAL_START)).toEqual([0, MINUTE + 150_000]);
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
    expect(run.state.lanes.late.readAt).toBe(round?.startedAt);
    expect(list.requests.length).toBeLessThan(30);
  });

  it('plans its next round by the groups of the last one', async () => {
    const { run, list, late } = setUp({ limit: 20 });
    for (let id = 1; id <= 60; id += 1)
      list.add(id, VIRTUAL_START - id * SECOND * 5, VIRTUAL_START - id * SECOND);
    run.update((state) => ({ ...state, newest: VIRTUAL_START }));
    await late();
    list.requests.length = 0;

    await late();

    expect(run.state.lanes.late.cuts).toHaveLength(4);
    expect(list.requests).toHaveLength(5);
  });
});

describe('the lane `fresh`', () => {
  it('reads from the newest stamp that it read itself, less three seconds, up to an hour after now', async () => {
    const { time, list, fresh } = setUp();
    list.add(1, VIRTUAL_START - 10 * SECOND);
    await fresh();
    await time.advance(MINUTE);

    await fresh();

    expect(list.requests.at(-1)).toMatchObject({
      minUpdatedAt: formatInstant(VIRTUAL_START - 14 * SECOND),
      maxUpdatedAt: formatInstant(time.now() - 50_000 + HOUR + SECOND),
    });
  });

  it('never begins before the cursor', async () => {
    const { run, list, fresh } = setUp();
    list.add(1, VIRTUAL_START - 10 * SECOND);
    await fresh();
    run.update((state) => ({ ...state, cursor: VIRTUAL_START - 5 * SECOND }));

    await fresh();

    expect(list.requests.at(-1)?.minUpdatedAt).toBe(formatInstant(VIRTUAL_START - 6 * SECOND));
  });

  it('reads the newest first, and leaves to `late` what takes more than twenty requests', async () => {
    const { run, list, late, fresh, now } = setUp({}, { knobs: { mostRows: 10, order: () => 0 } });
    for (let id = 1; id <= 340; id += 1) list.add(id, VIRTUAL_START - HOUR, VIRTUAL_START - id * SECOND);

    await fresh();
    const byFresh = list.requests.length;
    const known = await run.session.store.load(run.state, [1, 340]);
    await late();

    expect(byFresh).toBe(20);
    expect([...known.keys()]).toEqual([1]);
    expect((await run.session.store.load(run.state, [340])).size).toBe(1);
    expect(now()).toBeLessThan(VIRTUAL_START + 10 * MINUTE);
  });

  it('is due at the rhythm of polls', async () => {
    const { session, lanes, fresh } = setUp({}, { settings: { intervalMs: 5_000 } });

    await fresh();
    const first = lanes.fresh.dueAt();
    await fresh();

    expect([first, session.fresh.dueAt]).toEqual([VIRTUAL_START + 5 * SECOND, VIRTUAL_START + 10 * SECOND]);
  });
});
