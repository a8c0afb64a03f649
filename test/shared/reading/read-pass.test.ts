import { describe, expect, it } from 'vitest';
import { DAY, SECOND } from '../../../shared/instant.ts';
import type { PageRequest } from '../../../shared/reading/page.ts';
import { isShort, readPass } from '../../../shared/reading/read-pass.ts';
import {
  anUnreadableRow,
  aPage,
  aRow,
  createScriptedReader,
  idsFrom,
  pagesInTurn,
  rowsOf,
} from './some-rows.ts';
import { NOON } from './worlds.ts';

const UPDATED = { updated: { from: NOON - 60 * SECOND, to: NOON } };
const CREATED = { created: { from: NOON - 60 * SECOND, to: NOON } };

/** A list that holds still, in pages of so many rows. */
function listOf(ids: readonly number[], rows: number) {
  return ({ offset }: PageRequest) => aPage(rowsOf(...ids.slice(offset, offset + rows)));
}

const offsetsOf = ({ requests }: { requests: readonly PageRequest[] }) =>
  requests.map(({ offset }) => offset);

describe('a pass goes on', () => {
  it('three rows before the last one ended, one row in a range of creation', async () => {
    const updated = createScriptedReader(listOf(idsFrom(1, 30), 12));
    const created = createScriptedReader(listOf(idsFrom(1, 30), 12));

    await readPass(UPDATED, updated);
    await readPass(CREATED, created);

    expect(offsetsOf(updated).slice(0, 3)).toEqual([0, 9, 18]);
    expect(offsetsOf(created).slice(0, 3)).toEqual([0, 11, 22]);
  });

  it('by the rows it gets, not by those it asked for', async () => {
    const reader = createScriptedReader(listOf(idsFrom(1, 300), 20));

    const pass = await readPass(UPDATED, reader);

    expect(pass.outcome).toBe('complete');
    expect(pass.rows).toBe(300);
  });

  it('from further back, twice as far each time, where no row is known', async () => {
    const all = idsFrom(1, 60);
    const left = all.filter((id) => id <= 2 || id > 30);
    const reader = createScriptedReader((request, index) => listOf(index < 2 ? all : left, 20)(request));

    const pass = await readPass(UPDATED, reader);

    expect(pass.outcome).toBe('complete');
    expect(offsetsOf(reader).slice(0, 7)).toEqual([0, 17, 34, 28, 16, 0, 17]);
  });

  it.each([1, 2, 3, 4])('though a page holds no more than %i rows', async (rows) => {
    const reader = createScriptedReader(listOf(idsFrom(1, 9), rows));

    const pass = await readPass(UPDATED, reader);

    expect(pass).toMatchObject({ outcome: 'complete', rows: 9 });
  });

  it('through rows that are each as large as a page', async () => {
    const sizes = [1, 1, 1, 1, 9, 9, 9, 1, 1, 9, 1];
    const reader = createScriptedReader(({ offset }) => {
      const fitting = idsFrom(1, sizes.length)
        .slice(offset)
        .filter((_, index) => {
          const bytes = sizes.slice(offset, offset + index + 1).reduce((sum, size) => sum + size, 0);
          return index === 0 || bytes <= 9;
        });
      return aPage(rowsOf(...fitting));
    });

    const pass = await readPass(UPDATED, reader);

    expect(pass).toMatchObject({ outcome: 'complete', rows: sizes.length });
  });

  it('past rows that show no id', async () => {
    const rows = [...rowsOf(1, 2), ...idsFrom(1, 15).map(() => anUnreadableRow()), ...rowsOf(3, 4)];
    const reader = createScriptedReader(({ offset }) => aPage(rows.slice(offset, offset + 12)));

    const pass = await readPass(UPDATED, reader);

    expect(reader.taken.flatMap((page) => page.rows)).toEqual(expect.arrayContaining(rowsOf(1, 2, 3, 4)));
    expect(pass.rows).toBeLessThanOrEqual(4);
  });

  it('from further back as often as rows leave, while it comes upon others', async () => {
    const all = idsFrom(1, 700);
    let gone = 0;
    const reader = createScriptedReader(
      ({ offset }, index) => {
        if (index % 3 === 1 && index < 90) gone += 5;
        return aPage(rowsOf(...all.slice(gone + offset, gone + offset + 20)));
      },
      { maxPages: 200 },
    );

    const pass = await readPass(UPDATED, reader);

    expect(pass).toMatchObject({ outcome: 'complete', rows: 700 });
  });

  it.each([
    [2, [0, 2, 0, 3, 4, 5, 6, 7, 8, 9, 8]],
    [3, [0, 3, 0, 4, 5, 6, 7, 9, 7]],
    [5, [0, 5, 2, 4, 6, 9, 6]],
  ])('in few requests where a page holds no more than %i rows', async (rows, offsets) => {
    const reader = createScriptedReader(listOf(idsFrom(1, 9), rows));

    await readPass(UPDATED, reader);

    expect(offsetsOf(reader)).toEqual(offsets);
  });
});

