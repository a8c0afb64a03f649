import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '../../../shared/instant.ts';
import { cutAt } from '../../../shared/reading/plan-parts.ts';
import type { Range } from '../../../shared/reading/range.ts';
import { RoundFailed } from '../../../shared/reading/round-context.ts';
import type { ReturnGroupsQuery } from '../../../shared/returns-service/return-groups-query.ts';
import { VIRTUAL_START } from '../../fakes/virtual-clock.ts';
import { runs } from '../../property-runs.ts';
import { aPosition } from '../a-state.ts';
import type { ListKnobs } from '../list-service.ts';
import { createListWorld } from '../list-world.ts';
import { readChecked, readRound } from './read-round.ts';

const UPDATED: Range = { axis: 'updated', from: VIRTUAL_START - DAY, to: VIRTUAL_START + SECOND };
const CREATED: Range = { axis: 'created' };
const ABUNDANT = { requestsPerMinute: 100_000, requestTimeoutMs: 1_000 };

/** A list of groups of which some fail; all were read once before. */
async function setUp(
  failing: readonly number[],
  knobs: Partial<ListKnobs> = {},
  count = 60,
  apart = 10 * MINUTE,
) {
  const world = createListWorld({ knobs: { mostRows: 20, ...knobs }, settings: ABUNDANT });
  world.addMany(count, apart);
  const run = world.begin();
  await world.time.run(readRound(run, [CREATED]));
  for (const { id } of world.list.groups.values())
    world.list.change(id, 'CLOSED', world.now() - (count - id) * apart);
  world.list.knobs.failing = new Set(failing);
  world.list.requests.length = 0;
  const statusOf = async (id: number) => {
    const source = { source: 'acme', generation: run.state.generation };
    const snapshot = (await world.store.load(source, [id])).get(id);
    return snapshot?.projection.return_line_items?.[0]?.status;
  };
  const closed = async () => {
    const ids: number[] = [];
    for (const id of world.list.groups.keys()) if ((await statusOf(id)) === 'CLOSED') ids.push(id);
    return ids;
  };
  return { ...world, run, closed };
}

