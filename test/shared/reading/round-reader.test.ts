import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '../../../shared/instant.ts';
import { DeadlineReached } from '../../../shared/pacing/errors.ts';
import type { Range } from '../../../shared/reading/range.ts';
import { createRoundReader } from '../../../shared/reading/round-reader.ts';
import {
  RateLimitedError,
  RequestTimedOutError,
  UnexpectedStatusError,
  ValidationRejectedError,
} from '../../../shared/returns-service/errors.ts';
import { VIRTUAL_START } from '../../fakes/virtual-clock.ts';
import { runs } from '../../property-runs.ts';
import type { ListedGroup, ListKnobs } from '../list-service.ts';
import { createListWorld, type ListWorld } from '../list-world.ts';
import { aRound } from './a-round.ts';
import { answering, readOnce, readRound } from './read-round.ts';

const SINCE = VIRTUAL_START - DAY;
const ALL: Range = { axis: 'created', from: undefined, to: undefined };
const OF_A_DAY: Range = { axis: 'updated', from: SINCE - DAY, to: SINCE + HOUR };

const ORDERS: Readonly<Record<string, (group: ListedGroup) => number>> = {
  id: ({ id }) => id,
  'id, down': ({ id }) => -id,
  created: ({ createdAt }) => createdAt,
  'created, down': ({ createdAt }) => -createdAt,
  updated: ({ updatedAt }) => updatedAt,
  'updated, down': ({ updatedAt }) => -updatedAt,
  none: ({ id, updatedAt }) => ((id * 7_919 + updatedAt / SECOND) * 104_729) % 1_000_003,
};

/** Seconds within a day: near each other, in crowds of one second and far apart. */
const second = fc.oneof(
  { weight: 3, arbitrary: fc.nat(86_000) },
  { weight: 2, arbitrary: fc.integer({ min: 40_000, max: 40_030 }) },
  { weight: 2, arbitrary: fc.constantFrom(40_010, 70_000) },
);
const groups = fc.array(fc.tuple(second, second, fc.nat(999_999)), { maxLength: 120, size: 'max' });
const knobs = fc.record({
  order: fc.constantFrom(...Object.values(ORDERS)),
  mostRows: fc.integer({ min: 10, max: 60 }),
  limitRefusedAbove: fc.constantFrom(1_000, 199, 60),
  lowerIncluded: fc.boolean(),
  upperIncluded: fc.boolean(),
  stamps: fc.record({ zoned: fc.boolean(), digits: fc.constantFrom(0, 3, 6) }),
});
const range = fc.constantFrom<Range[]>(
  ALL,
  { axis: 'updated', from: SINCE },
  { axis: 'created', from: SINCE, to: VIRTUAL_START },
  { axis: 'updated', from: SINCE, cross: { to: SINCE + 12 * HOUR } },
);

function aWorld(
  rows: readonly (readonly [number, number, number])[],
  changes: Partial<ListKnobs>,
): ListWorld {
  const world = createListWorld({ knobs: changes, settings: { requestsPerMinute: 100_000 } });
  const digits = changes.stamps?.digits ?? 6;
  for (const [index, [created, updated, micros]] of rows.entries()) {
    const fraction = Math.floor(micros / 10 ** (6 - digits)) * 10 ** (6 - digits);
    const [first, last] = [created, updated].toSorted((a, b) => a - b);
    world.list.add(
      index + 1,
      SINCE + (first ?? 0) * SECOND + fraction,
      SINCE + (last ?? 0) * SECOND + fraction,
    );
  }
  return world;
}

/** The ids of groups in a range. */
function within(world: ListWorld, { axis, from = -Infinity, to = Infinity, cross = {} }: Range): number[] {
  const { from: min = -Infinity, to: max = Infinity } = cross;
  return [...world.list.groups.values()].flatMap(({ id, createdAt, updatedAt }) => {
    const [main, other] = axis === 'updated' ? [updatedAt, createdAt] : [createdAt, updatedAt];
    return main >= from && main < to && other >= min && other < max ? [id] : [];
  });
}

