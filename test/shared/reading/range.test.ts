import { describe, expect, it } from 'vitest';
import { SECOND } from '../../../shared/instant.ts';
import { boundsOf, isWithin, type Range, rowsOutside } from '../../../shared/reading/range.ts';
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
  it('includes its start and excludes its end', () => {
    expect([1, 2, 3, 4].map((stamp) => isWithin(stamp, { from: 2, to: 4 }))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });
});

describe('a row outside of the range that was asked for', () => {
  it('shows if it is further out than bounds and digits explain', () => {
    const row = (updated_at: string) => parseReturnGroup({ ...sampleRow(1), updated_at });
    const rows = ['10:14:59', '10:15:01', '10:15:14', '10:15:20'].map((time) => row(`2026-11-20T${time}Z`));

    const outside = rowsOutside({ axis: 'updated', from: AT, to: AT + 10 * SECOND }, rows);

    expect(outside).toEqual([rows[0], rows[3]]);
  });
});
