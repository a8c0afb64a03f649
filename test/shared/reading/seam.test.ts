import { describe, expect, it } from 'vitest';
import { judgeSeam, type Place, type Places } from '../../../shared/reading/seam.ts';
import type { RowReading } from '../../../shared/returns-service/parse-return-group.ts';
import { anUnreadableRow, aRow, rowsOf } from './some-rows.ts';
import { NOON } from './worlds.ts';

const NOTHING_READ = undefined;

/** The first rows of a list in the order they were read, from place 0 on. */
function read(...rows: readonly RowReading[]): Places {
  const places = new Map<string, Place>();
  for (const [place, row] of rows.entries()) {
    if (row.kind !== 'readable') continue;
    places.set(String(row.group.id), { rank: place, place, version: String(row.updatedAt) });
  }
  return places;
}

describe('a page joins the rows read before', () => {
  it('if no row was read before', () => {
    const seam = judgeSeam(NOTHING_READ, rowsOf(1, 2, 3), 0);

    expect(seam).toEqual({ verdict: 'joined', fresh: 3, movedUp: undefined });
  });

  it('if it repeats the last rows at their places', () => {
    const seam = judgeSeam(read(...rowsOf(1, 2, 3, 4)), rowsOf(3, 4, 5, 6, 7), 2);

    expect(seam).toEqual({ verdict: 'joined', fresh: 3, movedUp: 0 });
  });

  it('if the repeated rows moved up because others left before them', () => {
    const seam = judgeSeam(read(...rowsOf(1, 2, 3, 4, 5)), rowsOf(5, 6, 7), 2);

    expect(seam).toEqual({ verdict: 'joined', fresh: 2, movedUp: 2 });
  });

  it('if some of the repeated rows left between the others', () => {
    const seam = judgeSeam(read(...rowsOf(1, 2, 3, 4, 5)), rowsOf(2, 3, 5, 6), 1);

    expect(seam).toEqual({ verdict: 'joined', fresh: 1, movedUp: 1 });
  });

  it('if it only repeats rows', () => {
    const seam = judgeSeam(read(...rowsOf(1, 2, 3, 4)), rowsOf(3, 4), 2);

    expect(seam).toEqual({ verdict: 'joined', fresh: 0, movedUp: 0 });
  });

  it.each([
    { place: 'first', page: [aRow(2, { updatedAt: NOON }), ...rowsOf(3, 4, 5)] },
    { place: 'among the known', page: [aRow(3), aRow(2, { updatedAt: NOON }), ...rowsOf(4, 5)] },
    { place: 'after one never read', page: [...rowsOf(3, 4, 5), aRow(2, { updatedAt: NOON })] },
  ])('with a row that changed since, at any place: $place', ({ page }) => {
    const seam = judgeSeam(read(...rowsOf(1, 2, 3, 4)), page, 1);

    expect(seam).toMatchObject({ verdict: 'joined', fresh: 1 });
  });

  it('with a row without an id, at any place', () => {
    const places = read(aRow(1), anUnreadableRow(), aRow(2), anUnreadableRow(), aRow(3));
    const page = [anUnreadableRow(), aRow(2), anUnreadableRow(), aRow(3), anUnreadableRow(), aRow(4)];

    const seam = judgeSeam(places, page, 1);

    expect(seam).toEqual({ verdict: 'joined', fresh: 1, movedUp: 0 });
  });

  it('by unreadable rows with an id', () => {
    const places = new Map([['7', { rank: 0, place: 0, version: '#as it was' }]]);

    const same = judgeSeam(places, [anUnreadableRow(7, 'as it was'), aRow(8)], 0);
    const changed = judgeSeam(places, [anUnreadableRow(7, 'otherwise'), aRow(8)], 0);

    expect(same).toEqual({ verdict: 'joined', fresh: 1, movedUp: 0 });
    expect(changed).toEqual({ verdict: 'apart' });
  });
});

describe('a page stands apart from the rows read before', () => {
  it.each([
    { what: 'rows never read', page: rowsOf(8, 9) },
    { what: 'rows that have changed', page: [aRow(3, { updatedAt: NOON }), aRow(5)] },
    { what: 'rows without an id', page: [anUnreadableRow()] },
    { what: 'nothing', page: [] },
  ])('if it holds $what', ({ page }) => {
    const seam = judgeSeam(read(...rowsOf(1, 2, 3, 4)), page, 4);

    expect(seam).toEqual({ verdict: 'apart' });
  });
});

it('a page stands apart if no row before it has an id', () => {
  const seam = judgeSeam(read(anUnreadableRow()), rowsOf(1, 2), 1);

  expect(seam).toEqual({ verdict: 'apart' });
});

describe('a page shows that the order is not stable', () => {
  it.each([
    { how: 'a row comes twice', page: rowsOf(3, 4, 5, 5), reason: 'a row came twice in one page' },
    {
      how: 'a row already read comes after one never read',
      page: rowsOf(3, 5, 4),
      reason: 'a row already read came after one never read',
    },
    {
      how: 'rows already read come in another order',
      page: rowsOf(4, 3, 5),
      reason: 'rows already read came in another order',
    },
  ])('if $how', ({ page, reason }) => {
    const seam = judgeSeam(read(...rowsOf(1, 2, 3, 4)), page, 1);

    expect(seam).toEqual({ verdict: 'void', reason, isShifted: false });
  });

  it('or at least that rows entered, if rows already read moved back', () => {
    const seam = judgeSeam(read(...rowsOf(1, 2, 3, 4)), rowsOf(2, 3, 4, 5), 2);

    expect(seam).toEqual({
      verdict: 'void',
      reason: 'a row already read moved back: others entered before it',
      isShifted: true,
    });
  });
});
