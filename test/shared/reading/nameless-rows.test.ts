import { describe, expect, it } from 'vitest';
import { readPass } from '../../../shared/reading/read-pass.ts';
import { offsetsOf, UPDATED } from './passes.ts';
import { anUnreadableRow, aPage, createScriptedReader, idsFrom, rowsOf } from './some-rows.ts';

describe('a list that ends with rows without an id', () => {
  it.each([1, 3])(
    'is complete once the rows with an id before these %i are seen again',
    async (unreadable) => {
      const last = idsFrom(1, unreadable).map(() => anUnreadableRow());
      const rows = [...rowsOf(...idsFrom(1, 7)), ...last];
      const reader = createScriptedReader(({ offset }) => aPage(rows.slice(offset, offset + 6)));

      const pass = await readPass({ created: UPDATED.updated }, reader);

      expect(pass).toMatchObject({ outcome: 'complete', pages: 5 });
    },
  );
});

describe('a list that ends with rows that differ at each read', () => {
  it.each([1, 2])('is complete once the stable rows before these %i are seen again', async (changing) => {
    const reader = createScriptedReader(({ offset }, index) => {
      const last = idsFrom(12, 11 + changing).map((id) => anUnreadableRow(id, `${id} at ${index}`));
      return aPage([...rowsOf(...idsFrom(1, 11)), ...last].slice(offset));
    });

    const pass = await readPass({ created: UPDATED.updated }, reader);

    expect(pass).toMatchObject({ outcome: 'complete', rows: 11 + changing });
    expect(pass.pages).toBeLessThanOrEqual(8);
  });
});

describe('rows without an id', () => {
  const hidden = idsFrom(1, 12).map((id) => anUnreadableRow(undefined, `looks like ${id}`));

  it('prove no seam: a row that moved up behind them would be skipped', async () => {
    const before = [...hidden, ...rowsOf(...idsFrom(1, 20))];
    const after = before.slice(1);
    const reader = createScriptedReader(({ offset }, index) =>
      aPage((index === 0 ? before : after).slice(offset, offset + 12)),
    );

    const pass = await readPass(UPDATED, reader);

    expect(pass).toMatchObject({
      outcome: 'void',
      reason: 'no row at its start had been read before',
      isShifted: false,
    });
  });

  it('make a pass void only if they fill the same page twice', async () => {
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

  it('leave the pass to rows with an id', async () => {
    const list = [...hidden.slice(0, 2), ...rowsOf(...idsFrom(1, 20)), ...hidden.slice(0, 2)];
    const reader = createScriptedReader(({ offset }) => aPage(list.slice(offset, offset + 12)));

    const pass = await readPass(UPDATED, reader);

    expect(pass).toMatchObject({ outcome: 'complete', rows: 20 });
  });
});
