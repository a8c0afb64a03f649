import { describe, expect, it } from 'vitest';
import { DAY, SECOND } from '../../../shared/instant.ts';
import { readPass } from '../../../shared/reading/read-pass.ts';
import { CREATED, listOf, offsetsOf, UPDATED } from './passes.ts';
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

it('a row that moves up unseen while another moves back to its place makes a pass void', async () => {
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

describe('a pass is void', () => {
  it('with the stamps of its rows, also of those without an id, if no page joined', async () => {
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
      list: pass.list,
    });
    expect(pass.stamps.length).toBe(12);
  });

  it('when the rows behind the last row are out of order, although those before it are not', async () => {
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

  it('when rows without an id fill whole pages and stepping back does not help', async () => {
    const rows = [...rowsOf(1, 2), ...idsFrom(1, 15).map(() => anUnreadableRow()), ...rowsOf(3, 4)];
    const reader = createScriptedReader(({ offset }) => aPage(rows.slice(offset, offset + 12)));

    const pass = await readPass(UPDATED, reader);

    expect(pass).toMatchObject({
      outcome: 'void',
      reason: 'no row of a page can be joined to the page before',
      isShifted: false,
    });
    expect(pass.pages).toBeLessThanOrEqual(22);
  });

  it('after steps back to its start twice if no row with an id is both read and repeated', async () => {
    const rows = [
      ...rowsOf(1, 2),
      ...idsFrom(1, 11).map(() => anUnreadableRow()),
      ...rowsOf(...idsFrom(3, 20)),
    ];
    const reader = createScriptedReader(({ offset }) => aPage(rows.slice(offset, offset + 12)));

    const pass = await readPass(UPDATED, reader);

    expect(pass).toMatchObject({
      outcome: 'void',
      reason: 'no row of a page can be joined to the page before',
    });
    expect(pass.pages).toBe(22);
  });

  it('soon if pages have one row and one of these has no id', async () => {
    const rows = [...rowsOf(1, 2, 3), anUnreadableRow(), ...rowsOf(4, 5)];
    const reader = createScriptedReader(({ offset }) => aPage(rows.slice(offset, offset + 1)));

    const pass = await readPass({ created: UPDATED.updated }, reader);

    expect(pass).toMatchObject({
      outcome: 'void',
      reason: 'no row of a page can be joined to the page before',
    });
    expect(pass.pages).toBeLessThan(20);
  });

  it('when rows entered before those already read', async () => {
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

  it('when even the first page holds only other rows', async () => {
    const reader = createScriptedReader((_, index) =>
      aPage(rowsOf(...idsFrom(index * 12 + 1, index * 12 + 12))),
    );

    const pass = await readPass(UPDATED, reader);

    expect(pass).toMatchObject({
      outcome: 'void',
      reason: 'no row at its start had been read before',
      isShifted: false,
    });
    expect(offsetsOf(reader).at(-1)).toBe(0);
  });

  it('not when no row is left: then it is complete', async () => {
    const reader = createScriptedReader((request, index) =>
      index === 0 ? listOf(idsFrom(1, 30), 12)(request) : aPage([]),
    );

    const pass = await readPass(UPDATED, reader);

    expect(pass.outcome).toBe('complete');
    expect(offsetsOf(reader).at(-1)).toBe(0);
  });
});
