// Each step after a failure: the requests that it sends, and the ranges that it leaves on the stack.
import { describe, expect, it } from 'vitest';
import { DAY, formatInstant, HOUR, type Instant, MINUTE, SECOND } from '../../../shared/instant.ts';
import { DeadlineReached } from '../../../shared/pacing/errors.ts';
import { endsOf, onFailure } from '../../../shared/reading/cut-on-failure.ts';
import type { Range } from '../../../shared/reading/range.ts';
import type { Round } from '../../../shared/reading/round.ts';
import { RoundFailed } from '../../../shared/reading/round-context.ts';
import { createRoundReader } from '../../../shared/reading/round-reader.ts';
import { RequestTimedOutError, type ReturnsServiceError } from '../../../shared/returns-service/errors.ts';
import { VIRTUAL_START } from '../../fakes/virtual-clock.ts';
import { aPosition } from '../a-state.ts';
import { type ListKnobs, statusError } from '../list-service.ts';
import { createListWorld } from '../list-world.ts';
import { aRound, type RoundOptions } from './a-round.ts';
import { readRound } from './read-round.ts';

/** An instant of the day before, in seconds from its start. */
const at = (seconds: number): Instant => VIRTUAL_START - DAY + seconds * SECOND;
const ELSEWHERE = VIRTUAL_START - HOUR;
const ERROR = statusError(500, 'status 500');
const TIMEOUT = new RequestTimedOutError('no answer', {});
const TWICE: Range = { axis: 'updated', from: at(0), to: at(100), failures: 1 };
const SUSPECT = { failures: 1, isSuspect: true, isSlow: false };
const IN_MIDDLE: Range[] = [
  { ...TWICE, ...SUSPECT, to: at(50) },
  { ...TWICE, ...SUSPECT, from: at(50) },
];
const FEW = { offset: 0, limit: 16, failing: 0, reason: 'status 500' };

interface SetUp {
  /** When groups were created and last updated, in the order of their ids. */
  readonly groups?: readonly (readonly [Instant, Instant])[];
  readonly knobs?: Partial<ListKnobs>;
  readonly round?: Partial<Round>;
  readonly options?: RoundOptions;
}

/** A process that has read all groups, and a round of it. */
async function setUp(stack: readonly Range[], { groups = [], knobs, round, options }: SetUp = {}) {
  const settings = { requestsPerMinute: 100_000, requestTimeoutMs: 1_000 };
  const { time, list, begin, startProcess } = createListWorld({ settings });
  for (const [index, stamps] of groups.entries()) list.add(index + 1, ...stamps);
  const session = startProcess();
  const run = begin({}, session);
  await time.run(readRound(run, [{ axis: 'created' }]));
  list.requests.length = 0;
  Object.assign(list.knobs, knobs);
  const context = aRound(run, stack, options, round);
  const reader = createRoundReader(context);
  /** The last range of the stack fails. */
  const fail = async (error: ReturnsServiceError = ERROR) => {
    const range = context.round.stack.at(-1);
    if (range !== undefined) await time.run(onFailure(reader, range, error));
  };
  const readNext = () => time.run(reader.readNext());
  const readAll = async () => {
    for (let steps = 0; steps < 50 && context.round.stack.length > 0; steps += 1) await readNext();
  };
  /** Limits and offsets. */
  const asked = () => list.requests.map(({ limit, offset = '' }) => `${limit}+${offset}`).join(' ');
  return { time, list, session, run, context, fail, readNext, readAll, asked };
}

/** @returns the stack once the range has failed for the second time */
async function partsOf(range: Range, groups: SetUp['groups'] = []): Promise<readonly Range[]> {
  const { context, fail } = await setUp([range], { groups });
  await fail();
  return context.round.stack;
}