describe('a pass is complete', () => {
  it('when nothing is behind the last row and that still is where it was', async () => {
    const reader = createScriptedReader(listOf(idsFrom(1, 25), 12));

    const pass = await readPass(UPDATED, reader);

    expect(pass).toMatchObject({ outcome: 'complete', isShifted: false, rows: 25, pages: 5 });
    expect(offsetsOf(reader)).toEqual([0, 9, 18, 25, 22]);
    expect(pass.stamps.length).toBe(25);
  });

  it('at once where the first page is empty', async () => {
    const reader = createScriptedReader(pagesInTurn([]));

    const pass = await readPass(UPDATED, reader);

    expect(pass).toEqual({ outcome: 'complete', isShifted: false, rows: 0, pages: 1, stamps: [] });
  });

  it('with a first page that was read before', async () => {
    const reader = createScriptedReader(listOf(idsFrom(1, 15), 12));
    const first = await reader.fetch({ range: UPDATED, offset: 0 });

    const pass = await readPass(UPDATED, reader, first);

    expect(pass).toMatchObject({ outcome: 'complete', rows: 15 });
    expect(offsetsOf(reader).filter((offset) => offset === 0).length).toBe(1);
    expect(reader.taken.length).toBe(reader.requests.length - 1);
  });

  it('with a short page, where short pages are trusted', async () => {
    const reader = createScriptedReader(
      ({ offset }) => aPage(rowsOf(...idsFrom(1, 15).slice(offset, offset + 12)), { bytes: 60_000 }),
      { trustsShortPages: true },
    );

    const pass = await readPass(UPDATED, reader);

    expect(pass).toMatchObject({ outcome: 'complete', rows: 15 });
    expect(offsetsOf(reader)).toEqual([0, 9]);
  });

  it('not with a short page where they are not', async () => {
    const reader = createScriptedReader(({ offset }) =>
      aPage(rowsOf(...idsFrom(1, 15).slice(offset, offset + 5)), { bytes: 900 }),
    );

    const pass = await readPass(UPDATED, reader);

    expect(pass).toMatchObject({ outcome: 'complete', rows: 15 });
  });

  it('not with an empty page behind rows that have moved up since', async () => {
    const all = idsFrom(1, 26);
    const left = all.slice(3);
    const reader = createScriptedReader((request, index) => listOf(index < 3 ? all : left, 12)(request));

    const pass = await readPass(UPDATED, reader);

    expect(pass).toMatchObject({ outcome: 'complete', rows: 26 });
  });

  it('not with an empty page where the last row had moved up, and a row without an id has moved it back', async () => {
    const [rows, large] = [rowsOf(...idsFrom(1, 19)), aRow(20)];
    const reader = createScriptedReader(({ offset }, index) => {
      const list = [rows.slice(index < 2 ? 0 : 1), index < 3 ? [] : anUnreadableRow(), large].flat();
      const [first, ...others] = list.slice(offset, offset + 12);
      return aPage(first === undefined ? [] : [first, ...others.filter((row) => row !== large)]);
    });

    const pass = await readPass({ updated: { from: UPDATED.updated.from, to: undefined } }, reader);

    expect(offsetsOf(reader).slice(0, 4)).toEqual([0, 9, 19, 16]);
    expect(pass).toMatchObject({ outcome: 'complete', rows: 20 });
  });
});

it('a row that moves up unseen as another moves back in its place makes a pass void', async () => {
  const before = rowsOf(...idsFrom(1, 36));
  const moved = aRow(3, { updatedAt: NOON - SECOND });
  const after = before.map((row, place) => (place === 2 ? rowsOf(30)[0] : place === 29 ? moved : row));
  const reader = createScriptedReader(({ offset }, index) => {
    const rows = (index === 0 ? before : after).filter((row) => row !== undefined);
    return aPage(rows.slice(offset, offset + 12));
  });

  const pass = await readPass(CREATED, reader);

  expect(pass).toMatchObject({
    outcome: 'void',
    reason: 'fewer rows were seen than the list has',
    isShifted: true,
    rows: 35,
  });
});

describe('a list that ends with rows that show no id', () => {
  it.each([1, 3])('is complete once what has an id before these %i is seen again', async (unreadable) => {
    const last = idsFrom(1, unreadable).map(() => anUnreadableRow());
    const rows = [...rowsOf(...idsFrom(1, 7)), ...last];
    const reader = createScriptedReader(({ offset }) => aPage(rows.slice(offset, offset + 6)));

    const pass = await readPass({ created: UPDATED.updated }, reader);

    expect(pass).toMatchObject({ outcome: 'complete', pages: 5 });
  });
});

