import { describe, expect, it } from 'vitest';
import { SECOND } from '../../../shared/instant.ts';
import { PageOutOfReach } from '../../../shared/reading/page.ts';
import { isShort, readPass } from '../../../shared/reading/read-pass.ts';
import { CREATED, listOf, offsetsOf, UPDATED } from './passes.ts';
import {
  anUnreadableRow,
  aPage,
  aRow,
  createScriptedReader,
  failingFrom,
  idsFrom,
  pagesInTurn,
  rowsOf,
} from './some-rows.ts';
import { NOON } from './worlds.ts';

describe('a pass continues', () => {
  it('three rows before the end of the last page, or one row in a range of creation', async () => {
    const updated = createScriptedReader(listOf(idsFrom(1, 30), 12));
    const created = createScriptedReader(listOf(idsFrom(1, 30), 12));

    await readPass(UPDATED, updated);
    await readPass(CREATED, created);

    expect(offsetsOf(updated).slice(0, 3)).toEqual([0, 9, 18]);
    expect(offsetsOf(created).slice(0, 3)).toEqual([0, 11, 22]);
  });

  it('by the rows it receives, not by those it requested', async () => {
    const reader = createScriptedReader(listOf(idsFrom(1, 300), 20));

    const pass = await readPass(UPDATED, reader);

    expect(pass.outcome).toBe('complete');
    expect(pass.rows).toBe(300);
  });

  it('from further back, twice as far each time, if no row is known', async () => {
    const all = idsFrom(1, 60);
    const left = all.filter((id) => id <= 2 || id > 30);
    const reader = createScriptedReader((request, index) => listOf(index < 2 ? all : left, 20)(request));

    const pass = await readPass(UPDATED, reader);

    expect(pass.outcome).toBe('complete');
    expect(offsetsOf(reader).slice(0, 7)).toEqual([0, 17, 34, 28, 16, 0, 17]);
  });

  it.each([1, 2, 3, 4])('even if a page holds at most %i rows', async (rows) => {
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

  it('past rows without an id', async () => {
    const rows = [...rowsOf(1, 2), ...idsFrom(1, 15).map(() => anUnreadableRow()), ...rowsOf(3, 4)];
    const reader = createScriptedReader(({ offset }) => aPage(rows.slice(offset, offset + 12)));

    const pass = await readPass(UPDATED, reader);

    expect(reader.taken.flatMap((page) => page.rows)).toEqual(expect.arrayContaining(rowsOf(1, 2, 3, 4)));
    expect(pass.rows).toBeLessThanOrEqual(4);
  });

  it('from further back whenever rows leave, while it finds other rows', async () => {
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
  ])('in few requests if a page holds at most %i rows', async (rows, offsets) => {
    const reader = createScriptedReader(listOf(idsFrom(1, 9), rows));

    await readPass(UPDATED, reader);

    expect(offsetsOf(reader)).toEqual(offsets);
  });
});

describe('a pass is complete', () => {
  it('when nothing is behind the last row and that row is still at its place', async () => {
    const reader = createScriptedReader(listOf(idsFrom(1, 25), 12));

    const pass = await readPass(UPDATED, reader);

    expect(pass).toMatchObject({ outcome: 'complete', isShifted: false, rows: 25, pages: 5 });
    expect(offsetsOf(reader)).toEqual([0, 9, 18, 25, 22]);
    expect(pass.stamps.length).toBe(25);
  });

  it('at once if the first page is empty', async () => {
    const reader = createScriptedReader(pagesInTurn([]));

    const pass = await readPass(UPDATED, reader);

    expect(pass).toEqual({
      outcome: 'complete',
      isShifted: false,
      rows: 0,
      pages: 1,
      stamps: [],
      list: { end: 0, rows: new Map() },
    });
  });

  it('with a first page that was read before', async () => {
    const reader = createScriptedReader(listOf(idsFrom(1, 15), 12));
    const first = await reader.fetch({ range: UPDATED, offset: 0 });

    const pass = await readPass(UPDATED, reader, first);

    expect(pass).toMatchObject({ outcome: 'complete', rows: 15 });
    expect(offsetsOf(reader).filter((offset) => offset === 0).length).toBe(1);
    expect(reader.taken.length).toBe(reader.requests.length - 1);
  });

  it('with a short page if short pages are trusted', async () => {
    const reader = createScriptedReader(
      ({ offset }) => aPage(rowsOf(...idsFrom(1, 15).slice(offset, offset + 12)), { bytes: 60_000 }),
      { trustsShortPages: true },
    );

    const pass = await readPass(UPDATED, reader);

    expect(pass).toMatchObject({ outcome: 'complete', rows: 15 });
    expect(offsetsOf(reader)).toEqual([0, 9]);
  });

  it('not with a short page if short pages are not trusted', async () => {
    const reader = createScriptedReader(({ offset }) =>
      aPage(rowsOf(...idsFrom(1, 15).slice(offset, offset + 5)), { bytes: 900 }),
    );

    const pass = await readPass(UPDATED, reader);

    expect(pass).toMatchObject({ outcome: 'complete', rows: 15 });
  });

  it('not with an empty page if the rows before it have moved up since', async () => {
    const all = idsFrom(1, 26);
    const left = all.slice(3);
    const reader = createScriptedReader((request, index) => listOf(index < 3 ? all : left, 12)(request));

    const pass = await readPass(UPDATED, reader);

    expect(pass).toMatchObject({ outcome: 'complete', rows: 26 });
  });

  it('not with an empty page if the last row moved up and a row without an id moved it back', async () => {
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

describe('a pass is overlong', () => {
  it('when it has more pages than a range may have', async () => {
    const reader = createScriptedReader(listOf(idsFrom(1, 500), 12), { maxPages: 7 });

    const pass = await readPass(UPDATED, reader);

    expect(pass.outcome).toBe('overlong');
    expect(pass.pages).toBe(8);
  });

  it('when the service refuses a page', async () => {
    const refused = new PageOutOfReach('injected by the test');
    const reader = createScriptedReader(failingFrom(9, refused, listOf(idsFrom(1, 30), 12)));

    const pass = await readPass(UPDATED, reader);

    expect(pass).toMatchObject({ outcome: 'overlong', rows: 12, pages: 1 });
  });

  it('later in a range that is too narrow to be cut', async () => {
    const narrow = { updated: { from: NOON, to: NOON + 4 * SECOND } };
    const reader = createScriptedReader(listOf(idsFrom(1, 500), 12), { maxPages: 7 });

    const pass = await readPass(narrow, reader);

    expect(pass).toMatchObject({ outcome: 'complete', rows: 500 });
  });

  it('with more than a thousand pages, even in a range that is too narrow to be cut', async () => {
    const narrow = { updated: { from: NOON, to: NOON + 4 * SECOND } };
    const reader = createScriptedReader(({ offset }) => aPage(rowsOf(...idsFrom(offset, offset + 11))));

    const pass = await readPass(narrow, reader);

    expect(pass).toMatchObject({ outcome: 'overlong', pages: 1_001 });
  });
});

it('a pass rejects if a page fails for a reason of its own', async () => {
  const failure = new Error('injected by the test');
  const reader = createScriptedReader(failingFrom(9, failure, listOf(idsFrom(1, 30), 12)));

  const reading = readPass(UPDATED, reader);

  await expect(reading).rejects.toBe(failure);
});

describe('a page is short', () => {
  it.each([
    { rows: 9, bytes: 64 * 1024 - 1, isSo: true },
    { rows: 10, bytes: 64 * 1024 - 1, isSo: false },
    { rows: 9, bytes: 64 * 1024, isSo: false },
  ])('below ten rows and 64 KB: $rows rows of $bytes bytes', ({ rows, bytes, isSo }) => {
    expect(isShort(aPage(rowsOf(...idsFrom(1, rows)), { bytes }))).toBe(isSo);
  });

  it.each([
    { asked: 10, isSo: true },
    { asked: 9, isSo: false },
  ])('only if ten rows or more were requested: $asked', ({ asked, isSo }) => {
    expect(isShort({ ...aPage(rowsOf(1, 2), { bytes: 900 }), asked })).toBe(isSo);
  });
});

it('rows that change during the read are seen in their new state or left for another read', async () => {
  const reader = createScriptedReader(({ offset }, index) => {
    const changed = index === 0 ? NOON - 30 * SECOND : NOON - 20 * SECOND;
    const rows = idsFrom(1, 20).map((id) => aRow(id, id === 11 ? { updatedAt: changed } : {}));
    return aPage(rows.slice(offset, offset + 12));
  });

  const pass = await readPass(UPDATED, reader);

  expect(pass).toMatchObject({ outcome: 'complete', rows: 20 });
});