describe('a range that fails', () => {
  it('waits behind the others after its first failure, and its lane pauses for five seconds', async () => {
    const other: Range = { axis: 'updated', from: at(100) };
    const { time, list, context, fail } = await setUp([other, { ...TWICE, failures: undefined }]);
    const before = time.elapsed();

    await fail();

    expect(context.round.stack).toEqual([TWICE, other]);
    expect(context.round.cuts).toBe(0);
    expect(list.requests).toEqual([]);
    expect(time.elapsed() - before).toBe(5 * SECOND);
  });

  it('is cut after its second one, once requests for groups updated after next year succeed, also with its limit', async () => {
    const { time, list, context, fail } = await setUp([TWICE]);
    const minUpdatedAt = formatInstant(time.now() + 400 * DAY - SECOND);

    await fail();

    expect(list.requests[0]).toMatchObject({ minUpdatedAt });
    expect(list.requests.map(({ limit }) => limit)).toEqual([1, 1, 200]);
    expect(context.round.stack).toEqual(IN_MIDDLE);
    expect(context.round.cuts).toBe(1);
  });

  it('is not cut where the first of these requests fails', async () => {
    const { list, context, fail } = await setUp([TWICE], { knobs: { isDown: true } });

    await fail();

    expect(list.requests).toHaveLength(1);
    expect(context.round.stack).toEqual([{ ...TWICE, failures: 2 }]);
  });

  it.each([
    ['all the time after an error', undefined, ERROR, false],
    ['a quarter of it after a time-out', undefined, TIMEOUT, true],
    ['a quarter of it after an earlier time-out', true, ERROR, true],
  ] as const)('is cut into parts that have %s', async (_, wasSlow, error, isSlow) => {
    const { context, fail } = await setUp([{ ...TWICE, isSlow: wasSlow }]);

    await fail(error);

    expect(context.round.stack).toEqual(IN_MIDDLE.map((part) => ({ ...part, isSlow })));
  });

  it('is not cut after a time-out if others take longer than a quarter of its time; then it has all of it', async () => {
    const { context, fail } = await setUp([TWICE], { knobs: { latencyMs: 300 } });

    await fail(TIMEOUT);

    expect(context.round.stack).toEqual([{ ...TWICE, failures: 2 }]);
  });

  it('keeps its failures and its slowness where the tick ends meanwhile', async () => {
    const { time, session, context, fail } = await setUp([TWICE]);
    session.deadline = time.elapsed() - 1;

    await expect(fail(TIMEOUT)).rejects.toBeInstanceOf(DeadlineReached);

    expect(context.round.stack).toEqual([{ ...TWICE, failures: 2, isSlow: true }]);
  });

  it.each([
    ['is cut if 30 ranges wait with it', 30, IN_MIDDLE],
    ['is not cut if 31 do', 31, []],
  ])('%s', async (_, waiting, parts) => {
    const others = Array.from({ length: waiting - 1 }, (_, index) => ({ ...TWICE, from: at(-index) }));
    const { context, fail } = await setUp([...others, TWICE]);

    await fail();

    expect(context.round.stack.filter(({ isSuspect }) => isSuspect)).toEqual(parts);
  });

  it('is cut if the round has cut 63 times without finding a row; after 64 times the round fails', async () => {
    const before = await setUp([TWICE], { round: { cuts: 63 } });
    const after = await setUp([TWICE], { round: { cuts: 64 } });

    await before.fail();

    expect(before.context.round.cuts).toBe(64);
    const failure = await after.fail().catch((thrown: unknown) => thrown);
    expect(failure).toEqual(new RoundFailed('status 500', { cause: ERROR }));
    expect(failure).toHaveProperty('cause', ERROR);
  });
});

