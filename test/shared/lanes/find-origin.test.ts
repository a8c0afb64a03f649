// Where the feed begins: the newest stamp of the service, searched by time before anything is recorded.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY, HOUR, type Instant, MILLISECOND, MINUTE, SECOND } from '../../../shared/instant.ts';
import { findOrigin } from '../../../shared/lanes/find-origin.ts';
import { UNKNOWN_POSITION } from '../../../shared/position/position.ts';
import { VIRTUAL_START } from '../../fakes/virtual-clock.ts';
import { runs } from '../../property-runs.ts';
import type { ListedGroup } from '../list-service.ts';
import { createListWorld, type ListWorldOptions } from '../list-world.ts';

const NOW = VIRTUAL_START;
const REACH = 6 * MINUTE;
/** The end of the first interval. */
const TOP = NOW + MINUTE;

function setUp(options: ListWorldOptions = {}) {
  const world = createListWorld({
    ...options,
    settings: { requestsPerMinute: 100_000, ...options.settings },
  });
  const session = world.startProcess();
  const run = world.begin({ position: UNKNOWN_POSITION }, session);
  return {
    ...{ ...world, session, run },
    find: () => world.time.run(findOrigin(run)),
    /** Adds groups by their last updates. */
    addUpdated(...stamps: Instant[]) {
      for (const stamp of stamps) world.list.add(world.list.groups.size + 1, stamp - HOUR, stamp);
    },
  };
}

const ORDERS: Readonly<Record<string, (group: ListedGroup) => number>> = {
  'by id': ({ id }) => id,
  'newest first': ({ updatedAt }) => -updatedAt,
  'oldest first': ({ updatedAt }) => updatedAt,
  'in no order': ({ id }) => (id * 7_919) % 104_729,
};