describe('a row that makes every answer with it fail', () => {
  it.each([
    ['by updated_at', UPDATED, 'error'],
    ['by updated_at, and hangs', UPDATED, 'hang'],
    ['by created_at', CREATED, 'error'],
  ] as const)('is set aside, and all others are recorded: %s', async (_, range, failsBy) => {
    const { time, run, closed } = await setUp([33], { failsBy });

    await time.run(readRound(run, [range]));

    const others = Array.from({ length: 60 }, (_, index) => index + 1).filter((id) => id !== 33);
    expect(await closed()).toEqual(others);
    expect(run.state.position.places).toMatchObject([{ axis: range.axis, reason: expect.any(String) }]);
  });

  it('is one of any rows: whichever fail, all others are recorded', async () => {
    const rows = fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 4 });
    const rhythm = fc.constantFrom(10 * MINUTE, 30 * SECOND, 2 * SECOND);
    await fc.assert(
      fc.asyncProperty(rows, fc.constantFrom(UPDATED, CREATED), rhythm, async (failing, range, apart) => {
        const { time, run, closed } = await setUp(failing, {}, 60, apart);

        await time.run(readRound(run, [range]));

        const missing = 60 - (await closed()).length;
        expect(missing).toBe(failing.length);
      }),
      { numRuns: runs(30) },
    );
  });

  it('takes a place of a few seconds on both sides', async () => {
    const { time, run, list } = await setUp([33]);

    await time.run(readRound(run, [UPDATED]));

    const [place] = run.state.position.places;
    const stamp = list.groups.get(33)?.updatedAt ?? 0;
    expect(place?.from).toBeLessThanOrEqual(stamp - 3 * SECOND);
    expect(place?.to).toBeGreaterThanOrEqual(stamp + 3 * SECOND);
    expect((place?.to ?? 0) - (place?.from ?? 0)).toBeLessThanOrEqual(12 * SECOND);
    expect(place).toMatchObject({ isLeftOut: true, seenAt: expect.any(Number) });
    expect(place?.seenAt).toBeLessThanOrEqual(time.now());
  });

  // The place has the whole interval of updates, so polls read nothing for ten minutes.
  it('takes no more than its place from a poll that was planned in parts', async () => {
    const { time, run } = await setUp([33]);
    const cuts = [20, 40].map((id) => time.now() - (60 - id) * 10 * MINUTE);

    await time.run(readRound(run, cutAt(UPDATED, cuts)));

    const [place] = run.state.position.places;
    expect((place?.to ?? 0) - (place?.from ?? 0)).toBeLessThanOrEqual(12 * SECOND);
  });

  it('takes no more than its place where another lane set it aside while its rows were read one by one', async () => {
    const { time, run, list, closed } = await setUp([33]);
    const { createdAt = 0, updatedAt = 0 } = list.groups.get(33) ?? {};
    const around = (stamp: number) => ({ from: stamp - 5 * SECOND, to: stamp + 5 * SECOND });
    run.update((state) => ({
      ...state,
      position: aPosition({
        places: [{ ...around(createdAt), axis: 'created', isLeftOut: true, seenAt: run.now(), reason: '' }],
      }),
    }));
    const few = { offset: 1, limit: 1, failing: 1, reason: 'status 500' };

    await time.run(readRound(run, [{ axis: 'updated', ...around(updatedAt), few }, UPDATED]));

    expect(run.state.position.places).toMatchObject([{ axis: 'created', ...around(createdAt) }]);
    expect((await closed()).length).toBe(59);
  });

  it('is not asked for again for ten minutes', async () => {
    const { time, run, list } = await setUp([33]);
    await time.run(readRound(run, [UPDATED]));
    list.requests.length = 0;

    await time.run(readRound(run, [UPDATED]));
    const without = list.requests.length;
    await time.advance(11 * MINUTE);
    list.knobs.failing = new Set();
    await time.run(readRound(run, [UPDATED]));

    expect(without).toBeLessThan(12);
    expect(list.requests.length).toBeGreaterThan(without);
  });

  it('is tried five times, twice, before its range is cut; the parts are tried once', async () => {
    const { time, run, list } = await setUp([33], { mostRows: 200 });

    await time.run(readRound(run, [UPDATED]));

    const proofs = (query: ReturnGroupsQuery) =>
      query.limit === 1 && query.offset === undefined && !query.maxUpdatedAt;
    const firstProof = list.requests.findIndex(proofs);
    const tries = (from: number) => {
      const { minUpdatedAt, maxUpdatedAt } = list.requests[from] ?? {};
      return list.requests.filter(
        (query) => query.minUpdatedAt === minUpdatedAt && query.maxUpdatedAt === maxUpdatedAt,
      ).length;
    };
    expect(firstProof).toBe(10);
    expect(list.requests.slice(firstProof, firstProof + 2).every(proofs)).toBe(true);
    expect(tries(0)).toBe(10);
    expect(tries(firstProof + 2)).toBe(1);
  });

  it.each(['error', 'hang'] as const)(
    'is found although no tick has the time for its tries: %s',
    async (failsBy) => {
      const world = createListWorld({ settings: { requestsPerMinute: 60, requestTimeoutMs: 2_000 } });
      world.addMany(60, 10 * MINUTE);
      const session = world.startProcess();
      for (const _ of ['baseline', 'next']) await world.nextTick(session);
      world.list.knobs.failsBy = failsBy;
      world.list.knobs.failing = new Set([33]);
      for (const id of world.list.groups.keys()) world.list.change(id, 'CLOSED', world.now() - id * SECOND);

      for (let ticks = 0; ticks < 100; ticks += 1) {
        await world.time.advance(20 * SECOND);
        await world.tick(world.startProcess(), 10_000);
      }

      const events = await Promise.all([...world.list.groups.keys()].map((id) => world.eventsOf(id)));
      const changed = events.filter((each) => each.some(({ type }) => type.endsWith('status_changed')));
      expect(changed).toHaveLength(59);
    },
  );

  it('costs its parts a quarter of the time once it has hung', async () => {
    const { time, run, list } = await setUp([33], { failsBy: 'hang' });
    const before = time.elapsed();

    await time.run(readRound(run, [UPDATED]));

    expect(run.state.position.places).toHaveLength(1);
    // All ten tries but the first, and those of the parts.
    expect(time.elapsed() - before).toBeLessThan(0.26 * SECOND * list.requests.length + MINUTE);
  });

  it('leaves its part unchecked: nothing is missed in it', async () => {
    const { time, run, list } = await setUp([33]);

    const checked = await time.run(readChecked(run));

    const stamp = list.groups.get(33)?.createdAt ?? 0;
    const holding = checked.filter(({ from = 0, to = Infinity }) => from <= stamp && stamp < to);
    expect(checked.length).toBeGreaterThan(1);
    expect(holding).toEqual([]);
  });
});