describe('a list that ends with a row that looks different at each read', () => {
  it.each([1, 2])('is complete once what holds still before these %i is seen again', async (restless) => {
    const reader = createScriptedReader(({ offset }, index) => {
      const last = idsFrom(12, 11 + restless).map((id) => anUnreadableRow(id, `${id} at ${index}`));
      return aPage([...rowsOf(...idsFrom(1, 11)), ...last].slice(offset));
    });

    const pass = await readPass({ created: UPDATED.updated }, reader);

    expect(pass).toMatchObject({ outcome: 'complete', rows: 11 + restless });
    expect(pass.pages).toBeLessThanOrEqual(8);
  });
});

describe('a pass is void', () => {
  it('and tells the stamps of rows without an id, and of others, where it joined none', async () => {
    const nameless = { ...anUnreadableRow(), createdAt: NOON - DAY, updatedAt: NOON };
    const reader = createScriptedReader(({ offset }) =>
      aPage([nameless, nameless, aRow(1)].slice(offset, offset + 1)),
    );

    const pass = await readPass(UPDATED, reader);

    expect(pass).toMatchObject({ outcome: 'void' });
    expect(pass.stamps[0]).toEqual({ createdAt: NOON - DAY, updatedAt: NOON });
  });

  it('when a seam shows the order to be unstable', async () => {
    const reader = createScriptedReader(pagesInTurn(rowsOf(...idsFrom(1, 12)), rowsOf(11, 10, 12, 13)));

    const pass = await readPass(UPDATED, reader);

    expect(pass).toEqual({
      outcome: 'void',
      reason: 'rows already read came in another order',
      isShifted: false,
      rows: 13,
      pages: 2,
      stamps: pass.stamps,
    });
    expect(pass.stamps.length).toBe(12);
  });

  it('when what was seen behind the last row is out of order, though the rows before it are not', async () => {
    const pages = new Map([
      [0, rowsOf(...idsFrom(1, 5))],
      [5, rowsOf(6, 3)],
      [2, rowsOf(3, 4, 5)],
    ]);
    const reader = createScriptedReader(({ offset }) => aPage(pages.get(offset) ?? []));

    const pass = await readPass(UPDATED, reader);

    expect(pass).toMatchObject({
      outcome: 'void',
      reason: 'a row already read came after one never read',
    });
  });

  it('when rows that show no id fill whole pages, and stepping back finds no other way', async () => {
    const rows = [...rowsOf(1, 2), ...idsFrom(1, 15).map(() => anUnreadableRow()), ...rowsOf(3, 4)];
    const reader = createScriptedReader(({ offset }) => aPage(rows.slice(offset, offset + 12)));

    const pass = await readPass(UPDATED, reader);

    expect(pass).toMatchObject({
      outcome: 'void',
      reason: 'a page has no row that can be told from others',
      isShifted: false,
    });
    expect(pass.pages).toBeLessThanOrEqual(22);
  });

  it('after so many steps back as lead to its start twice, where no row with an id is both read and repeated', async () => {
    const rows = [
      ...rowsOf(1, 2),
      ...idsFrom(1, 11).map(() => anUnreadableRow()),
      ...rowsOf(...idsFrom(3, 20)),
    ];
    const reader = createScriptedReader(({ offset }) => aPage(rows.slice(offset, offset + 12)));

    const pass = await readPass(UPDATED, reader);

    expect(pass).toMatchObject({
      outcome: 'void',
      reason: 'a page has no row that can be told from others',
    });
    expect(pass.pages).toBe(22);
  });

  it('soon, where pages are of one row, and one of these shows no id', async () => {
    const rows = [...rowsOf(1, 2, 3), anUnreadableRow(), ...rowsOf(4, 5)];
    const reader = createScriptedReader(({ offset }) => aPage(rows.slice(offset, offset + 1)));

    const pass = await readPass({ created: UPDATED.updated }, reader);

    expect(pass).toMatchObject({
      outcome: 'void',
      reason: 'a page has no row that can be told from others',
    });
    expect(pass.pages).toBeLessThan(20);
  });

  it('when rows have entered before those already read', async () => {
    const reader = createScriptedReader(
      pagesInTurn(rowsOf(...idsFrom(1, 12)), rowsOf(9, 10, 11, 12), rowsOf(1)),
    );

    const pass = await readPass(UPDATED, {
      ...reader,
      fetch: async (request) => {
        const page = await reader.fetch(request);
        return request.offset === 9 ? aPage(rowsOf(9, 10, 11, 12)) : page;
      },
    });

    expect(pass).toMatchObject({ outcome: 'void', isShifted: true });
  });

  it('when even the first page holds other rows alone', async () => {
    const reader = createScriptedReader((_, index) =>
      aPage(rowsOf(...idsFrom(index * 12 + 1, index * 12 + 12))),
    );

    const pass = await readPass(UPDATED, reader);

    expect(pass).toMatchObject({ outcome: 'void', reason: 'all rows were others', isShifted: false });
    expect(offsetsOf(reader).at(-1)).toBe(0);
  });

  it('not when nothing is left of it: then it is complete', async () => {
    const reader = createScriptedReader((request, index) =>
      index === 0 ? listOf(idsFrom(1, 30), 12)(request) : aPage([]),
    );

    const pass = await readPass(UPDATED, reader);

    expect(pass.outcome).toBe('complete');
    expect(offsetsOf(reader).at(-1)).toBe(0);
  });
});