describe('a round', () => {
  it('records every row of its ranges whatever the list does, in however many ticks, and ends', async () => {
    const ticks = fc.constantFrom(1, 4, 1_000);
    await fc.assert(
      fc.asyncProperty(groups, knobs, range, ticks, async (rows, changes, of, requestsOfATick) => {
        const world = aWorld(rows, changes);
        const run = world.begin();

        await world.time.run(
          readRound(run, [of], { first: of.axis === 'created' ? 'oldest' : 'newest', requestsOfATick }),
        );

        const recorded = await world.recorded(run.state.generation);
        expect(recorded).toEqual(expect.arrayContaining(within(world, of)));
        // Crowds are not proved by passes that a tick interrupts.
        if (requestsOfATick > 4) expect(run.state.position.places).toEqual([]);
        expect(run.state.findings).toEqual([]);
      }),
      { numRuns: runs(80) },
    );
  });

  it('checks each interval of creation exactly once with all that it shows', async () => {
    await fc.assert(
      fc.asyncProperty(groups, knobs, async (rows, changes) => {
        const world = aWorld(rows, changes);
        const run = world.begin();
        const checked: Range[] = [];

        const round = readRound(run, [ALL], {
          ...{ lane: 'recent', first: 'oldest' },
          async onComplete({ range: part, shown }) {
            checked.push(part);
            expect([...shown]).toEqual(expect.arrayContaining(within(world, part)));
          },
        });
        await world.time.run(round);

        const sorted = checked.toSorted((a, b) => (a.from ?? -Infinity) - (b.from ?? -Infinity));
        expect(sorted[0]?.from).toBeUndefined();
        expect(sorted.at(-1)?.to).toBeUndefined();
        for (const [index, part] of sorted.slice(1).entries()) expect(part.from).toBe(sorted[index]?.to);
      }),
      { numRuns: runs(60) },
    );
  });

  it.each(Object.entries(ORDERS))(
    'takes at most three requests a page and a few in a list by %s',
    async (_, order) => {
      const world = createListWorld({
        knobs: { order, mostRows: 100 },
        settings: { requestsPerMinute: 100_000 },
      });
      world.addMany(1_000, MINUTE);
      const run = world.begin();

      const { requests, groups: found } = await world.time.run(readRound(run, [ALL]));

      expect(found).toBe(1_000);
      expect(requests).toBeLessThanOrEqual(33);
    },
  );

  it('keeps few ranges waiting', async () => {
    const most: number[] = [];
    for (const order of Object.values(ORDERS)) {
      const world = createListWorld({
        knobs: { order, mostRows: 10 },
        settings: { requestsPerMinute: 100_000 },
      });
      world.addMany(250, MINUTE);

      const { mostWaiting } = await world.time.run(readRound(world.begin(), [ALL]));

      most.push(mostWaiting);
    }

    expect(Math.max(...most)).toBeLessThanOrEqual(32);
  });

  it.each([
    ['halves a limit that is refused', 24, 200, 12],
    ['has no smaller limit than ten', 10, 11, 10],
  ])('%s', async (_, limitRefusedAbove, before, after) => {
    const world = createListWorld({ knobs: { limitRefusedAbove, mostRows: limitRefusedAbove } });
    world.addMany(30, MINUTE);
    const run = world.begin({ limit: before });

    await world.time.run(readRound(run, [ALL]));

    expect(run.state.limit).toBe(after);
    expect(await world.recorded(run.state.generation)).toHaveLength(30);
    expect(world.list.requests.at(-1)?.limit).toBe(after);
  });

  it('reports rows outside of the range that was asked for', async () => {
    const world = createListWorld({ knobs: { ignoresFilters: true } });
    world.addMany(5, HOUR);
    const run = world.begin();

    await world.time.run(readRound(run, [{ axis: 'updated', from: VIRTUAL_START - MINUTE }]));

    expect(run.state.findings).toMatchObject([{ code: 'filter_ignored', lane: 'late', count: 4 }]);
  });
});

