import { describe, expect, it, vi } from 'vitest';
import { HOUR, SECOND } from '../../../shared/instant.ts';
import type { Page, Range } from '../../../shared/reading/range.ts';
import { UNKNOWN_ROOM } from '../../../shared/reading/room.ts';
import { createRoundReader } from '../../../shared/reading/round-reader.ts';
import { type ReturnsServiceError, ValidationRejectedError } from '../../../shared/returns-service/errors.ts';
import { parseReturnGroup } from '../../../shared/returns-service/parse-return-group.ts';
import type { ReturnGroupsQuery } from '../../../shared/returns-service/return-groups-query.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { VIRTUAL_START } from '../../fakes/virtual-clock.ts';
import { type ListedGroup, type ListKnobs, rowOf, statusError } from '../list-service.ts';
import { createListWorld } from '../list-world.ts';
import { aRound } from './a-round.ts';
import { answering, readChecked, readOnce, readRound } from './read-round.ts';

const AT = VIRTUAL_START - HOUR;
const ALL: Range = { axis: 'created', from: undefined, to: undefined };
const CROWD: Range = { axis: 'created', from: AT - 2 * SECOND, to: AT + 3 * SECOND, cross: {} };
const FIRST = { number: 1, offset: 0 };

function crowd(changes: Partial<ListKnobs> = {}) {
  const world = createListWorld({
    knobs: { mostRows: 10, ...changes },
    settings: { requestsPerMinute: 100_000 },
  });
  for (let id = 1; id <= 35; id += 1) world.list.add(id, AT);
  return world;
}

/** An order that is another one at each request. */
function shuffled(): (group: ListedGroup) => number {
  const random = createSeededRandom(7);
  return () => random.next();
}

/** An answer with rows of these groups. */
function pageOf(ids: readonly (number | string)[], sentAt: number): Page {
  const form = { zoned: true, digits: 6 };
  const rows = ids.map((id) =>
    parseReturnGroup({
      ...rowOf({ id: Number(id), createdAt: AT, updatedAt: AT, status: 'OPEN' }, form),
      id,
    }),
  );
  return { rows, bytes: 300 * rows.length, largestRow: 300, sentAt, receivedAt: sentAt };
}

describe('rows that are equal on both axes', () => {
  it('are read by offset, until two passes in a row show the same, with other pages', async () => {
    const world = crowd();
    const run = world.begin();
    const passes: (readonly [number, number | undefined])[] = [];

    await world.time.run(readRound(run, [{ ...CROWD, pass: FIRST }]));

    for (const { offset = 0, limit } of world.list.requests) passes.push([offset, limit]);
    expect(await world.recorded(run.state.generation)).toHaveLength(35);
    expect(passes).toEqual([
      ...[0, 10, 20, 30, 35].map((offset) => [offset, 200]),
      ...[0, 9, 18, 27, 35].map((offset) => [offset, 9]),
    ]);
    expect(run.state.position.places).toEqual([]);
  });

  it('are asked for again past caches: an answer that was kept would prove the second pass', async () => {
    const world = crowd();
    const run = world.begin();
    const ask = vi.fn(run.ask);

    await world.time.run(readRound(answering(run, ask), [{ ...CROWD, pass: FIRST }]));

    const asked = ask.mock.calls.map(([, , options]) => options?.skipsCaches);
    expect(asked).toEqual([...Array(5).fill(false), ...Array(5).fill(true)]);
  });

  it('are proved by two passes that take several ticks of a process', async () => {
    const world = crowd();
    const run = world.begin();

    await world.time.run(readRound(run, [{ ...CROWD, pass: FIRST }], { requestsOfATick: 3 }));

    expect(world.list.requests).toHaveLength(5 + 5);
    expect(run.state.position.places).toEqual([]);
  });

  it('are not proved if another process goes on within the second pass: the third is the last one', async () => {
    const world = crowd();
    const run = world.begin();
    const context = aRound(run, [{ ...CROWD, pass: FIRST }]);
    const readOn = async (requests: number) => {
      const reader = createRoundReader(context);
      for (let count = 0; count < requests && context.round.stack.length > 0; count += 1)
        await world.time.run(reader.readNext());
    };

    await readOn(8);
    run.session.passes.clear();
    await readOn(20);

    expect(world.list.requests).toHaveLength(5 + 5 + 6);
    expect(run.state.position.places).toMatchObject([{ isLeftOut: false }]);
  });

  it.each([
    ['offsets are refused', { offsetsRefused: true }],
    ['the list ends after a window', { window: 20, order: shuffled() }],
    ['ties come in another order on each page', { order: () => Math.random() }],
    ['groups take several rows', { joins: 'copies' }],
  ] as const)('are reported and not checked if %s', async (_, changes) => {
    const world = crowd(changes);
    const run = world.begin();

    const checked = await world.time.run(readChecked(run));

    const holding = checked.filter(({ from = 0, to = Infinity }) => from <= AT && AT < to);
    expect(run.state.position.places).toMatchObject([{ axis: 'created', isLeftOut: false }]);
    expect(holding).toEqual([]);
  });
});

