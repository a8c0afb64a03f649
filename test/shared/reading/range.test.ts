import { describe, expect, it } from 'vitest';
import { SECOND } from '../../../shared/instant.ts';
import {
  boundsOf,
  contains,
  type Interval,
  isWithin,
  type Page,
  type Range,
  rowsOutside,
  range as schema,
  withoutEnds,
} from '../../../shared/reading/range.ts';
import { parseReturnGroup } from '../../../shared/returns-service/parse-return-group.ts';
import { instantOf } from '../comparing/a-reading.ts';
import { sampleRow } from '../returns-service/sample-rows.ts';

const AT = instantOf('2026-11-20T10:15:02.123456Z');

describe('the bounds of a range', () => {
  it.each([
    [
      'with all digits',
      { zoned: true, digits: 6 },
      '2026-11-20T10:15:01.123456Z',
      '2026-11-20T10:15:13.123456Z',
    ],
    ['in whole seconds', { zoned: true, digits: 0 }, '2026-11-20T10:15:01Z', '2026-11-20T10:15:13Z'],
    ['without a zone', { zoned: false, digits: 3 }, '2026-11-20T10:15:01.123', '2026-11-20T10:15:13.123'],
  ])('are a second wider on both sides, in the form of the stamps: %s', (_, form, min, max) => {
    const range: Range = { axis: 'updated', from: AT, to: AT + 10 * SECOND };

    expect(boundsOf(range, form)).toEqual({ minUpdatedAt: min, maxUpdatedAt: max });
  });

  it('are of both stamps for a part of a crowd, and left out where it is open', () => {
    const range: Range = { axis: 'created', from: AT, cross: { to: AT } };

    expect(boundsOf(range, { zoned: true, digits: 0 })).toEqual({
      minCreatedAt: '2026-11-20T10:15:01Z',
      maxUpdatedAt: '2026-11-20T10:15:03Z',
    });
  });
});

describe('an interval', () => {
  it('is open where it has no bound', () => {
    expect([isWithin(1, {}), isWithin(1, { from: 2 }), isWithin(1, { to: 1 })]).toEqual([true, false, false]);
  });

  it('includes its start and excludes its end', () => {
    expect([1, 2, 3, 4].map((stamp) => isWithin(stamp, { from: 2, to: 4 }))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  it.each<[Interval, Interval, boolean]>([
    [{ from: 2, to: 5 }, { from: 2, to: 5 }, true],
    [{ from: 2, to: 5 }, { from: 3, to: 4 }, true],
    [{ from: 2, to: 5 }, { from: 1, to: 4 }, false],
    [{ from: 2, to: 5 }, { from: 3, to: 6 }, false],
    [{ from: 2, to: 5 }, { to: 4 }, false],
    [{ from: 2, to: 5 }, { from: 3 }, false],
    [{ from: 2 }, { from: 2 }, true],
    [{ to: 5 }, { to: 5 }, true],
    [{}, {}, true],
  ])('%j holds all of %j: %s', (outer, inner, isHeld) => {
    expect(contains(outer, inner)).toBe(isHeld);
  });
});

describe('a row outside of the range that was asked for', () => {
  const row = (updated_at: string) => parseReturnGroup({ ...sampleRow(1), updated_at });
  const range: Range = { axis: 'updated', from: AT, to: AT + 10 * SECOND };

  it('shows if it is further out than bounds and digits explain, by either stamp', () => {
    const rows = ['10:15:00.123455', '10:15:00.123456', '10:15:14.123456', '10:15:14.123457'].map((time) =>
      row(`2026-11-20T${time}Z`),
    );

    expect(rowsOutside(range, rows)).toEqual([rows[0], rows[3]]);
    expect(rowsOutside({ axis: 'created', cross: range }, rows)).toEqual([rows[0], rows[3]]);
    expect(rowsOutside({ axis: 'updated' }, rows)).toEqual([]);
  });

  it('is no row that can not be read', () => {
    expect(rowsOutside(range, [parseReturnGroup(0)])).toEqual([]);
  });
});

describe('the rows of an answer', () => {
  const [first, second, last] = [1, 2, 3].map((id) => parseReturnGroup(sampleRow(id)));
  const unreadable = parseReturnGroup({ id: 4 });
  const pageOf = (...rows: (typeof first)[]): Page => ({
    ...{ bytes: 0, largestRow: 0, sentAt: 0, receivedAt: 0 },
    rows: rows.filter((row) => row !== undefined),
  });

  it('lack the last where groups take several rows, and after an offset the first', () => {
    const page = pageOf(first, second, second, unreadable, last, last);

    expect(withoutEnds(page).rows).toEqual([first, second, second, unreadable]);
    expect(withoutEnds(page, 1).rows).toEqual([second, second, unreadable]);
    expect(withoutEnds(pageOf(unreadable, second, second, first, unreadable), 5).rows).toEqual([
      second,
      second,
      first,
    ]);
  });

  it('are all of them where each group is one row', () => {
    const page = pageOf(first, second, last);

    expect(withoutEnds(page)).toBe(page);
  });
});

describe('a range that is stored with the state', () => {
  it('is the same in the next tick', () => {
    const pass = { number: 2, offset: 10 };
    const stored: Range = {
      ...{ axis: 'created', from: 1, to: 2, cross: { from: 3, to: 4 }, isRest: true, pass },
      few: { offset: 1, limit: 4, failing: 1, reason: 'status 500' },
      ...{ failures: 1, isSuspect: true, isSlow: true },
    };

    expect(schema.parse(stored)).toEqual(stored);
    expect(schema.parse({ axis: 'updated' })).toEqual({ axis: 'updated' });
    expect(schema.safeParse({ axis: 'other' }).success).toBe(false);
  });
});