describe('a join that shows a group in several rows', () => {
  const COUNTS_GROUPS = { joins: 'copies', mostRows: 10 } as const;
  const COUNTS_ROWS = { joins: 'shipments', mostRows: 15 } as const;

  it.each([
    ['copies', COUNTS_GROUPS],
    ['a row for each shipment', COUNTS_ROWS],
  ])('loses no group: %s', async (_, knobs) => {
    const world = createListWorld({ knobs, settings: { requestsPerMinute: 100_000 } });
    world.addMany(100, 10 * MINUTE);
    const run = world.begin();

    await world.time.run(readRound(run, [ALL]));

    expect(await world.recorded(run.state.generation)).toHaveLength(100);
  });

  it('makes no event of a shipment whose row is on the next page', async () => {
    const world = createListWorld({ knobs: COUNTS_ROWS, settings: { requestsPerMinute: 100_000 } });
    world.addMany(40, 10 * MINUTE);
    const run = world.begin({ mode: 'emit' });
    await world.time.run(readRound(run, [ALL]));
    await run.cell.save();
    const before = await eventsOfAll(world);

    for (let round = 0; round < 3; round += 1) {
      await world.time.advance(2 * MINUTE);
      await world.time.run(readRound(run, [ALL]));
    }

    expect(before).toBe(160);
    expect(await eventsOfAll(world)).toBe(before);
  });

  async function eventsOfAll(world: ReturnType<typeof createListWorld>): Promise<number> {
    const events = await Promise.all([...world.list.groups.keys()].map((id) => world.eventsOf(id)));
    return events.flat().length;
  }
});

describe('a step', () => {
  it('does nothing where no range waits', async () => {
    const { list, begin } = createListWorld();

    const { requests } = await readOnce(begin(), []);

    expect(requests + list.requests.length).toBe(0);
  });

  it('asks once for the last range', async () => {
    const world = createListWorld();

    const { stack, requests } = await world.time.run(readOnce(world.begin(), [ALL, OF_A_DAY]));

    expect(stack).toEqual([ALL]);
    expect(requests).toBe(1);
    expect(world.list.requests).toHaveLength(1);
  });

  it.each([
    ['the rest of a walk', { isRest: true }, true, 1],
    ['another range of a walk', {}, true, 0],
    ['a range of a poll', { isRest: true }, false, 0],
  ])('plans before it reads: %s', async (_, changes, isWalk, plans) => {
    const world = createListWorld();
    const plan = vi.fn(async () => {});

    await world.time.run(readOnce(world.begin(), [{ ...ALL, ...changes }], isWalk ? { plan } : {}));

    expect(plan).toHaveBeenCalledTimes(plans);
    expect(world.list.requests).toHaveLength(1 - plans);
  });

  it('cuts a full answer by the rows that can be read', async () => {
    const world = createListWorld({ knobs: { mostRows: 10 } });
    world.addMany(10, MINUTE, SINCE);
    for (const id of [1, 2]) Object.assign(world.list.groups.get(id) ?? {}, { more: { created_at: 'x' } });

    const { stack, groups } = await world.time.run(readOnce(world.begin(), [OF_A_DAY]));

    // Three quarters of the readable rows.
    const cut = SINCE - MINUTE;
    expect(stack).toEqual([
      { ...OF_A_DAY, from: cut },
      { ...OF_A_DAY, to: cut },
    ]);
    expect(groups).toBe(8);
  });

  it.each([
    ['that never failed', {}, undefined, undefined],
    ['that failed once', { failures: 1 }, undefined, undefined],
    ['that failed twice', { failures: 2 }, 1, undefined],
    ['that is part of one', { failures: 1, isSuspect: true, isSlow: true }, 1, true],
  ])('tries a range %s', async (_, changes, tries, isSlow) => {
    const world = createListWorld();
    const run = world.begin();
    const ask = vi.fn(run.ask);

    await world.time.run(readOnce(answering(run, ask), [{ ...ALL, ...changes }]));

    expect(ask.mock.calls[0]?.[2]).toEqual({ tries, isSlow, range: { ...ALL, ...changes } });
  });
});

describe('a round of cached answers', () => {
  it('stands for the moment of the earliest of them', async () => {
    const world = createListWorld();
    const ages = [5 * MINUTE, 7 * MINUTE, 0];
    const ranges = [ALL, OF_A_DAY, ALL];
    const run = world.begin();
    const ask: typeof run.ask = async (...args) => {
      const page = await run.ask(...args);
      return { ...page, sentAt: page.sentAt - (ages.shift() ?? 0) };
    };
    const context = aRound(answering(run, ask), ranges);
    const reader = createRoundReader(context);

    for (const _ of ranges) await world.time.run(reader.readNext());

    expect(context.round.asOf).toBeGreaterThanOrEqual(VIRTUAL_START - 7 * MINUTE);
    expect(context.round.asOf).toBeLessThan(VIRTUAL_START - 6 * MINUTE);
    expect(context.round.startedAt).toBe(VIRTUAL_START);
  });
});

