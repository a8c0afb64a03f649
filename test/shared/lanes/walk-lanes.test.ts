import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  DAY,
  formatInstant,
  HOUR,
  type Instant,
  MINUTE,
  parseStamp,
  SECOND,
} from '../../../shared/instant.ts';
import { isJoined } from '../../../shared/lanes/rhythms.ts';
import { createWalkLane } from '../../../shared/lanes/walk-lanes.ts';
import type { ReturnGroupsQuery } from '../../../shared/returns-service/return-groups-query.ts';
import type { SourceState } from '../../../shared/source/source-state.ts';
import { VIRTUAL_START } from '../../fakes/virtual-clock.ts';
import { runs } from '../../property-runs.ts';
import { aState, lanesWith } from '../a-state.ts';
import { createListWorld, type ListWorldOptions } from '../list-world.ts';

const FAST = { requestsPerMinute: 100_000 };
/** Walks that are not joined: `recent` keeps the room that it knows. */
const APART = { requestsPerMinute: 600, reconcileMs: 1_000 };

function setUp(options: ListWorldOptions = {}) {
  const counts = { loaded: 0 };
  /** Where pieces begin. */
  const edges: Instant[] = [];
  const world = createListWorld({ ...options, settings: { ...FAST, ...options.settings } });
  const session = world.startProcess('a', {
    store: {
      ...world.store,
      load(source, groups) {
        counts.loaded += groups.length;
        return world.store.load(source, groups);
      },
      knownCreatedBetween(source, from, to) {
        edges.push(from);
        return world.store.knownCreatedBetween(source, from, to);
      },
    },
  });
  const run = world.begin({}, session);
  const lanes = { recent: createWalkLane(run, 'recent'), older: createWalkLane(run, 'older') };
  return {
    ...{ ...world, session, run, counts, edges, lanes },
    walk: (name: 'recent' | 'older' = 'recent') => world.time.run(lanes[name].work()),
  };
}

function bound(text: string | undefined): Instant | undefined {
  return text === undefined ? undefined : parseStamp(text)?.instant;
}

/** The intervals that were asked for, without their overlap. */
function intervalsOf(queries: readonly ReturnGroupsQuery[]) {
  return queries.map(({ minCreatedAt, maxCreatedAt }) => {
    const [from, to] = [bound(minCreatedAt), bound(maxCreatedAt)];
    return { from: from && from + SECOND, to: to && to - SECOND };
  });
}