describe('a failing row of a crowd', () => {
  it('leaves the whole crowd unchecked', async () => {
    const world = createListWorld({ knobs: { mostRows: 20 }, settings: ABUNDANT });
    const second = VIRTUAL_START - 5 * HOUR;
    for (let id = 1; id <= 60; id += 1) world.list.add(id, second + id, VIRTUAL_START - id * MINUTE);
    const run = world.begin();
    await world.time.run(readRound(run, [CREATED]));
    world.list.knobs.failing = new Set([33]);

    const checked = await world.time.run(readChecked(run));

    expect(run.state.position.places).toMatchObject([{ axis: 'updated' }]);
    expect(checked.filter(({ from = 0, to = Infinity }) => from <= second && second < to)).toEqual([]);
  });
});

describe('a range that hung once', () => {
  it('has its whole time again where all answers are slow: no row of it is set aside', async () => {
    const { time, run, list, closed } = await setUp([]);
    list.knobs.latencyMs = 600;

    await time.run(readRound(run, [{ ...UPDATED, isSlow: true }]));

    expect(run.state.position.places).toEqual([]);
    expect(await closed()).toHaveLength(60);
  });
});

describe('an outage', () => {
  it('cuts nothing: the ranges wait until it is over', async () => {
    const { time, run, list, closed } = await setUp([]);
    list.knobs.isDown = true;
    const reading = readRound(run, [UPDATED]);
    const recovering = time.sleep(5 * 60_000).then(() => {
      list.knobs.isDown = false;
    });

    const [{ cuts }] = await time.run(Promise.all([reading, recovering]));

    expect(cuts).toBe(0);
    expect(run.state.position.places).toEqual([]);
    expect(await closed()).toHaveLength(60);
  });
});

describe('a round', () => {
  it('goes on while it finds the rows that fail, also in a list of which nothing is known', async () => {
    const world = createListWorld({ knobs: { mostRows: 20 }, settings: ABUNDANT });
    world.addMany(60, 10 * HOUR);
    world.list.knobs.failing = new Set([7, 14, 21, 28, 35, 42, 49, 56]);
    const run = world.begin();

    await world.time.run(readRound(run, [CREATED]));

    expect(run.state.position.places).toHaveLength(8);
  });

  it('fails after 64 cuts, once many places are set aside', async () => {
    const everyRow = Array.from({ length: 400 }, (_, index) => index + 1);
    const { time, run } = await setUp(everyRow, {}, 400, HOUR);

    const failure = await time
      .run(readRound(run, [{ axis: 'updated', from: VIRTUAL_START - 30 * DAY, to: VIRTUAL_START + DAY }]))
      .catch((thrown: unknown) => thrown);

    expect(failure).toBeInstanceOf(RoundFailed);
  });
});
