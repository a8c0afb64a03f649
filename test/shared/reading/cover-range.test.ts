import { describe, expect, it } from 'vitest';
import { DAY, HOUR, SECOND } from '../../../shared/instant.ts';
import { coverRange, readStraight } from '../../../shared/reading/cover-range.ts';
import type { PageRequest } from '../../../shared/reading/page.ts';
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

const FROM = NOON - 8 * HOUR;
const RANGE = { updated: { from: FROM, to: NOON } };

/** A list of rows, one an hour from FROM on and then more, in which only the order changes. */
function listOf(rows: number, pageRows: number, arrange: <Row>(rows: Row[], request: number) => Row[]) {
  const all = idsFrom(1, rows).map((id) =>
    aRow(id, {
      updatedAt: FROM + ((id * 7) % rows) * Math.floor((8 * HOUR) / rows),
      createdAt: FROM - id * HOUR,
    }),
  );
  return ({ range, offset }: PageRequest, index: number) => {
    const { from = 0, to = Number.POSITIVE_INFINITY } = range.updated ?? {};
    const within = all.filter(({ updatedAt }) => updatedAt >= from - SECOND && updatedAt <= to);
    return aPage(arrange(within, index).slice(offset, offset + pageRows));
  };
}

const inOrder = <Row>(rows: Row[]) => rows;
/** A different order for each request: reversed, and rotated. */
const restless = <Row>(rows: Row[], request: number) => {
  const begin = rows.length === 0 ? 0 : (request * 5) % rows.length;
  const turned = [...rows.slice(begin), ...rows.slice(0, begin)];
  return request % 2 === 0 ? turned : turned.reverse();
};

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

  it('is covered up to the first unproved piece', async () => {
    const middle = FROM + 4 * HOUR;
    const rows = idsFrom(1, 12).map((id) => aRow(id, { updatedAt: FROM + HOUR, createdAt: FROM }));
    const reader = createScriptedReader((request, index) => {
      const { from = 0, to = 0 } = request.range.updated ?? {};
      if (from <= middle && to > middle) return aPage(index % 2 === 0 ? rows : [...rows].reverse());
      return aPage([]);
    });

    const coverage = await coverRange(RANGE, reader);

    expect(coverage.outcome).toBe('unproved');
    expect(coverage.through).toBeGreaterThan(FROM);
    expect(coverage.through).toBeLessThanOrEqual(middle);
  });

  it('is covered up to the first unproved piece by creation if it is a range of creation', async () => {
    const middle = FROM + 4 * HOUR;
    const rows = idsFrom(1, 12).map((id) => aRow(id, { createdAt: FROM + (id % 5) * HOUR }));
    const reader = createScriptedReader(({ range }, index) => {
      const { from = 0, to = 0 } = range.created ?? {};
      if (from <= middle && to > middle) return aPage(index % 2 === 0 ? rows : [...rows].reverse());
      return aPage([]);
    });

    const coverage = await coverRange({ created: { from: FROM, to: NOON } }, reader);

    expect(coverage.outcome).toBe('unproved');
    expect(coverage.through).toBeGreaterThan(FROM);
    expect(coverage.through).toBeLessThanOrEqual(middle);
  });

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

describe('the costs of pieces', () => {
  it('are one page and its proof each in an unstable order', async () => {
    const reader = createScriptedReader(listOf(100, 20, restless));

    await coverRange(RANGE, reader);

    expect(reader.requests.length).toBeLessThanOrEqual(32);
  });

  it('are those of passes in a stable order that rows have entered', async () => {
    const calm = listOf(400, 20, inOrder);
    let shifts = 0;
    const reader = createScriptedReader((request, index) => {
      const isShift = request.offset > 0 && shifts < 2 && index % 3 === 1;
      if (isShift) shifts += 1;
      return calm({ ...request, offset: request.offset - (isShift ? 2 : 0) }, index);
    });

    const { outcome } = await coverRange(RANGE, reader);

    expect(outcome).toBe('proved');
    expect(reader.requests.length).toBeLessThanOrEqual(36);
  });

  it('are one page each once a piece shows that the order is unstable', async () => {
    const list = listOf(100, 20, (rows, request) => (request < 2 ? rows : restless(rows, request)));
    const reader = createScriptedReader((request, index) =>
      list({ ...request, offset: request.offset - (index === 1 ? 2 : 0) }, index),
    );

    const { outcome, isShifted } = await coverRange(RANGE, reader);

    expect({ outcome, isShifted }).toEqual({ outcome: 'proved', isShifted: false });
    expect(reader.requests.length).toBeLessThanOrEqual(40);
  });

  it('stay small if a piece of stable order has too many pages and is cut', async () => {
    const calm = listOf(400, 20, inOrder);
    const reader = createScriptedReader(
      (request, index) => calm({ ...request, offset: request.offset - (index === 1 ? 2 : 0) }, index),
      { maxPages: 6 },
    );

    const { outcome } = await coverRange(RANGE, reader);

    expect(outcome).toBe('proved');
    expect(reader.requests.length).toBeLessThanOrEqual(100);
  });
});

describe('a range that is read directly', () => {
  it('is complete, with the stamps of its rows', async () => {
    const reader = createScriptedReader(listOf(30, 20, inOrder));

    const reading = await readStraight(RANGE, reader);

    expect(reading).toMatchObject({ outcome: 'whole', isShifted: false });
    expect(reading.reason).toBeUndefined();
    expect(reading.stamps.length).toBe(30);
  });

  it('is complete with one short page, with the stamps of its rows', async () => {
    const row = aRow(1, { updatedAt: FROM, createdAt: FROM });
    const reader = createScriptedReader(({ offset }) => aPage(offset === 0 ? [row] : [], { bytes: 900 }));

    const reading = await readStraight(RANGE, reader);

    expect(reading).toEqual({
      outcome: 'whole',
      isShifted: false,
      stamps: [{ createdAt: FROM, updatedAt: FROM }],
    });
  });

  it('is void in an unstable order of more than a page, with the reason', async () => {
    const reader = createScriptedReader(listOf(60, 20, restless));

    const reading = await readStraight(RANGE, reader);

    expect(reading).toMatchObject({ outcome: 'void', isShifted: false, reason: expect.any(String) });
    expect(reading.stamps.length).toBeGreaterThanOrEqual(20);
    expect(reader.requests.length).toBe(4);
  });

  it('is overlong if its pass is', async () => {
    const reader = createScriptedReader(listOf(500, 12, inOrder), { maxPages: 5 });

    const reading = await readStraight(RANGE, reader);

    expect(reading.outcome).toBe('overlong');
  });
});
