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
import { createLateLane } from '../../../shared/lanes/poll-lanes.ts';
import { createWalkLane } from '../../../shared/lanes/walk-lanes.ts';
import type { ReturnGroupsQuery } from '../../../shared/returns-service/return-groups-query.ts';
import { isJoined } from '../../../shared/source/rhythms.ts';
import type { SourceState } from '../../../shared/source/source-state.ts';
import { VIRTUAL_START } from '../../fakes/virtual-clock.ts';
import { runs } from '../../property-runs.ts';
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
  session.deadline = Number.POSITIVE_INFINITY;
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
    expect(world.run.state.position.readAt.recent).toBe(round?.startedAt);
  });

  it.each([5_000, 60_000])('begins anew a minute after it failed: polls each %i ms', async (intervalMs) => {
    const { run, list, addMany, lanes, walk, now } = setUp({ settings: { intervalMs } });
    addMany(400, HOUR);
    list.knobs.failing = new Set(list.groups.keys());

    await walk();

    expect(run.state.lanes.recent).toMatchObject({ round: undefined, dueAt: now() + MINUTE });
    expect(run.state.position.readAt.recent).toBeUndefined();
    expect(lanes.recent.dueAt()).toBeGreaterThanOrEqual(now() + 55 * SECOND);
  });

  it.each([
    ['with the next poll, if that is cheap', {}, MINUTE],
    ['in the rhythm of the settings', { reconcileMs: 600_000 }, 10 * MINUTE],
  ])('is due again %s', async (_, settings, after) => {
    const { run, walk } = setUp({ settings });

    await walk();

    expect(run.state.lanes.recent.dueAt).toBe(VIRTUAL_START + after);
  });

  it.each([5_000, 10_000, 60_000])(
    'does not begin before the next poll, however cheap: %i ms',
    async (intervalMs) => {
      const { lanes, walk } = setUp({ settings: { intervalMs } });

      await walk();

      const after = (lanes.recent.dueAt() - VIRTUAL_START) / 1_000;
      expect(after).toBeGreaterThanOrEqual(0.9 * intervalMs);
      expect(after).toBeLessThanOrEqual(intervalMs);
    },
  );

  it('is due once its requests are a tenth of the budget since its start', async () => {
    const settings = { requestsPerMinute: 100 };
    const { run, list, addMany, walk } = setUp({ knobs: { mostRows: 10 }, settings });
    addMany(400, HOUR);
    await walk();
    list.requests.length = 0;
    const startedAt = run.now();

    await walk();

    const { dueAt, requests } = run.state.lanes.recent;
    expect(requests).toBe(list.requests.length);
    expect(dueAt - startedAt).toBe((requests / 10) * MINUTE);
    expect(requests).toBeGreaterThan(40);
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

  it('reads first what was created from a day before the origin on, and then the rest', async () => {
    const { run, list, addMany, walk } = setUp({ knobs: { mostRows: 30 } });
    addMany(100, HOUR, VIRTUAL_START - HOUR);
    const origin = VIRTUAL_START - HOUR;
    run.updatePosition((position) => ({ ...position, origin }));

    await walk();

    const isFirst = intervalsOf(list.requests).map(({ from = -Infinity }) => from >= origin - DAY);
    expect(intervalsOf(list.requests)[0]).toEqual({ from: origin - DAY, to: undefined });
    expect(isFirst).toEqual(isFirst.toSorted((a, b) => Number(b) - Number(a)));
    expect(isFirst).toContain(false);
    expect(run.recorder.counts.firstSeen).toBe(100);
  });

  it('makes first sights in a part that it has read news, while it goes on', async () => {
    const { run, list, session, time, addMany, walk, states, eventsOf } = setUp({
      knobs: { mostRows: 10, latencyMs: 1_000 },
    });
    addMany(200, HOUR, VIRTUAL_START - 2 * DAY);
    list.add(501, VIRTUAL_START - 2 * HOUR);
    session.deadline = time.elapsed() + 3 * SECOND;
    await expect(walk()).rejects.toThrow('deadline');
    session.deadline = time.elapsed() + HOUR;
    list.add(502, VIRTUAL_START - HOUR, VIRTUAL_START + SECOND);
    list.add(503, VIRTUAL_START - 9 * DAY + MINUTE, VIRTUAL_START + SECOND);
    list.add(504, VIRTUAL_START + SECOND);

    await time.run(createLateLane(run).work());
    await walk();

    await states.save({ ...run.state, version: 1 }, 0);
    const first = (await Promise.all([501, 502, 503, 504].map(eventsOf))).map(([event]) =>
      event === undefined ? 'none' : `${event.type}${'backfill' in event.data ? ' as backfill' : ''}`,
    );
    expect(first).toEqual(['none', 'return_group.created as backfill', 'none', 'return_group.created']);
    expect(run.state.baselineAt).toBeDefined();
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
  it('joined, count for both', async () => {
    const { run, addMany, walk, lanes } = setUp();
    addMany(30, 10 * DAY);
    await walk();
    const startedAt = run.now();

    await walk();

    const { readAt } = run.state.position;
    expect(readAt).toMatchObject({ recent: startedAt, older: startedAt });
    expect(lanes.older.dueAt()).toBe(Infinity);
  });

  it('apart, are divided 45 days before the last walk over older groups began', async () => {
    const { run, time, list, addMany, walk } = setUp({ settings: APART });
    addMany(100, DAY, VIRTUAL_START - 12 * HOUR);
    await walk();
    await time.advance(6 * HOUR);
    const bounds: unknown[] = [];
    const counts: number[] = [];
    for (const name of ['recent', 'older', 'recent'] as const) {
      list.requests.length = 0;
      const startedAt = run.now();
      await walk(name);
      const intervals = intervalsOf(list.requests);
      const [first, last] = [intervals[0]?.from, intervals.at(-1)?.to];
      const edge = Number(name === 'recent' ? first : last) + 45 * DAY;
      bounds.push([name, edge === startedAt ? 'its start' : edge - VIRTUAL_START]);
      counts.push(run.state.lanes[name].groups);
    }

    expect(bounds).toEqual([
      ['recent', 0],
      ['older', 'its start'],
      ['recent', (run.state.position.readAt.older ?? 0) - VIRTUAL_START],
    ]);
    expect(counts).toEqual([45, 55, 45]);
  });

  it('apart, find a change that moved no stamp of a group that turned 45 days old between them', async () => {
    const { run, time, list, addMany, walk, states, eventsOf } = setUp({ settings: APART });
    addMany(100, DAY, VIRTUAL_START - 12 * HOUR);
    list.add(200, VIRTUAL_START - 45 * DAY + HOUR);
    await walk();
    await walk('older');
    await time.advance(2 * HOUR);
    list.change(200, 'CANCELED');

    await walk('recent');

    await states.save({ ...run.state, version: 1 }, 0);
    expect((await eventsOf(200)).map(({ type }) => type)).toEqual(['return_line_item.status_changed']);
  });

  it('apart, are each due again by their own requests', async () => {
    const { run, addMany, walk } = setUp({
      knobs: { mostRows: 10 },
      settings: { ...APART, requestsPerMinute: 10 },
    });
    addMany(100, DAY, VIRTUAL_START - 12 * HOUR);
    await walk();
    const startedAt = run.now();

    await walk('older');

    const { dueAt, requests } = run.state.lanes.older;
    expect(requests).toBeGreaterThan(1);
    expect(dueAt - startedAt).toBeCloseTo(5 * requests * MINUTE, 0);
  });

  it('stay apart while they take too much to be one', async () => {
    const { run, settings, addMany, walk } = setUp({ settings: APART });
    addMany(300, DAY, VIRTUAL_START - 12 * HOUR);
    await walk();
    const apart = [isJoined(run.state, settings)];

    await walk();
    apart.push(isJoined(run.state, settings));

    expect(apart).toEqual([false, false]);
  });

  it.each([
    ['joined', {}],
    ['apart', APART],
  ])(
    '%s, forget the room of answers and their limit every twelve hours, not each time',
    async (_, settings) => {
      const { run, time, addMany, walk } = setUp({ settings });
      addMany(100, DAY);
      await walk();
      const learned = run.state.room;
      run.update((state) => ({ ...state, limit: 150 }));
      const states = [];
      for (const hours of [1, 10, 1, 1]) {
        await time.advance(hours * HOUR);
        await walk();
        states.push({ limit: run.state.limit, isForgotten: run.state.room.since > learned.since });
      }

      const [kept, forgotten] = [
        { limit: 150, isForgotten: false },
        { limit: 200, isForgotten: true },
      ];
      expect(states).toEqual([kept, kept, forgotten, forgotten]);
      expect(run.state.room.since).toBeGreaterThanOrEqual(VIRTUAL_START + 12 * HOUR);
      expect(run.state.room.since).toBeLessThan(VIRTUAL_START + 13 * HOUR);
    },
  );
});

describe('the polls check', () => {
  const CURSOR = VIRTUAL_START + 20 * MINUTE;

  /** A walk after so many known groups got stamps that polls have passed. */
  async function afterMissed(stamps: readonly Instant[]): Promise<SourceState> {
    const { run, list, time, addMany, walk } = setUp();
    addMany(10, MINUTE, VIRTUAL_START - 40 * HOUR);
    await walk();
    await time.advance(30 * MINUTE);
    const newestAt = [{ at: VIRTUAL_START, stamp: VIRTUAL_START }];
    run.updatePosition((position) => ({ ...position, cursor: CURSOR, newestAt }));
    for (const [index, stamp] of stamps.entries()) list.change(index + 1, 'CANCELED', stamp);
    await walk();
    return run.state;
  }

  it('moves the cursor back to the oldest of three or more stamps that polls had passed', async () => {
    const passed = [5, 3, 7].map((minute) => VIRTUAL_START + minute * MINUTE);

    const { position, findings } = await afterMissed(passed);

    expect(position).toMatchObject({ cursor: VIRTUAL_START + 3 * MINUTE, newestAt: [], passed: [] });
    expect(findings).toMatchObject([
      {
        ...{ code: 'polls_miss_changes', lane: 'recent', count: 3 },
        example: expect.stringContaining(formatInstant(VIRTUAL_START + 3 * MINUTE)),
      },
    ]);
  });

  it('moves it back by 26 hours at most', async () => {
    const { position } = await afterMissed([-35, -34, -33].map((hour) => VIRTUAL_START + hour * HOUR));

    expect(position.cursor).toBe(VIRTUAL_START - 26 * HOUR);
  });

  it.each([
    ['two such stamps', [5, 3]],
    ['stamps at or after the cursor', [20, 21, 22]],
  ])('leaves it where it is for %s', async (_, minutes) => {
    const { position, findings } = await afterMissed(
      minutes.map((minute) => VIRTUAL_START + minute * MINUTE),
    );

    expect({ cursor: position.cursor, findings }).toEqual({ cursor: CURSOR, findings: [] });
  });

  it('counts those of earlier walks within an hour', async () => {
    const { run, list, time, addMany, walk } = setUp();
    addMany(10, MINUTE, VIRTUAL_START - 40 * HOUR);
    await walk();
    const cursors: Instant[] = [];
    for (const id of [1, 2, 3]) {
      await time.advance(29 * MINUTE);
      run.updatePosition((position) => ({ ...position, cursor: time.now() }));
      list.change(id, 'CANCELED', time.now() - id * MINUTE);
      await walk();
      cursors.push(run.state.position.cursor - VIRTUAL_START);
    }

    const [first, second, third] = cursors.map((cursor) => Math.round(cursor / MINUTE));
    expect([first, second, third]).toEqual([29, 58, 28]);
    expect(run.state.findings).toMatchObject([{ code: 'polls_miss_changes', count: 3 }]);
  });

  it('leaves out what a place had to leave out, for polls have not passed it', async () => {
    const { run, list, time, addMany, walk } = setUp();
    addMany(10, MINUTE, VIRTUAL_START - 40 * HOUR);
    await walk();
    await time.advance(30 * MINUTE);
    const place = { axis: 'updated', from: VIRTUAL_START, to: VIRTUAL_START + 9 * MINUTE } as const;
    const places = [{ ...place, isLeftOut: true, seenAt: VIRTUAL_START, reason: '500' }];
    run.updatePosition((position) => ({ ...position, cursor: CURSOR, places }));
    for (const id of [1, 2, 3]) list.change(id, 'CANCELED', VIRTUAL_START + id * MINUTE);

    await walk();

    expect(run.state.position).toMatchObject({ cursor: CURSOR, passed: [], places: [] });
  });
});