describe('the origin', () => {
  it.each(
    Object.entries(ORDERS).flatMap(([name, order]) =>
      (
        [
          ['a second ago', SECOND, 2 * SECOND],
          ['twelve minutes ago, by a clock that is behind', 12 * MINUTE, 2 * SECOND],
          ['five hours ago, by local time without a zone', 5 * HOUR, 2 * SECOND],
          ['ninety days ago, in a store that is not used', 90 * DAY, HOUR],
        ] as const
      ).map(([when, ago, after]) => [name, when, order, ago, after] as const),
    ),
  )('is the newest stamp of a list %s, or seconds later: %s', async (_name, _when, order, ago, after) => {
    const { run, list, addUpdated, find } = setUp({ knobs: { order, mostRows: 50 } });
    addUpdated(...Array.from({ length: 300 }, (_, index) => NOW - ago - ((index * 7) % 300) * 20 * SECOND));

    await find();

    const { origin = 0, newest, cursor, newestAt } = run.state.position;
    expect(origin).toBeGreaterThanOrEqual(NOW - ago);
    expect(origin).toBeLessThanOrEqual(NOW - ago + after);
    // What an answer has shown: polls read from before it.
    expect(newest).toBeLessThanOrEqual(NOW - ago);
    expect(cursor).toBe((newest ?? 0) - REACH);
    expect(newestAt).toEqual([{ at: NOW, stamp: newest }]);
    expect(list.requests.length).toBeLessThanOrEqual(26);
  });

  it('takes two to four requests for a store that changes each minute', async () => {
    const { list, addUpdated, find } = setUp();
    addUpdated(...Array.from({ length: 300 }, (_, index) => NOW - index * MINUTE));

    await find();

    expect(list.requests.length).toBeLessThanOrEqual(4);
  });

  it('of any list is at or after all stamps, and at most two seconds after the newest', async () => {
    const seconds = fc.array(fc.nat(3_600), { minLength: 1, maxLength: 200, size: 'max' });
    await fc.assert(
      fc.asyncProperty(
        ...[seconds, fc.constantFrom(...Object.values(ORDERS)), fc.constantFrom(10, 17, 200)],
        async (ago, order, mostRows) => {
          const { run, list, addUpdated, find } = setUp({ knobs: { order, mostRows } });
          addUpdated(...ago.map((each) => NOW - each * SECOND));
          const newest = NOW - Math.min(...ago) * SECOND;

          await find();

          const { origin = 0 } = run.state.position;
          expect(origin).toBeGreaterThanOrEqual(newest);
          expect(origin).toBeLessThanOrEqual(newest + 2 * SECOND);
          expect(list.requests.length).toBeLessThanOrEqual(26);
        },
      ),
      { numRuns: runs(40) },
    );
  });

  it.each([
    ['is a stamp that is a minute ahead', [NOW - HOUR, TOP], TOP],
    [
      'is the newest of the others where stamps are further ahead',
      [NOW - HOUR, TOP + 2 * SECOND],
      NOW - HOUR,
    ],
    [
      'is that of many groups with one stamp, or up to two seconds after it',
      Array(40).fill(NOW - HOUR),
      NOW - HOUR,
    ],
  ])('%s', async (_, stamps, newest) => {
    const { run, addUpdated, find } = setUp();
    addUpdated(...stamps);

    await find();

    expect(run.state.position.origin).toBeGreaterThanOrEqual(newest);
    expect(run.state.position.origin).toBeLessThanOrEqual(newest + 2 * SECOND);
  });

  it('of an empty store lies 26 hours before the start', async () => {
    const { run, list, find } = setUp();

    await find();

    expect(run.state.position).toMatchObject({ origin: NOW - 26 * HOUR, cursor: NOW - 26 * HOUR - REACH });
    expect(list.requests.length).toBeLessThanOrEqual(12);
  });

  it.each([
    ['the end of the first interval, in which a row fails', [NOW - SECOND], NOW - SECOND, TOP],
    [
      'the end of a later interval, in which a row fails',
      [NOW - 5 * MINUTE],
      NOW - 5 * MINUTE,
      TOP - 2 * MINUTE,
    ],
    [
      'the end of the half in which a row fails',
      Array.from({ length: 30 }, (_, id) => NOW - id * SECOND),
      NOW,
      TOP,
    ],
  ])('is %s', async (_, stamps, fails, end) => {
    const { run, list, addUpdated, find } = setUp({
      knobs: { order: ORDERS['oldest first'] as () => number },
    });
    addUpdated(...stamps, NOW - DAY);
    const failing = [...list.groups.values()].filter(({ updatedAt }) => updatedAt === fails);
    list.knobs.failing = new Set(failing.map(({ id }) => id));

    await find();

    const { origin = 0 } = run.state.position;
    expect(origin).toBeGreaterThanOrEqual(fails);
    expect(origin).toBeLessThanOrEqual(end);
  });

  it('is the newest stamp where it failed only at first', async () => {
    const { run, list, addUpdated, find } = setUp();
    addUpdated(NOW - 5 * MINUTE, NOW - DAY);
    // The empty range is asked for once an interval has failed.
    const hasFailed = () => list.requests.some(({ limit }) => limit === 1);
    Object.defineProperty(list.knobs, 'failing', { get: () => new Set(hasFailed() ? [] : [1]) });

    await find();

    expect(hasFailed()).toBe(true);
    expect(run.state.position.origin).toBe(NOW - 5 * MINUTE);
  });

  it('is kept by a source that has one', async () => {
    const { run, list, find } = setUp();
    run.updatePosition((position) => ({ ...position, origin: NOW - DAY }));

    await find();

    expect(list.requests).toEqual([]);
    expect(run.state.position.origin).toBe(NOW - DAY);
  });

  it('is saved before anything is read', async () => {
    const { addUpdated, find, state } = setUp();
    addUpdated(NOW - HOUR);

    await find();

    expect((await state()).position.origin).toBe(NOW - HOUR);
  });
});