describe('a walk over known groups', () => {
  it('reads pieces that never end within a second of known groups', async () => {
    const seconds = fc.array(fc.nat(400), { minLength: 30, maxLength: 150, size: 'max' });
    await fc.assert(
      fc.asyncProperty(seconds, async (created) => {
        const { list, edges, walk } = setUp({ knobs: { mostRows: 20 } });
        for (const [index, second] of created.entries())
          list.add(index + 1, VIRTUAL_START - HOUR + second * SECOND + index * 1_000);
        await walk();
        edges.length = 0;

        await walk();

        const inner = edges.filter((edge) => Number.isFinite(edge));
        expect(inner.length).toBeGreaterThan(0);
        for (const edge of inner) expect(edge % SECOND).toBe(0);
      }),
      { numRuns: runs(10) },
    );
  });

  it('ends a piece in a gap of four seconds, if one is near', async () => {
    const { list, walk } = setUp({ knobs: { mostRows: 20 }, settings: APART });
    for (let id = 1; id <= 60; id += 1)
      list.add(id, VIRTUAL_START - HOUR + id * SECOND + (id > 17 ? 10 * SECOND : 0));
    await walk();
    list.requests.length = 0;

    await walk();

    expect(intervalsOf(list.requests)[0]?.to).toBe(VIRTUAL_START - HOUR + 19 * SECOND);
  });

  it('takes a request for each piece of 0.8 pages, and loads no snapshot of what its digest shows unchanged', async () => {
    const { list, counts, addMany, walk } = setUp({ knobs: { mostRows: 50 }, settings: APART });
    addMany(400, MINUTE);
    await walk();
    list.requests.length = 0;
    counts.loaded = 0;

    await walk();

    expect(list.requests.length).toBeLessThanOrEqual(12);
    expect(counts.loaded).toBe(0);
  });

  it('loads only what differs, and publishes changes that moved no stamp', async () => {
    const { run, list, counts, time, addMany, walk, eventsOf, states } = setUp({ settings: APART });
    addMany(40, MINUTE);
    await walk();
    await time.advance(10 * MINUTE);
    list.change(7, 'CANCELED');
    counts.loaded = 0;

    await walk();

    await states.save({ ...run.state, version: 1 }, 0);
    expect(counts.loaded).toBe(1);
    expect((await eventsOf(7)).map(({ type }) => type)).toEqual(['return_line_item.status_changed']);
  });

  it('is open beyond the last known group', async () => {
    const { list, addMany, walk, run } = setUp();
    addMany(5, MINUTE);
    await walk();
    list.add(6, VIRTUAL_START + 300 * DAY);

    await walk();

    expect((await run.session.store.load(run.state, [6])).size).toBe(1);
  });

  it('goes on in the next tick where its time was over', async () => {
    const world = setUp({ knobs: { mostRows: 10, latencyMs: 1_000 } });
    world.addMany(100, MINUTE);
    world.session.deadline = world.time.elapsed() + 10 * SECOND;
    await expect(world.walk()).rejects.toThrow('deadline');
    const { round } = world.run.state.lanes.recent;
    world.session.deadline = world.time.elapsed() + HOUR;
    const before = world.list.requests.length;

    await world.walk();

    expect(round?.stack.length).toBeGreaterThan(1);
    expect(world.list.requests.length - before).toBeLessThan(30);
    expect(world.run.state.lanes.recent.readAt).toBe(round?.startedAt);
  });

  it('begins anew a minute after it failed', async () => {
    const { run, list, addMany, walk, now } = setUp();
    addMany(400, HOUR);
    list.knobs.failing = new Set(list.groups.keys());

    await walk();

    expect(run.state.lanes.recent).toMatchObject({ round: undefined, readAt: undefined });
    expect(run.state.lanes.recent.dueAt).toBe(now() + MINUTE);
  });

  it('is due a rhythm after its start', async () => {
    const { run, walk } = setUp();

    await walk();

    expect(run.state.lanes.recent.dueAt).toBe(VIRTUAL_START + 10 * MINUTE);
  });
});

describe('the baseline', () => {
  it('is the first walk over all groups, and is reported once', async () => {
    const { run, addMany, walk, now } = setUp();
    addMany(30, 10 * DAY);

    await walk();
    const reports = run.state.feedReports;
    await walk();

    expect(reports).toMatchObject([
      { type: 'feed.baseline_completed', object: { type: 'baseline', mode: 'silent', groups: 30 } },
    ]);
    expect(run.state.feedReports).toBe(reports);
    expect(run.state.baselineAt).toBeLessThan(now());
  });

  it('counts groups that the index does not show yet', async () => {
    const { run, addMany, walk, store } = setUp();
    Object.assign(store, { async *knownCreatedBetween() {} });
    addMany(30, 10 * DAY);

    await walk();

    expect(run.state.feedReports).toMatchObject([{ object: { type: 'baseline', groups: 30 } }]);
  });

  it.each([
    ['by id', 1],
    ['newest first', -1],
  ])('takes at most three requests for a page of groups in a list %s', async (_, sign) => {
    const { list, addMany, walk } = setUp({ knobs: { mostRows: 100, order: ({ id }) => sign * id } });
    addMany(1_000, HOUR);

    await walk();

    expect(list.requests.length).toBeLessThanOrEqual(3 * 10);
  });
});

