import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '../../../shared/instant.ts';
import type { Range } from '../../../shared/reading/range.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { VIRTUAL_START } from '../../fakes/virtual-clock.ts';
import { runs } from '../../property-runs.ts';
import type { ListedGroup, ListKnobs } from '../list-service.ts';
import { createListWorld, type ListWorld } from '../list-world.ts';
import { readRound } from './read-round.ts';

const SINCE = VIRTUAL_START - DAY;
const ALL: Range = { axis: 'created', from: undefined, to: undefined };

const ORDERS: Readonly<Record<string, (group: ListedGroup) => number>> = {
  id: ({ id }) => id,
  'id, down': ({ id }) => -id,
  created: ({ createdAt }) => createdAt,
  'created, down': ({ createdAt }) => -createdAt,
  updated: ({ updatedAt }) => updatedAt,
  'updated, down': ({ updatedAt }) => -updatedAt,
  none: ({ id, updatedAt }) => ((id * 7_919 + updatedAt / SECOND) * 104_729) % 1_000_003,
};

/** A place that is another one at each request. */
function shuffled(): (group: ListedGroup) => number {
  const random = createSeededRandom(7);
  return () => random.next();
}

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
        const others = run.state.findings.filter(
          ({ code }) => code !== 'crowd_not_proved' || requestsOfATick > 4,
        );
        expect(others).toEqual([]);
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

  it('halves a limit that is refused, down to ten', async () => {
    const world = createListWorld({ knobs: { limitRefusedAbove: 24, mostRows: 24 } });
    world.addMany(30, MINUTE);
    const run = world.begin();

    await world.time.run(readRound(run, [ALL]));

    expect(run.state.limit).toBe(12);
    expect(await world.recorded(run.state.generation)).toHaveLength(30);
    expect(Math.min(...world.list.requests.map(({ limit = 0 }) => limit))).toBe(12);
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

describe('rows that are equal on both axes', () => {
  const crowd = (changes: Partial<ListKnobs> = {}) => {
    const world = createListWorld({
      knobs: { mostRows: 10, ...changes },
      settings: { requestsPerMinute: 100_000 },
    });
    for (let id = 1; id <= 35; id += 1) world.list.add(id, VIRTUAL_START - HOUR);
    return world;
  };

  it('are read by offset, until two passes in a row show the same, with other pages', async () => {
    const world = crowd();
    const run = world.begin();

    await world.time.run(readRound(run, [ALL]));

    expect(await world.recorded(run.state.generation)).toHaveLength(35);
    expect(world.list.requests.flatMap(({ offset = 0 }) => (offset > 0 ? [offset] : []))).toEqual([
      ...[10, 20, 30, 35],
      ...[9, 18, 27, 35],
    ]);
    expect(run.state.findings).toEqual([]);
  });

  // What a pass has shown is forgotten with the tick, so the next one seems to show new rows.
  it('are proved by two passes also if a tick ends within one', async () => {
    const world = crowd();
    const run = world.begin();

    await world.time.run(readRound(run, [ALL], { requestsOfATick: 9 }));

    expect(run.state.findings).toEqual([]);
  });

  it.each([
    ['offsets are refused', { offsetsRefused: true }],
    ['the list ends after a window', { window: 20, order: shuffled() }],
    ['ties come in another order on each page', { order: () => Math.random() }],
    ['groups take several rows', { joins: 'copies' }],
  ] as const)('are reported if %s', async (_, changes) => {
    const world = crowd(changes);
    const run = world.begin();
    const checked: Range[] = [];

    await world.time.run(
      readRound(run, [ALL], {
        lane: 'recent',
        async onComplete({ range: part }) {
          checked.push(part);
        },
      }),
    );

    expect(run.state.findings).toMatchObject([{ code: 'crowd_not_proved', lane: 'recent' }]);
    expect(checked.some((part) => within(world, part).length > 0)).toBe(false);
  });
});