describe('rows that are equal on both axes, of which each group has several', () => {
  it.each(['copies', 'shipments'] as const)('are all recorded: %s', async (joins) => {
    const world = crowd({ joins });
    const run = world.begin();

    await world.time.run(readRound(run, [ALL]));

    expect(await world.recorded(run.state.generation)).toHaveLength(35);
  });
});

describe('a pass by offset', () => {
  it('goes on behind the rows of a page, also those without a readable id', async () => {
    const world = crowd();
    const page = [1, 2, 'three'];
    const run = answering(world.begin(), async () => pageOf(page, world.now()));

    const { stack } = await readOnce(run, [{ ...CROWD, pass: { number: 1, offset: 4 } }]);

    expect(stack).toEqual([{ ...CROWD, pass: { number: 1, offset: 7 } }]);
  });

  it.each([
    ['the limit at first', 1, 20, 200],
    ['0.85 of the groups that an answer can have', 2, 20, 17],
    ['0.7 of them', 3, 20, 14],
    ['at least ten', 2, 9, 9],
    ['at most the limit', 2, 400, 170],
  ])('asks for %s', async (_, number, groups, limit) => {
    const world = crowd();
    const run = world.begin({ room: { ...UNKNOWN_ROOM, groups } });

    await world.time.run(readOnce(run, [{ ...CROWD, pass: { number, offset: 5 } }]));

    expect(world.list.requests).toMatchObject([{ offset: 5, limit }]);
  });

  it.each([
    ['as long as an answer can be', 1, 20, 10, [1, 2, 3, 4, 5, 6, 7, 8, 9]],
    ['shorter', 1, 20, 9, [1, 2, 3, 4, 5, 6, 7, 8, 9]],
    ['longer than its limit', 3, 20, 4, [1, 2, 3]],
    ['of ten rows while nothing is known', 1, 0, 5, [1, 2, 3, 4]],
  ])('leaves out the group that its end may divide: %s', async (_, number, rows, groups, expected) => {
    const world = crowd();
    const ids = Array.from({ length: groups }, (_, index) => index + 1);
    const joined = pageOf(
      ids.flatMap((id) => [id, id]),
      world.now(),
    );
    const run = answering(world.begin({ room: { ...UNKNOWN_ROOM, rows } }), async () => joined);

    await readOnce(run, [{ ...CROWD, pass: { ...FIRST, number } }]);

    expect(await world.recorded(run.state.generation)).toEqual(expected);
  });

  const ONE_EACH = [[1], [2], [3]];
  const ONE_TWICE = [
    [1, 2],
    [2, 3],
  ];

  it.each<[string, number[][], number[][], boolean]>([
    ['the same groups', [[1, 2], [3]], ONE_EACH, true],
    ['fewer groups', [[1], [3]], ONE_EACH, false],
    ['other groups', [[1], [2], [4]], ONE_EACH, false],
    ['more groups', [[1], [2], [3], [4]], ONE_EACH, false],
    ['the same groups, of which this one shows one twice', ONE_EACH, ONE_TWICE, false],
  ])('that follows one with %s', async (_, before, shown, isProved) => {
    const world = crowd();
    const pages = [...before, [], ...shown, []].map((page) => pageOf(page, world.now()));
    const run = answering(world.begin(), async () => pages.shift() ?? pageOf([], world.now()));
    const context = aRound(run, [{ ...CROWD, pass: FIRST }]);
    const reader = createRoundReader(context);

    while (pages.length > 0) await reader.readNext();

    expect(context.round.stack).toEqual(isProved ? [] : [{ ...CROWD, pass: { number: 3, offset: 0 } }]);
  });

  it('that shows no group needs no other one', async () => {
    const world = crowd();
    const run = answering(world.begin(), async () => pageOf([], world.now()));

    const { stack } = await readOnce(run, [{ ...CROWD, pass: FIRST }]);

    expect(stack).toEqual([]);
    expect(run.state.position.places).toEqual([]);
  });

  it('ends, and proves nothing, where a page shows no group that the pages before it did not', async () => {
    const world = crowd();
    const asked: number[] = [];
    const run = answering(world.begin(), async (_, { offset = 0 }) => {
      asked.push(offset);
      return pageOf([1, 2, 3], world.now());
    });

    const { stack } = await readRound(run, [{ ...CROWD, pass: FIRST }]);

    expect(stack).toEqual([]);
    expect(asked).toEqual([0, 3, 0, 3, 0, 3]);
    const { axis, from, to } = CROWD;
    expect(run.state.position.places).toMatchObject([{ axis, from, to, isLeftOut: false }]);
  });

  it('is the last one if it is the third, proved or not', async () => {
    const world = crowd();
    const run = world.begin();
    const pass = { ...FIRST, number: 3 };

    const { requests } = await world.time.run(readRound(run, [{ ...CROWD, pass }]));

    expect(requests).toBe(6);
    const { axis, from, to } = CROWD;
    expect(run.state.position.places).toMatchObject([{ axis, from, to, isLeftOut: false }]);
  });
});

