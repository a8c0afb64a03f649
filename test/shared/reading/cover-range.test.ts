import { describe, expect, it } from 'vitest';
import { DAY, HOUR, SECOND } from '../../../shared/instant.ts';
import { coverRange } from '../../../shared/reading/cover-range.ts';
import { FROM, inOrder, listOf, RANGE, restless } from './arranged-lists.ts';
import {
  anUnreadableRow,
  aPage,
  aRow,
  createScriptedReader,
  idsFrom,
  pageWithin,
  rowsOf,
} from './some-rows.ts';
import { NOON } from './worlds.ts';

describe('a range without enough room', () => {
  it('is proved up to the end of the room', async () => {
    const reader = createScriptedReader(listOf(60, 10, restless));
    const hasRoom = () => reader.requests.length < 20;

    const { outcome, through = 0, lacksRoom } = await coverRange(RANGE, { ...reader, hasRoom });

    expect({ outcome, lacksRoom }).toEqual({ outcome: 'unproved', lacksRoom: true });
    expect(through).toBeGreaterThan(FROM);
    expect(through).toBeLessThan(NOON);
    expect(reader.requests.length).toBeLessThan(30);
  });

  it('is proved only up to an unproved piece, even if pieces behind it lacked room', async () => {
    let id = 0;
    const unprovable = createScriptedReader(() => {
      id += 1;
      return aPage(rowsOf(id, id));
    });
    const range = { updated: { from: NOON - 6 * SECOND, to: NOON } };

    const coverage = await coverRange(range, {
      ...unprovable,
      hasRoom: () => unprovable.requests.length < 100,
    });

    expect(coverage).toMatchObject({
      outcome: 'unproved',
      through: range.updated.from,
      lacksRoom: undefined,
    });
  });
});

describe('an open-ended piece', () => {
  it('is cut by its known rows if its first page has no stamps', async () => {
    const rows = [
      anUnreadableRow(),
      { ...anUnreadableRow(), createdAt: NOON - 3.5 * HOUR, updatedAt: NOON },
      ...idsFrom(1, 6).map((row) => aRow(row, { createdAt: NOON - row * HOUR })),
      ...rowsOf(7),
    ];
    const reader = createScriptedReader((request) => pageWithin(request, rows, 1));

    const coverage = await coverRange({ created: { from: NOON - DAY, to: undefined } }, reader);

    expect(coverage.outcome).toBe('proved');
    expect(reader.requests.length).toBeLessThan(150);
  });
});

describe('a range of stable order', () => {
  it('is proved in one pass', async () => {
    const reader = createScriptedReader(listOf(60, 20, inOrder));

    const coverage = await coverRange(RANGE, reader);

    expect(coverage).toEqual({ outcome: 'proved', through: NOON, isShifted: false });
    expect(reader.requests.length).toBeLessThanOrEqual(7);
  });

  it('is proved with the page that was read just before', async () => {
    const reader = createScriptedReader(listOf(60, 20, inOrder));
    const first = await reader.fetch({ range: RANGE, offset: 0 });

    const coverage = await coverRange(RANGE, reader, first);

    expect(coverage.outcome).toBe('proved');
    expect(reader.requests.filter(({ offset }) => offset === 0).length).toBe(1);
  });

  it('is proved by reading on if its only page is short', async () => {
    const reader = createScriptedReader((request) => ({ ...listOf(5, 20, inOrder)(request, 0), bytes: 900 }));

    const coverage = await coverRange(RANGE, reader);

    expect(coverage).toEqual({ outcome: 'proved', through: NOON, isShifted: false });
    expect(reader.requests.map(({ offset }) => offset)).toEqual([0, 5, 0]);
  });

  it('is overlong with too many pages, and covered only up to its start', async () => {
    const reader = createScriptedReader(listOf(500, 12, inOrder), { maxPages: 9 });

    const coverage = await coverRange(RANGE, reader);

    expect(coverage).toEqual({ outcome: 'overlong', through: FROM });
  });

  it('is covered to the end of its creation time if it is a range of creation', async () => {
    const reader = createScriptedReader(() => aPage([]));

    const coverage = await coverRange({ created: { from: FROM, to: NOON } }, reader);

    expect(coverage).toEqual({ outcome: 'proved', through: NOON, isShifted: false });
  });
});