describe('the search for the origin', () => {
  it('ends with an outage, and the next tick searches again', async () => {
    const world = createListWorld();
    world.list.add(1, NOW - HOUR);
    const session = world.startProcess();
    world.list.knobs.isDown = true;

    const failed = await world.nextTick(session);
    const { position } = await world.state();
    world.list.knobs.isDown = false;
    await world.nextTick(session);

    expect(failed).toMatchObject({ polls: 0, failure: { code: 'failing' } });
    expect(position).toEqual(UNKNOWN_POSITION);
    expect((await world.state()).position.origin).toBe(NOW - HOUR);
    expect(await world.recorded()).toEqual([1]);
  });

  it('ends with an outage that begins while it halves an interval, too', async () => {
    const { run, time, list, addUpdated, find } = setUp({ knobs: { order: ({ updatedAt }) => updatedAt } });
    addUpdated(...Array.from({ length: 300 }, (_, index) => NOW - 12 * MINUTE - index * SECOND));
    const outage = (async () => {
      while (list.requests.length < 3) await time.sleep(10);
      list.knobs.isDown = true;
    })();

    const error = await find().catch((thrown: unknown) => thrown);

    await outage;
    expect(error).toMatchObject({ message: '500 for all' });
    expect(run.state.position).toEqual(UNKNOWN_POSITION);
  });

  it('goes on in the next tick of a process, which may have time for a few requests only', async () => {
    const world = createListWorld({ knobs: { latencyMs: 1_000 } });
    world.addMany(30, SECOND, NOW - 3 * DAY);
    const session = world.startProcess();

    for (let ticks = 0; ticks < 5; ticks += 1) {
      await world.tick(session, 5_000);
      await world.time.advance(SECOND);
    }

    expect((await world.state()).position.origin).toBeGreaterThanOrEqual(NOW - 3 * DAY);
  });

  it('ends with the tick, and the next one searches again', async () => {
    const world = createListWorld({ knobs: { latencyMs: 1_000 } });
    world.addMany(30, SECOND, NOW - 90 * DAY);
    const session = world.startProcess();
    await world.time.advance(MINUTE);

    const ended = await world.tick(session, 3_000);
    const { position } = await world.state();
    await world.nextTick(session);

    expect(ended).toMatchObject({ outcome: 'done', polls: 0, failure: undefined });
    expect(position).toEqual(UNKNOWN_POSITION);
    expect((await world.state()).position.origin).toBeGreaterThanOrEqual(NOW - 90 * DAY);
  });

  it('comes before the baseline', async () => {
    const world = createListWorld();
    world.addMany(30, MINUTE, NOW - HOUR);
    const session = world.startProcess();

    await world.nextTick(session);

    const walks = world.list.requests.findIndex(({ minCreatedAt }) => minCreatedAt !== undefined);
    expect(walks).toBeGreaterThanOrEqual(3);
    const { origin = 0 } = (await world.state()).position;
    expect(origin).toBeGreaterThanOrEqual(NOW - HOUR);
    expect(origin).toBeLessThanOrEqual(NOW - HOUR + 2 * SECOND);
  });
});

describe('a service whose stamps lie behind the local time', () => {
  it.each([
    ['12 minutes, by its clock', 12 * MINUTE],
    ['5 hours, because it sends local time without a zone', 5 * HOUR],
    ['26 hours, with an empty store', 26 * HOUR],
  ])('has new groups and changes published by the next poll: %s', async (_, behind) => {
    const zoned = behind !== 5 * HOUR;
    const world = createListWorld({ knobs: { stamps: { zoned, digits: 6 } } });
    const stamp = () => world.now() - behind;
    if (behind < DAY) world.addMany(30, MINUTE, stamp() - MINUTE);
    const session = world.startProcess();
    for (let minute = 0; minute < 3; minute += 1) await world.nextTick(session);

    world.list.add(900, stamp());
    const created = await world.nextTick(session);
    world.list.change(900, 'CANCELED', stamp());
    const changed = await world.nextTick(session);

    const events = await world.eventsOf(900);
    expect(events.map(({ type }) => type)).toEqual([
      'return_group.created',
      'return_line_item.created',
      'return_line_item.status_changed',
    ]);
    expect(events.map(({ data }) => data.observed.through)).toEqual(['poll', 'poll', 'poll']);
    expect(events[0]?.data).not.toHaveProperty('backfill');
    expect([created.counts.foundByWalks, changed.counts.foundByWalks]).toEqual([0, 0]);
    expect(created.polls * MILLISECOND).toBeGreaterThan(0);
  });
});