describe('a failure at an offset', () => {
  const REFUSED = new ValidationRejectedError('422', {});
  const PASS = { ...FIRST, offset: 10 };
  const DONE = { stack: [], places: 1, limit: 200 };
  const KEPT = { stack: [{ ...CROWD, pass: PASS }], places: 0, limit: 200 };
  const FAILED = { ...KEPT, stack: [{ ...CROWD, pass: PASS, failures: 1 }] };

  const atOffset = ({ offset = 0 }: ReturnGroupsQuery) => offset > 0;
  const withLimit = ({ limit = 0 }: ReturnGroupsQuery) => limit > 100;

  it.each<[string, typeof PASS, ReturnsServiceError, (query: ReturnGroupsQuery) => boolean, object]>([
    ['ends the passes if it is refused', PASS, REFUSED, atOffset, DONE],
    [
      'is tried again with a smaller limit if that is refused',
      PASS,
      REFUSED,
      withLimit,
      { ...KEPT, limit: 100 },
    ],
    ['counts like any other if everything is refused', PASS, REFUSED, () => true, FAILED],
    ['counts like any other if it may pass', PASS, statusError(500), atOffset, FAILED],
    [
      'counts like any other at the first page',
      FIRST,
      REFUSED,
      withLimit,
      { ...FAILED, stack: [{ ...CROWD, pass: FIRST, failures: 1 }] },
    ],
  ])('%s', async (_, pass, error, fails, expected) => {
    const world = crowd();
    const answer = { rows: [], bytes: 2, largestRow: 0, sentAt: world.now(), receivedAt: world.now() };
    const run = answering(world.begin(), async (_lane, query) => {
      if (fails(query)) throw error;
      return answer;
    });

    const { stack } = await world.time.run(readOnce(run, [{ ...CROWD, pass }]));

    const { position, limit } = run.state;
    expect({ stack, places: position.places.length, limit }).toEqual(expected);
  });
});