describe('the walks over recent and older groups', () => {
  it('are one while both take less than a tenth of a cycle’s budget', () => {
    const pace = { reconcileMs: 600_000, requestsPerMinute: 60 };
    const withGroups = (groups: number) =>
      aState({
        ...{ baselineAt: 1, room: { rows: 100, groups: 100, planned: 100, bytes: 0, rowBytes: 0 } },
        lanes: lanesWith({ recent: { groups: 100 }, older: { groups: groups - 100 } }),
      });

    expect([isJoined(withGroups(4_700), pace), isJoined(withGroups(4_900), pace)]).toEqual([true, false]);
  });

  it('joined, count for both, and forget what room answers have', async () => {
    const { run, addMany, walk, lanes } = setUp();
    addMany(30, 10 * DAY);
    await walk();
    run.update((state) => ({ ...state, limit: 50 }));

    await walk();

    const { recent, older } = run.state.lanes;
    expect(older.readAt).toBe(recent.readAt);
    expect(lanes.older.dueAt()).toBe(Infinity);
    expect(run.state.limit).toBe(200);
  });

  it('apart, are divided 45 days before their start', async () => {
    const { run, list, addMany, walk, lanes } = setUp({ settings: APART });
    addMany(100, DAY, VIRTUAL_START - 12 * HOUR);
    await walk();
    list.requests.length = 0;

    await walk('recent');
    await walk('older');

    const [recent, older] = intervalsOf(list.requests);
    expect(recent).toMatchObject({ from: expect.any(Number), to: undefined });
    expect(older).toMatchObject({ from: undefined, to: expect.any(Number) });
    expect(Math.abs(Number(recent?.from) - Number(older?.to))).toBeLessThan(SECOND);
    expect([run.state.lanes.recent.groups, run.state.lanes.older.groups]).toEqual([45, 55]);
    expect(lanes.older.dueAt()).toBeGreaterThan(run.now() + 11 * HOUR);
  });

  it('stay apart while they take too much to be one', async () => {
    const { run, addMany, walk } = setUp({ settings: APART });
    addMany(300, DAY, VIRTUAL_START - 12 * HOUR);
    await walk();
    const apart = [isJoined(run.state, APART)];

    await walk();
    apart.push(isJoined(run.state, APART));

    expect(apart).toEqual([false, false]);
  });

  it('apart, the room of answers is forgotten at each start of `older` only', async () => {
    const { run, addMany, walk } = setUp({ settings: APART });
    addMany(100, DAY);
    await walk();
    const lower = () => run.update((state) => ({ ...state, limit: 50 }));

    lower();
    await walk('recent');
    const afterRecent = run.state.limit;
    await walk('older');

    expect([afterRecent, run.state.limit]).toEqual([50, 200]);
  });
});

describe('the polls check', () => {
  const CURSOR = VIRTUAL_START + 20 * MINUTE;

  /** A walk after so many known groups got stamps that polls have passed. */
  async function afterMissed(stamps: readonly Instant[]): Promise<SourceState> {
    const { run, list, time, addMany, walk } = setUp();
    addMany(10, MINUTE, VIRTUAL_START - 40 * HOUR);
    await walk();
    await time.advance(30 * MINUTE);
    run.update((state) => ({
      ...state,
      cursor: CURSOR,
      newestAt: [{ at: VIRTUAL_START, stamp: VIRTUAL_START }],
    }));
    for (const [index, stamp] of stamps.entries()) list.change(index + 1, 'CANCELED', stamp);
    await walk();
    return run.state;
  }

  it('moves the cursor back to the oldest of three or more stamps that polls had passed', async () => {
    const passed = [5, 3, 7].map((minute) => VIRTUAL_START + minute * MINUTE);

    const { cursor, newestAt, findings } = await afterMissed(passed);

    expect({ cursor, newestAt }).toEqual({ cursor: VIRTUAL_START + 3 * MINUTE, newestAt: [] });
    expect(findings).toMatchObject([
      {
        ...{ code: 'polls_miss_changes', lane: 'recent', count: 3 },
        example: expect.stringContaining(formatInstant(VIRTUAL_START + 3 * MINUTE)),
      },
    ]);
  });

  it('moves it back by 26 hours at most', async () => {
    const { cursor } = await afterMissed([-35, -34, -33].map((hour) => VIRTUAL_START + hour * HOUR));

    expect(cursor).toBeGreaterThan(VIRTUAL_START - 26 * HOUR);
    expect(cursor).toBeLessThan(VIRTUAL_START - 25 * HOUR);
  });

  it.each([
    ['two such stamps', [5, 3]],
    ['stamps at or after the cursor', [20, 21, 22]],
  ])('leaves it where it is for %s', async (_, minutes) => {
    const { cursor, findings } = await afterMissed(minutes.map((minute) => VIRTUAL_START + minute * MINUTE));

    expect({ cursor, findings }).toEqual({ cursor: CURSOR, findings: [] });
  });
});
