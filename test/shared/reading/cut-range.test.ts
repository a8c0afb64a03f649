import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SECOND } from '../../../shared/instant.ts';
import { cutFull, divide, NARROWEST } from '../../../shared/reading/cut-range.ts';
import { activeOf, type Interval, isWithin, type Range } from '../../../shared/reading/range.ts';
import { runs } from '../../property-runs.ts';

interface Row {
  readonly updatedAt: number;
  readonly createdAt: number;
}

const AT = 1_000 * SECOND;
const FAR = 10 ** 15;

/** Stamps near each other, in crowds and far apart, with all digits. */
const stamp = fc.oneof(
  { weight: 3, arbitrary: fc.nat(600 * SECOND) },
  { weight: 2, arbitrary: fc.nat(600).map((seconds) => seconds * SECOND) },
  { weight: 2, arbitrary: fc.nat(3 * SECOND).map((by) => 300 * SECOND + by) },
);
const rows = fc.array(fc.record({ updatedAt: stamp, createdAt: stamp }), { minLength: 1, maxLength: 40 });
const order = fc.constantFrom<((a: Row, b: Row) => number)[]>(
  () => 0,
  (a, b) => a.updatedAt - b.updatedAt,
  (a, b) => b.updatedAt - a.updatedAt,
  (a, b) => a.createdAt - b.createdAt,
);
const interval = fc
  .record({
    from: fc.option(fc.nat(600 * SECOND)),
    width: fc.option(fc.integer({ min: 1, max: 600 * SECOND })),
  })
  .map(
    ({ from, width }): Interval => ({
      from: from ?? undefined,
      to: width === null ? undefined : (from ?? 0) + width,
    }),
  );
const range = fc
  .record({
    axis: fc.constantFrom<Range['axis'][]>('updated', 'created'),
    of: interval,
    cross: fc.option(interval),
  })
  .map(({ axis, of, cross }): Range => ({ axis, ...of, ...(cross === null ? {} : { cross }) }));

function isIn(row: Row, { axis, from, to, cross = {} }: Range): boolean {
  const [main, other] = axis === 'updated' ? [row.updatedAt, row.createdAt] : [row.createdAt, row.updatedAt];
  return isWithin(main, { from, to }) && isWithin(other, cross);
}

function endsOf(of: Range) {
  const { from, to } = activeOf(of);
  return { low: from ?? 0, high: Math.max((from ?? 0) + 1, to ?? 2_000 * SECOND) };
}

function widthOf({ from = -FAR, to = FAR }: Interval): number {
  return to - from;
}

/** A range with a full answer of rows that it holds, in one of the orders. */
const fullAnswer = fc
  .record({ of: range, rows, order, first: fc.constantFrom<('newest' | 'oldest')[]>('newest', 'oldest') })
  .map((each) => ({ ...each, rows: each.rows.filter((row) => isIn(row, each.of)).toSorted(each.order) }))
  .filter((each) => each.rows.length > 0);