describe('rows that show no id', () => {
  const hidden = idsFrom(1, 12).map((id) => anUnreadableRow(undefined, `looks like ${id}`));

  it('prove no seam: a row that moved up behind them would be skipped', async () => {
    const before = [...hidden, ...rowsOf(...idsFrom(1, 20))];
    const after = before.slice(1);
    const reader = createScriptedReader(({ offset }, index) =>
      aPage((index === 0 ? before : after).slice(offset, offset + 12)),
    );

    const pass = await readPass(UPDATED, reader);

    expect(pass).toMatchObject({ outcome: 'void', reason: 'all rows were others', isShifted: false });
  });

  it('make a pass void only where they fill the same page twice', async () => {
    const between = idsFrom(1, 11).map(() => anUnreadableRow());
    const [before, after] = [rowsOf(1, 2), rowsOf(3, 4)];
    const reader = createScriptedReader(({ offset }, index) => {
      const list = [before, index < 6 ? between : [], index < 5 ? after : []].flat();
      return aPage(list.slice(offset, offset + 12));
    });

    const pass = await readPass(UPDATED, reader);

    expect(offsetsOf(reader).filter((offset) => offset === 9).length).toBe(2);
    expect(pass).toMatchObject({ outcome: 'complete', rows: 2 });
  });

  it('leave the pass to rows that show theirs', async () => {
    const list = [...hidden.slice(0, 2), ...rowsOf(...idsFrom(1, 20)), ...hidden.slice(0, 2)];
    const reader = createScriptedReader(({ offset }) => aPage(list.slice(offset, offset + 12)));

    const pass = await readPass(UPDATED, reader);

    expect(pass).toMatchObject({ outcome: 'complete', rows: 20 });
  });
});

describe('a pass is overlong', () => {
  it('when there are more pages than a range may have', async () => {
    const reader = createScriptedReader(listOf(idsFrom(1, 500), 12), { maxPages: 7 });

    const pass = await readPass(UPDATED, reader);

    expect(pass.outcome).toBe('overlong');
    expect(pass.pages).toBe(8);
  });

  it('not so soon in a range that is too narrow to be cut', async () => {
    const narrow = { updated: { from: NOON, to: NOON + 4 * SECOND } };
    const reader = createScriptedReader(listOf(idsFrom(1, 500), 12), { maxPages: 7 });

    const pass = await readPass(narrow, reader);

    expect(pass).toMatchObject({ outcome: 'complete', rows: 500 });
  });

  it('even there when it has more than a thousand', async () => {
    const narrow = { updated: { from: NOON, to: NOON + 4 * SECOND } };
    const reader = createScriptedReader(({ offset }) => aPage(rowsOf(...idsFrom(offset, offset + 11))));

    const pass = await readPass(narrow, reader);

    expect(pass).toMatchObject({ outcome: 'overlong', pages: 1_001 });
  });
});

describe('a page is short', () => {
  it.each([
    { rows: 9, bytes: 64 * 1024 - 1, isSo: true },
    { rows: 10, bytes: 64 * 1024 - 1, isSo: false },
    { rows: 9, bytes: 64 * 1024, isSo: false },
  ])('below ten rows and 64 KB: $rows rows of $bytes bytes', ({ rows, bytes, isSo }) => {
    expect(isShort(aPage(rowsOf(...idsFrom(1, rows)), { bytes }))).toBe(isSo);
  });
});

it('rows that change while they are read are seen in their new state or left to be read again', async () => {
  const reader = createScriptedReader(({ offset }, index) => {
    const changed = index === 0 ? NOON - 30 * SECOND : NOON - 20 * SECOND;
    const rows = idsFrom(1, 20).map((id) => aRow(id, id === 11 ? { updatedAt: changed } : {}));
    return aPage(rows.slice(offset, offset + 12));
  });

  const pass = await readPass(UPDATED, reader);

  expect(pass).toMatchObject({ outcome: 'complete', rows: 20 });
});