describe('a refused limit of ten', () => {
  it('counts as a failure', async () => {
    const world = createListWorld();
    const error = new ValidationRejectedError('422', {});
    const run = answering(world.begin({ limit: 10 }), () => Promise.reject(error));

    const { stack } = await world.time.run(readOnce(run, [ALL]));

    expect(stack).toEqual([{ ...ALL, failures: 1 }]);
  });
});

describe('a request that the end of the tick cuts off', () => {
  const status = new UnexpectedStatusError('500', { status: 500, retryAfterMs: undefined });
  const cutOff = (cause?: unknown) => new DeadlineReached('the tick ends', { cause });

  it.each<[string, Error, Partial<Range>, Partial<Range>]>([
    ['counts as a failure if tries of it failed', cutOff(status), {}, { failures: 1, isSlow: false }],
    ['counts beside earlier failures', cutOff(status), { failures: 1 }, { failures: 2, isSlow: false }],
    [
      'has less time the next time if it hung',
      cutOff(new RequestTimedOutError('', {})),
      {},
      { failures: 1, isSlow: true },
    ],
    ['has less time also if it fails in another way', cutOff(status), { isSlow: true }, { failures: 1 }],
    ['says nothing if there was none', cutOff(), {}, {}],
    ['says nothing if it had to wait', cutOff(new RateLimitedError('', { retryAfterMs: 1 })), {}, {}],
    ['says nothing if another error ends the tick', new Error('', { cause: status }), {}, {}],
  ])('%s', async (_, error, changes, noted) => {
    const { begin } = createListWorld();
    const run = answering(begin(), () => Promise.reject(error));
    const context = aRound(run, [{ ...ALL, ...changes }]);

    await expect(createRoundReader(context).readNext()).rejects.toBe(error);

    expect(context.round.stack).toEqual([{ ...ALL, ...changes, ...noted }]);
  });
});

describe('a walk', () => {
  it('does not count the groups, which its plan counts', async () => {
    const world = createListWorld({ knobs: { mostRows: 20 } });
    world.addMany(4, HOUR);

    const round = readRound(world.begin(), [ALL], {
      ...{ lane: 'recent', plan: async () => {}, known: async () => new Map() },
    });

    expect(await world.time.run(round)).toMatchObject({ groups: 0, requests: 1 });
  });

  /** Checks of a round by creation: each part, and how many of the groups of the crowd it shows. */
  async function checksOf(stack: readonly Range[]) {
    const world = createListWorld({ knobs: { mostRows: 20 } });
    for (let id = 1; id <= 60; id += 1) world.list.add(id, SINCE + id, SINCE + id * MINUTE);
    const checks: (readonly [Range, number, number])[] = [];
    const round = readRound(world.begin(), stack, {
      lane: 'recent',
      async onComplete({ range: part, shown, sentAt }) {
        checks.push([part, shown.size, (sentAt - VIRTUAL_START) / SECOND]);
      },
    });
    const { requests } = await world.time.run(round);
    return { checks, requests };
  }
  const [BEFORE, AFTER] = [SINCE - 2 * SECOND, SINCE + 3 * SECOND];

  it('checks a crowd when all its parts are read, by the time of the first answer', async () => {
    const { checks } = await checksOf([ALL]);

    expect(checks).toEqual([
      [{ ...ALL, to: BEFORE }, 0, expect.any(Number)],
      [{ ...ALL, from: BEFORE, to: AFTER }, 60, 0],
      [{ ...ALL, from: AFTER }, 0, expect.any(Number)],
    ]);
  });

  it('does not check a crowd of which another tick has read parts', async () => {
    const { checks, requests } = await checksOf([
      { axis: 'created', from: BEFORE, to: AFTER, cross: { from: SINCE + 20 * MINUTE } },
    ]);

    expect(requests).toBeGreaterThan(3);
    expect(checks).toEqual([]);
  });
});