describe('a full answer', () => {
  it('divides its range into parts that together are exactly the range', () => {
    fc.assert(
      fc.property(
        fullAnswer,
        fc.array(fc.record({ updatedAt: stamp, createdAt: stamp })),
        (answer, others) => {
          const parts = cutFull(answer.of, answer.rows, answer.first);

          for (const row of [...answer.rows, ...others]) {
            const holding = parts.filter((part) => isIn(row, part)).length;
            expect(holding).toBe(isIn(row, answer.of) ? 1 : 0);
          }
        },
      ),
      { numRuns: runs(1_000) },
    );
  });

  it('makes each part narrower, bounded along the other axis too, or read by offset: so cutting ends', () => {
    fc.assert(
      fc.property(fullAnswer, ({ of, rows, first }) => {
        const parts = cutFull(of, rows, first);

        for (const part of parts) {
          const isBoundedToo = of.cross === undefined && part.cross !== undefined;
          const isNarrower = widthOf(activeOf(part)) < widthOf(activeOf(of)) || widthOf(part) < widthOf(of);
          expect(isBoundedToo || isNarrower || part.pass !== undefined).toBe(true);
        }
      }),
      { numRuns: runs(1_000) },
    );
  });

  it('is never cut within two seconds of an edge, unless the part is along the other axis or by offset', () => {
    fc.assert(
      fc.property(fullAnswer, ({ of, rows, first }) => {
        const { low, high } = endsOf(of);

        const parts = cutFull(of, rows, first);

        // A narrow part of a crowd is cut along its first axis, and a crowd is cut where it is.
        if (high - low < NARROWEST) return;
        if (parts.length !== 2 || parts.some(({ cross, pass }) => pass || (cross && !of.cross))) return;
        for (const part of parts) {
          const { from, to } = activeOf(part);
          expect((to ?? FAR) - (from ?? activeOf(of).from ?? -FAR)).toBeGreaterThanOrEqual(2 * SECOND);
          expect((to ?? high) - (from ?? -FAR)).toBeGreaterThanOrEqual(2 * SECOND);
        }
      }),
      { numRuns: runs(1_000) },
    );
  });

  const of: Range = { axis: 'updated', from: AT, to: AT + 100 * SECOND };
  const rowAt = (second: number, created = second): Row => ({
    updatedAt: AT + second * SECOND,
    createdAt: created * SECOND,
  });

  it('without order is cut at the middle of its rows; the newest or the oldest part is read first', () => {
    const unordered = [50, 10, 30, 20, 40].map((second) => rowAt(second));
    const [older, newer] = divide(of, [AT + 30 * SECOND]);

    expect(cutFull(of, unordered, 'newest')).toEqual([newer, older]);
    expect(cutFull(of, unordered, 'oldest')).toEqual([older, newer]);
  });

  it.each([
    ['up', [10, 20, 30, 40], 40],
    ['up', [10, 20, 20, 30, 35, 40], 35],
    ['down', [40, 30, 20, 10], 20],
    ['down', [40, 35, 30, 20, 20, 10], 20],
  ] as const)(
    'in order (%s) is cut near its last rows; the part that they fill is read first',
    (order, at, cut) => {
      const parts = cutFull(
        of,
        at.map((second) => rowAt(second)),
        order === 'up' ? 'newest' : 'oldest',
      );

      const [older, newer] = divide(of, [AT + cut * SECOND]);
      expect(parts).toEqual(order === 'up' ? [older, newer] : [newer, older]);
    },
  );

  it.each([
    ['start', [1, 0, 1.5, 4, 6], 2],
    ['end', [99, 90, 100.5, 94, 101.7], 98],
  ] as const)('near the %s of its range is cut two seconds from it', (_, at, cut) => {
    const parts = cutFull(
      of,
      at.map((second) => rowAt(second)),
      'oldest',
    );

    expect(parts).toEqual(divide(of, [AT + cut * SECOND]));
  });

  it('of an open range is cut at its rows, however late they are', () => {
    const rows = [30, 10, 50].map((second) => rowAt(second));

    const parts = cutFull({ axis: 'created' }, rows, 'oldest');

    expect(parts).toEqual([
      { axis: 'created', to: 30 * SECOND },
      { axis: 'created', from: 30 * SECOND },
    ]);
  });

  it('without a readable row is read by offset', () => {
    expect(cutFull(of, [], 'oldest')).toEqual([{ ...of, cross: {}, pass: { number: 1, offset: 0 } }]);
    expect(cutFull({ ...of, cross: { to: 5 } }, [], 'oldest')).toMatchObject([{ cross: { to: 5 } }]);
  });
});