describe('a range of unstable order', () => {
  it('is proved in pieces that are each one page', async () => {
    const reader = createScriptedReader(listOf(100, 20, restless));

    const coverage = await coverRange(RANGE, reader);

    const seen = new Set(
      reader.taken.flatMap(({ rows }) => rows.map((row) => row.kind === 'readable' && row.group.id)),
    );
    expect(coverage).toMatchObject({ outcome: 'proved', through: NOON, unstable: expect.any(String) });
    expect(seen.size).toBe(100);
  });

  it('is proved by one page if that is complete, and reports the unstable order', async () => {
    const reader = createScriptedReader(listOf(12, 20, restless));

    const coverage = await coverRange(RANGE, reader);

    expect(coverage).toMatchObject({ outcome: 'proved', through: NOON });
    expect(coverage.unstable).toBeDefined();
    expect(reader.requests.length).toBeLessThanOrEqual(6);
  });

  it('is not proved by passes that agree', async () => {
    // The same two pages each time; the second repeats a row of the first instead of showing another.
    const narrow = {
      updated: { from: FROM, to: FROM + 2 * SECOND },
      created: { from: FROM, to: FROM + SECOND },
    };
    const reader = createScriptedReader(({ offset }) =>
      aPage(offset === 0 ? rowsOf(1, 2, 3) : offset === 3 ? rowsOf(3, 2) : []),
    );

    const coverage = await coverRange(narrow, reader);

    expect(coverage).toMatchObject({ outcome: 'unproved', through: FROM });
  });

  it.each([
    { of: 'updates', field: 'updated', stamps: () => ({ updatedAt: FROM + HOUR, createdAt: FROM }) },
    { of: 'creation', field: 'created', stamps: (id: number) => ({ createdAt: FROM + (id % 5) * HOUR }) },
  ] as const)(
    'is covered up to the first unproved piece if it is a range of $of',
    async ({ field, stamps }) => {
      const middle = FROM + 4 * HOUR;
      const rows = idsFrom(1, 12).map((id) => aRow(id, stamps(id)));
      const reader = createScriptedReader(({ range }, index) => {
        const { from = 0, to = 0 } = range[field] ?? {};
        if (from <= middle && to > middle) return aPage(index % 2 === 0 ? rows : [...rows].reverse());
        return aPage([]);
      });

      const coverage = await coverRange({ [field]: { from: FROM, to: NOON } }, reader);

      expect(coverage.outcome).toBe('unproved');
      expect(coverage.through).toBeGreaterThan(FROM);
      expect(coverage.through).toBeLessThanOrEqual(middle);
    },
  );

  it('is covered only up to its start if it is too narrow and one of two pieces is unproved', async () => {
    const narrow = { from: FROM, to: FROM + 4 * SECOND };
    const middle = FROM - 12 * HOUR;
    const rows = idsFrom(1, 12).map((id) => aRow(id, { updatedAt: FROM, createdAt: FROM - 2 * id * HOUR }));
    const reader = createScriptedReader(({ range }, index) => {
      const { to } = range.created ?? {};
      if (to !== undefined && to <= middle) return aPage([]);
      return aPage(index % 2 === 0 ? rows : [...rows].reverse());
    });

    const coverage = await coverRange({ updated: narrow }, reader);

    expect(coverage).toMatchObject({ outcome: 'unproved', through: FROM });
    expect(reader.requests.some(({ range }) => (range.created?.to ?? NOON) <= middle)).toBe(true);
  });

  it('takes at most a thousand requests plus those of the last piece', async () => {
    let id = 0;
    const reader = createScriptedReader(() => {
      id += 1;
      return aPage([aRow(id, { updatedAt: FROM + (id % 7) * HOUR }), aRow(id, { updatedAt: FROM + HOUR })]);
    });

    const coverage = await coverRange(RANGE, reader);

    expect(coverage).toMatchObject({ outcome: 'unproved', through: FROM });
    expect(reader.requests.length).toBeLessThan(2_100);
  });
});

it('no piece begins after a thousand requests', async () => {
  // Full and unordered for pieces down to a thousandth of the range, and empty for smaller ones: one request a piece.
  const reader = createScriptedReader(({ range }) => {
    const { from = FROM, to = NOON } = range.updated ?? {};
    if ((to - from) * 1_000 < NOON - FROM) return aPage([]);
    const updatedAts = idsFrom(1, 12).map((id) => from + ((to - from) * id) / 13);
    return aPage(updatedAts.map((updatedAt) => aRow(7, { updatedAt })));
  });

  const coverage = await coverRange(RANGE, reader);

  expect(coverage.outcome).toBe('unproved');
  expect(reader.requests.filter(({ range }) => range !== RANGE).length).toBe(1_000);
});

describe('a range that rows enter during the read', () => {
  it('is read in shorter passes, and proved once no row enters', async () => {
    const calm = listOf(100, 20, inOrder);
    const reader = createScriptedReader((request, index) =>
      index === 1 ? calm({ ...request, offset: request.offset - 2 }, 1) : calm(request, index),
    );

    const coverage = await coverRange(RANGE, reader);

    expect(coverage).toEqual({
      outcome: 'proved',
      through: NOON,
      isShifted: true,
      unstable: 'a row already read moved back: others entered before it',
    });
    expect(reader.requests.filter(({ offset }) => offset > 0).length).toBeGreaterThan(3);
  });
});
