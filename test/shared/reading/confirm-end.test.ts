import { describe, expect, it } from 'vitest';
import { HOUR, MINUTE, SECOND } from '../../../shared/instant.ts';
import { confirmEnd } from '../../../shared/reading/confirm-end.ts';
import { UNKNOWN_DEPTH } from '../../../shared/reading/list-depth.ts';
import { PageOutOfReach, type PageRequest } from '../../../shared/reading/page.ts';
import { keeperOf, OF_ALL, RANGE, ROWS, readerOf, seen, UNSTAMPED } from './a-list-end.ts';
import { anUnreadableRow, aPage, aRow } from './some-rows.ts';
import { NOON } from './worlds.ts';

describe('the rows seen in a page', () => {
  it('are those with both stamps, and the list ends behind all of them', () => {
    const stamps = { createdAt: NOON - 2 * HOUR, updatedAt: NOON - HOUR };

    const list = seen([aRow(1), ...UNSTAMPED, { ...anUnreadableRow(94), ...stamps }]);

    expect(list.end).toBe(5);
    expect([...list.rows]).toEqual([
      ['1', stamps],
      ['94', stamps],
    ]);
  });
});

describe('the end of a list', () => {
  it('is accepted without a request if a list has shown rows behind that place', async () => {
    const reader = readerOf(keeperOf({ trusted: 20 }), () => aPage([]));

    expect(await confirmEnd(RANGE, seen(), reader)).toBe(true);
    expect(reader.requests).toEqual([]);
  });

  it('is confirmed by two halves, each read from behind its known rows', async () => {
    const depth = keeperOf();
    const reader = readerOf(depth, () => aPage([]));

    expect(await confirmEnd(RANGE, seen(), reader)).toBe(true);

    const at = NOON - 15 * MINUTE - 30 * SECOND;
    expect(reader.requests).toEqual([
      { range: { created: { from: RANGE.created.from, to: at } }, offset: 5, limit: 1 },
      { range: { created: { from: at, to: RANGE.created.to } }, offset: 15, limit: 1 },
    ]);
    expect(depth.known).toMatchObject({ trusted: 19, confirmed: undefined });
  });

  it('is confirmed by halves of all time if the list has no bounds', async () => {
    const reader = readerOf(keeperOf(), () => aPage([]));

    expect(await confirmEnd({}, seen(), reader)).toBe(true);

    const at = NOON - 15 * MINUTE - 30 * SECOND;
    expect(reader.requests.map(({ range }) => range)).toEqual([
      { created: { from: undefined, to: at } },
      { created: { from: at, to: undefined } },
    ]);
  });

  it.each([
    { before: 4, early: 5 },
    { before: 5, early: 5 },
    { before: 10, early: 10 },
    { before: 15, early: 15 },
    { before: 16, early: 5 },
  ])(
    'is confirmed by halves that meet in the widest gap if each has a quarter of the rows: $before before it',
    async ({ before, early }) => {
      const rows = ROWS.map((row, index) =>
        index < before ? { ...row, createdAt: row.createdAt - HOUR } : row,
      );
      const reader = readerOf(keeperOf(), () => aPage([]));

      await confirmEnd(RANGE, seen(rows), reader);

      expect(reader.requests.map(({ offset }) => offset)).toEqual([early, 20 - early]);
    },
  );

  it('of the list of all groups is accepted once at a place behind the confirmed one', async () => {
    const depth = keeperOf({ confirmed: 15 });
    const first = readerOf(depth, () => aPage([]));
    const second = readerOf(depth, () => aPage([]));

    expect(await confirmEnd(OF_ALL, seen(), first)).toBe(true);
    expect(await confirmEnd(OF_ALL, seen(), second)).toBe(true);
    expect([first, second].map(({ requests }) => requests.length)).toEqual([0, 2]);
  });

  it('of the list of all groups is confirmed one half at a time if there is room for only one request', async () => {
    const depth = keeperOf();
    const interrupted = readerOf(depth, () => aPage([]));
    const fetch = interrupted.fetch;
    interrupted.fetch = async (request) => {
      if (interrupted.requests.length === 1) throw new Error('no room');
      return fetch(request);
    };

    await expect(confirmEnd(OF_ALL, seen(), interrupted)).rejects.toThrow('no room');
    const reader = readerOf(depth, () => aPage([]));
    expect(await confirmEnd(OF_ALL, seen(), reader)).toBe(true);

    expect(reader.requests.map(({ range }) => range.created?.to)).toEqual([RANGE.created.to]);
    expect(depth.known).toMatchObject({ confirmed: 20, halfConfirmed: undefined });
  });

  it.each([0, 1])('is rejected if half %i shows one more row', async (which) => {
    const depth = keeperOf({ suspect: 20 });
    let answered = 0;
    const reader = readerOf(depth, () =>
      aPage(answered++ === which ? [aRow(99, { createdAt: NOON - HOUR })] : []),
    );

    expect(await confirmEnd(RANGE, seen(), reader)).toBe(false);
    expect(depth.known).toMatchObject({ trusted: 9, most: 20 });
    expect(reader.taken.flatMap(({ rows }) => rows).length).toBe(1);
  });

  describe('of rows that were created and updated at one time, which can’t be halved,', () => {
    const crowd = seen(ROWS.map((_, index) => aRow(index)));
    it.each([
      ['created', RANGE],
      ['updated', { updated: RANGE.created }],
    ] as const)('is accepted if a longer list bounded by %s shows more', async (axis, range) => {
      const reader = readerOf(keeperOf(), () => aPage([aRow(1)]));

      expect(await confirmEnd(range, crowd, reader)).toBe(true);
      expect(reader.requests.map(({ range, offset }) => ({ range, offset }))).toEqual([
        { range: { [axis]: { from: 0, to: undefined } }, offset: 20 },
      ]);
    });

    it('is accepted if there is no other group', async () => {
      const reader = readerOf(keeperOf(), () => aPage([]));

      expect(await confirmEnd(RANGE, crowd, reader)).toBe(true);

      const created = NOON - 2 * HOUR;
      expect(reader.requests).toEqual([
        { range: { created: { from: 0, to: undefined } }, offset: 20, limit: 1 },
        { range: { created: { from: undefined, to: created - 3 * SECOND } }, offset: 0, limit: 1 },
        { range: { created: { from: created + 3 * SECOND, to: undefined } }, offset: 0, limit: 1 },
      ]);
    });

    it('is accepted if no row shows its stamps: nothing tells where other groups are', async () => {
      const rows = Array.from({ length: 20 }, (_, index) => anUnreadableRow(index));
      const reader = readerOf(keeperOf(), () => aPage([]));

      expect(await confirmEnd(RANGE, seen(rows), reader)).toBe(true);
      expect(reader.requests.length).toBe(1);
    });

    it.each(['from', 'to'] as const)('is rejected if other groups are beyond their %s', async (bound) => {
      const other = aRow(99, { createdAt: NOON });
      const isBeyond = ({ range: { created }, offset }: PageRequest) =>
        offset === 0 && created !== undefined && created[bound] === undefined;
      const reader = readerOf(keeperOf(), (request) => aPage(isBeyond(request) ? [other] : []));

      expect(await confirmEnd(RANGE, crowd, reader)).toBe(false);
    });
  });

  describe('bounded by update', () => {
    const byUpdate = { updated: RANGE.created };
    const isLongest = ({ range }: PageRequest) => range.updated?.from === 0;

    it('is confirmed by one page of a longer list', async () => {
      const reader = readerOf(keeperOf(), (request) => aPage(isLongest(request) ? [aRow(99)] : []));

      expect(await confirmEnd(byUpdate, seen(), reader)).toBe(true);
      expect(reader.requests).toEqual([{ range: { updated: { from: 0, to: undefined } }, offset: 20 }]);
    });

    it('is confirmed by halves if no list is longer, and asks for a longer one only once', async () => {
      const depth = keeperOf();
      const first = readerOf(depth, () => aPage([]));
      const second = readerOf(depth, () => aPage([]));

      expect(await confirmEnd(byUpdate, seen(), first)).toBe(true);
      expect(await confirmEnd(byUpdate, seen(), second)).toBe(true);
      expect([first, second].map(({ requests }) => requests.filter(isLongest).length)).toEqual([1, 0]);
      expect([first, second].map(({ requests }) => requests.length)).toEqual([3, 2]);
      expect(depth.known).toMatchObject({ longest: 20, confirmed: undefined });
    });

    it('asks for a longer one again if it ends before the place where the longest one ended', async () => {
      const reader = readerOf(keeperOf({ longest: 21 }), () => aPage([aRow(99)]));

      expect(await confirmEnd(byUpdate, seen(), reader)).toBe(true);
      expect(reader.requests.map(({ offset }) => offset)).toEqual([20]);
    });

    it('is confirmed by halves that are read from their start: rows leave them', async () => {
      const reader = readerOf(keeperOf(), () => aPage([]));

      expect(await confirmEnd(byUpdate, seen(), reader)).toBe(true);
      expect(reader.requests.map(({ offset, limit }) => ({ offset, limit }))).toEqual([
        { offset: 20, limit: undefined },
        { offset: 0, limit: undefined },
        { offset: 0, limit: undefined },
      ]);
    });

    it('is confirmed by halves if the service refuses to page a longer list', async () => {
      const reader = readerOf(keeperOf(), (request) => {
        if (isLongest(request)) throw new PageOutOfReach('injected by the test');
        return aPage([]);
      });

      expect(await confirmEnd(byUpdate, seen(), reader)).toBe(true);
      expect(reader.requests.map(isLongest)).toEqual([true, false, false]);
    });

    it('is neither confirmed nor rejected if the request for a longer list fails', async () => {
      const depth = keeperOf();
      const reader = readerOf(depth, () => {
        throw new Error('injected by the test');
      });

      await expect(confirmEnd(byUpdate, seen(), reader)).rejects.toThrow('injected by the test');
      expect(reader.requests.length).toBe(1);
      expect(depth.known).toEqual(UNKNOWN_DEPTH);
    });
  });

  it('is not confirmed if the service refuses the offset', async () => {
    const depth = keeperOf();
    const reader = readerOf(depth, () => {
      throw new PageOutOfReach('injected by the test');
    });

    expect(await confirmEnd(RANGE, seen(), reader)).toBe(false);
    expect(depth.known).toEqual(UNKNOWN_DEPTH);
  });

  it('is accepted if the reader does not track the depth of lists', async () => {
    const reader = readerOf(undefined, () => aPage([aRow(99)]));

    expect(await confirmEnd(RANGE, seen(), reader)).toBe(true);
  });
});