describe('a crowd', () => {
  const of: Range = { axis: 'updated', from: 0, to: 1_000 * SECOND };
  const within = { from: 498 * SECOND, to: 503 * SECOND };
  const inSecond = (createdAt: number): Row => ({ updatedAt: 500 * SECOND + 7, createdAt });

  it('is a range of its own, from two seconds before to three after, cut at the median of the other stamps', () => {
    const rows = [9, 5, 7, 1, 3].map((minute) => inSecond(minute * 60 * SECOND));
    const far = { updatedAt: 5, createdAt: 5 };

    const parts = cutFull(of, [far, ...rows, far], 'oldest');

    const cut = 5 * 60 * SECOND;
    expect(parts).toEqual([
      { ...of, to: within.from },
      { ...of, ...within, cross: { to: cut } },
      { ...of, ...within, cross: { from: cut } },
      { ...of, from: within.to },
    ]);
  });

  it('is half of the rows, within a second of their median', () => {
    const rows = [300, 400, 499, 500, 501, 700].map((second) => ({
      updatedAt: second * SECOND,
      createdAt: 0,
    }));

    expect(cutFull(of, rows, 'oldest')).toMatchObject([
      { to: within.from },
      ...[within, within, within],
      { from: within.to },
    ]);
    expect(cutFull(of, [...rows, { updatedAt: 800 * SECOND, createdAt: 0 }], 'oldest')).toHaveLength(2);
  });

  it.each([
    [
      'start',
      2 * SECOND,
      [
        [0, 5],
        [5, 1_000],
      ],
    ],
    [
      'end',
      997 * SECOND,
      [
        [0, 995],
        [995, 1_000],
      ],
    ],
    [
      'second before its start',
      -1,
      [
        [0, 3],
        [3, 1_000],
      ],
    ],
    [
      'second after its end',
      1_000.5 * SECOND,
      [
        [0, 997],
        [997, 1_000],
      ],
    ],
  ] as const)('at the %s of its range has no empty part beside it', (_, updatedAt, expected) => {
    const rows = [9, 1, 5].map((minute) => ({ updatedAt, createdAt: minute * 60 * SECOND }));

    const parts = cutFull(of, rows, 'oldest');

    const crowd = parts.filter(({ cross }) => cross);
    expect(new Set(parts.map(({ from, to }) => `${from} ${to}`))).toEqual(
      new Set(expected.map(([from, to]) => `${from * SECOND} ${to * SECOND}`)),
    );
    expect(crowd).toHaveLength(2);
  });

  it.each([
    ['up', [1, 2, 3, 4], 4, false],
    ['down', [4, 3, 2, 1], 2, true],
  ] as const)('in order along the other stamp (%s) is cut near its last rows', (_, minutes, cut, isDown) => {
    const parts = cutFull(
      of,
      minutes.map((minute) => inSecond(minute * 60 * SECOND)),
      'newest',
    );

    const crowd = parts.flatMap(({ cross }) => (cross ? [cross] : []));
    const at = cut * 60 * SECOND;
    expect(crowd).toEqual(isDown ? [{ from: at }, { to: at }] : [{ to: at }, { from: at }]);
  });

  it('that is equal on both axes is read by offset', () => {
    const rows = Array.from({ length: 10 }, () => inSecond(60 * SECOND));

    const [, ...parts] = cutFull(of, rows, 'oldest');

    expect(parts.slice(0, 3)).toMatchObject([
      { cross: { to: 58 * SECOND } },
      { cross: { from: 58 * SECOND, to: 63 * SECOND }, pass: { number: 1, offset: 0 } },
      { cross: { from: 63 * SECOND } },
    ]);
  });

  it('is every range narrower than six seconds', () => {
    const narrow: Range = { axis: 'updated', from: 0, to: NARROWEST - 1 };
    const rows = [0, 60, 120].map((createdAt) => ({ updatedAt: 1, createdAt: createdAt * SECOND }));

    const parts = cutFull(narrow, rows, 'oldest');

    expect(parts.every(({ from, to, cross }) => from === 0 && to === NARROWEST - 1 && cross)).toBe(true);
    const spread = [0, 2, 4].map((second) => ({ updatedAt: second * SECOND, createdAt: 0 }));
    expect(cutFull({ axis: 'updated', from: 0, to: NARROWEST }, spread, 'oldest')).toHaveLength(2);
  });

  it('has parts that are no crowds: what still is one is read by offset', () => {
    const part: Range = { ...of, ...within, cross: { from: 0, to: 100 * SECOND } };
    const rows = Array.from({ length: 10 }, () => inSecond(50 * SECOND));

    const parts = cutFull(part, rows, 'oldest');

    expect(parts.map(({ cross, pass }) => [cross, pass !== undefined])).toEqual([
      [{ from: 0, to: 48 * SECOND }, false],
      [{ from: 48 * SECOND, to: 53 * SECOND }, true],
      [{ from: 53 * SECOND, to: 100 * SECOND }, false],
    ]);
  });

  const planned: Range = { ...of, cross: { from: 0, to: 100 * SECOND } };

  it('in a part of a poll is cut at the median of its updates', () => {
    const rows = [10, 5, 90, 40, 70].map((second) => ({
      updatedAt: second * SECOND,
      createdAt: 50 * SECOND,
    }));

    const parts = cutFull(planned, rows, 'oldest');

    const cross = { from: 48 * SECOND, to: 53 * SECOND };
    expect(parts).toEqual([
      { ...planned, cross: { from: 0, to: 48 * SECOND } },
      { ...of, to: 40 * SECOND, cross },
      { ...of, from: 40 * SECOND, cross },
      { ...planned, cross: { from: 53 * SECOND, to: 100 * SECOND } },
    ]);
  });

  it.each([
    ['at the start of its updates is cut two seconds after it', [0, 1, 1.9, 9, 20], 0, 1_000, 2],
    ['at the end of its updates is cut two seconds before it', [980, 985, 998.5, 999, 999.9], 0, 1_000, 998],
    ['has updates of six seconds', [0, 1.5, 3, 4.5, 5.9], 0, 6, 3],
    ['has updates of less than six seconds', [0, 1.5, 3, 4.5, 5.9], 0.5, 6, undefined],
    [
      'has half of its updates within a second of their median',
      [100, 300, 499, 500, 501, 700],
      0,
      1_000,
      undefined,
    ],
    ['has fewer than half of them there', [100, 200, 300, 499, 500, 501, 700], 0, 1_000, 499],
    ['has no end of its updates', [30, 10, 90], undefined, undefined, 30],
  ] as const)('in a part of a poll that %s', (_, updated, from, to, cut) => {
    const of: Range = {
      axis: 'updated',
      from: from === undefined ? undefined : from * SECOND,
      to: to === undefined ? undefined : to * SECOND,
      cross: { from: 48 * SECOND, to: 53 * SECOND },
    };
    const rows = updated.map((second) => ({ updatedAt: second * SECOND, createdAt: 50 * SECOND }));

    const parts = cutFull(of, rows, 'oldest');

    expect(parts).toEqual(
      cut === undefined
        ? [{ ...of, pass: { number: 1, offset: 0 } }]
        : [
            { ...of, to: cut * SECOND },
            { ...of, from: cut * SECOND },
          ],
    );
  });
});