describe('a cut on failure', () => {
  it.each([
    ['in the middle where nothing is known', [], 50],
    ['after the known row in the middle of others', [50, 10, 30], 33],
    ['before it', [5, 30], 27],
    ['not three seconds from the start', [6, 94], 91],
    ['not three seconds from the end', [94], 91],
  ])('is %s: %j', async (_, seconds, cut) => {
    for (const axis of ['updated', 'created'] as const) {
      const range = { ...TWICE, axis };
      const groups = seconds.map((second): [Instant, Instant] =>
        axis === 'created' ? [at(second), ELSEWHERE] : [at(second) - 30 * DAY, at(second)],
      );

      const parts = await partsOf(range, groups);

      expect(parts).toEqual([
        { ...range, ...SUSPECT, to: at(cut) },
        { ...range, ...SUSPECT, from: at(cut) },
      ]);
    }
  });

  it('leaves a range of six seconds to be read row by row, three seconds wider on both sides', async () => {
    const narrow = { ...TWICE, to: at(6), pass: { number: 1, offset: 0 } };

    expect(await partsOf(narrow)).toEqual([{ ...TWICE, ...SUSPECT, from: at(-3), to: at(9), few: FEW }]);
    expect(await partsOf({ ...narrow, to: at(6) + 1 })).toHaveLength(2);
  });

  describe('of a narrow range', () => {
    const narrow: Range = { axis: 'created', from: at(0), to: at(6), failures: 1 };
    /** Groups that were created in it, the last and the first update first and in the middle. */
    const created = (count: number, from: Instant, to: Instant) =>
      Array.from({ length: count }, (_, index): [Instant, Instant] => [
        at(index / 10),
        [to, from][index - 1] ?? Math.floor((from + to) / 2) + (10 - index),
      ]);

    it.each([
      ['hours', 3 * HOUR],
      ['six seconds', 6 * SECOND],
    ])('with 21 known groups is at the median of their updates over %s', async (_, apart) => {
      const groups = created(21, ELSEWHERE, ELSEWHERE + apart);
      const cut = groups.map(([, updated]) => updated).toSorted((a, b) => a - b)[10];

      const parts = await partsOf(narrow, groups);

      expect(parts).toEqual([
        { ...narrow, ...SUSPECT, cross: { to: cut } },
        { ...narrow, ...SUSPECT, cross: { from: cut } },
      ]);
    });

    it.each<[string, Range, number, number]>([
      ['of 20 known groups', narrow, 20, 3 * HOUR],
      ['of 21 known groups that were updated in less than six seconds', narrow, 21, 6 * SECOND - 1],
      ['of updates', { ...narrow, axis: 'updated' }, 21, 3 * HOUR],
      ['of a part of a crowd', { ...narrow, cross: { from: at(0), to: at(6) } }, 21, 3 * HOUR],
    ])('is not made in one %s: its rows are read a few at a time', async (_, range, count, apart) => {
      const parts = await partsOf(range, created(count, ELSEWHERE, ELSEWHERE + apart));

      const wide = { from: at(-3), to: at(9) };
      const active = range.cross ? { cross: wide } : wide;
      expect(parts).toEqual([{ ...range, ...SUSPECT, ...active, few: FEW }]);
    });
  });
});

describe('rows that are read a few at a time', () => {
  const range: Range = { axis: 'updated', from: at(-3), to: at(9) };
  const left = { isLeftOut: true, reason: 'status 500' } as const;
  const place = { axis: 'updated', from: at(-3), to: at(9), ...left } as const;
  const forty = Array.from({ length: 40 }, (_, index): [Instant, Instant] => [at(-100), at(index / 10)]);
  const few = (changes: Partial<typeof FEW> = {}): Range => ({ ...range, few: { ...FEW, ...changes } });

  it('are fewer after a failure and more after a success; each failing request is tried twice', async () => {
    const { readAll, asked } = await setUp([few()], {
      groups: forty,
      knobs: { failing: new Set([20]) },
    });

    await readAll();

    const before = '16+ 16+16 16+16 4+16 4+16 1+16 2+17 4+19 4+19 1+19 1+19';
    expect(asked()).toBe(`${before} 1+20 2+21 4+23 8+27 16+35 16+40`);
  });

  it('become a place that is left out if some fail', async () => {
    const stack = [few({ offset: 39, limit: 1, failing: 1 })];
    const { run, context, readNext } = await setUp(stack, { groups: forty, round: { cuts: 9 } });

    await readNext();
    await readNext();

    expect(context.round).toMatchObject({ stack: [], cuts: 0 });
    expect(run.state.position.places).toEqual([{ ...place, seenAt: run.now() }]);
  });

  it('become none if all can be read, but nothing is missed in their range: it was not read at once', async () => {
    const checked: unknown[] = [];
    const onComplete = async (part: unknown) => void checked.push(part);
    const groups = Array.from({ length: 300 }, (_, id): [Instant, Instant] => [at(0), at(60 * id)]);
    const crowd: Range = { axis: 'created', from: at(-2), to: at(3) };
    const { run, context, readNext, readAll } = await setUp([crowd], { groups, options: { onComplete } });

    await readNext();
    context.update((round) => ({
      ...round,
      stack: round.stack.map((part, index) => (index === 0 ? { ...part, few: FEW } : part)),
    }));
    await readAll();

    expect(context.round.stack).toEqual([]);
    expect(run.state.position.places).toEqual([]);
    expect(checked).toEqual([]);
  });

  it.each([
    ['end where the service refuses an offset', { offsetsRefused: true }, '16+ 16+16'],
    ['do not end where it refuses their number', { limitRefusedAbove: 10 }, '16+ 4+ 8+4 16+12'],
  ])('%s', async (_, knobs, requests) => {
    const { run, readAll, asked } = await setUp([few()], { groups: forty, knobs });

    await readAll();

    expect(asked()).toBe(requests);
    expect(run.state.position.places).toEqual([]);
  });

  it('are not proved where their pages show fewer returns than they have rows', async () => {
    const { run, list, context, readNext } = await setUp([few()], { groups: forty });

    await readNext();
    list.knobs.order = ({ id }) => (id + 8) % 40;
    while (context.round.stack.length > 0) await readNext();

    expect(run.state.position.places).toMatchObject([
      { axis: 'updated', from: at(-3), to: at(9), isLeftOut: false },
    ]);
  });

  it('end at the 21st that fails', async () => {
    const last = few({ offset: 20, limit: 1, failing: 19 });
    const { run, context, readNext } = await setUp([last], {
      groups: forty,
      knobs: { failing: new Set([21, 22]) },
    });

    await readNext();
    expect(context.round.stack).toEqual([few({ offset: 21, limit: 1, failing: 20 })]);
    await readNext();

    expect(context.round.stack).toEqual([]);
    expect(run.state.position.places).toMatchObject([place]);
  });

  it.each([
    ['let the round cut as often again once some fail', 18, 0],
    ['do not once 20 places are left out', 19, 9],
  ])('%s', async (_, others, cuts) => {
    const stack = [few({ offset: 40, failing: 1 })];
    const { run, context, readNext } = await setUp(stack, { groups: forty, round: { cuts: 9 } });
    // The answer takes 50 ms: by then the first is over.
    const later = [50_000, ...Array.from({ length: others }, () => 50_001)];
    const places = later.map((after, index) => ({
      ...place,
      ...{ from: at(1_000 + index), to: at(1_001 + index) },
      seenAt: run.now() + after - 10 * MINUTE,
    }));
    run.update((state) => ({ ...state, position: aPosition({ places }) }));

    await readNext();

    expect(run.state.position.places).toHaveLength(others + 2);
    expect(context.round.cuts).toBe(cuts);
  });
});

describe('the ends of a range', () => {
  const [now, known] = [VIRTUAL_START, VIRTUAL_START - 10 * DAY];

  it.each<[string, Range, number | undefined, number, number]>([
    ['are its bounds', TWICE, undefined, at(0), at(100)],
    ['of updates are all times until an hour from now', { axis: 'updated' }, known, 0, now + HOUR],
    ['are 120 days before the first known group', { axis: 'created' }, known, known - 120 * DAY, now + HOUR],
    ['are 120 days back where none is known', { axis: 'created' }, undefined, now - 120 * DAY, now + HOUR],
    [
      'are twice as long ago as its end',
      { axis: 'created', to: now - 200 * DAY },
      known,
      now - 400 * DAY,
      now - 200 * DAY,
    ],
    [
      'are those of the other stamp in a part of a crowd',
      { ...TWICE, cross: { to: now } },
      known,
      known - 120 * DAY,
      now,
    ],
  ])('%s', async (_, of, first, from, to) => {
    const world = createListWorld({ knobs: { latencyMs: 0 } });
    if (first !== undefined) world.list.add(1, first);
    const run = world.begin();
    await world.time.run(readRound(run, [{ axis: 'created' }]));

    const ends = await endsOf(run, of);

    expect(ends).toEqual({ from, to });
  });
});
