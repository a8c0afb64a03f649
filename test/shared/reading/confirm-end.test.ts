import { describe, expect, it } from 'vitest';
import { HOUR, MINUTE, SECOND } from '../../../shared/instant.ts';
import { confirmEnd, type SeenList, seenInPage } from '../../../shared/reading/confirm-end.ts';
import { type DepthKeeper, type ListDepth, UNKNOWN_DEPTH } from '../../../shared/reading/list-depth.ts';
import { type Page, PageOutOfReach, type PageRequest, type Range } from '../../../shared/reading/page.ts';
import { aPage, aRow } from './some-rows.ts';
import { NOON } from './worlds.ts';

const RANGE = { created: { from: NOON - 10 * HOUR, to: NOON } };

/** Rows that were created a minute apart. */
const ROWS = Array.from({ length: 20 }, (_, index) =>
  aRow(index, { createdAt: NOON - (20 - index) * MINUTE }),
);

function keeperOf(depth: Partial<ListDepth> = {}): DepthKeeper & { known: ListDepth } {
  const keeper = {
    known: { ...UNKNOWN_DEPTH, ...depth },
    current: () => keeper.known,
    learn(_: Range, change: (depth: ListDepth) => ListDepth) {
      keeper.known = change(keeper.known);
    },
  };
  return keeper;
}

function readerOf(depth: DepthKeeper | undefined, answer: (request: PageRequest) => Page) {
  const requests: PageRequest[] = [];
  const taken: Page[] = [];
  return {
    requests,
    taken,
    depth,
    maxPages: 50,
    trustsShortPages: false,
    async fetch(request: PageRequest) {
      requests.push(request);
      return answer(request);
    },
    async take(page: Page) {
      taken.push(page);
    },
  };
}

const seen = (rows: Page['rows'] = ROWS): SeenList => seenInPage({ rows });

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

    const [early, late] = reader.requests;
    expect(reader.requests.length).toBe(2);
    expect(early?.range.created?.from).toBe(RANGE.created.from);
    expect(early?.range.created?.to).toBe(late?.range.created?.from);
    expect(late?.range.created?.to).toBe(RANGE.created.to);
    expect((early?.offset ?? 0) + (late?.offset ?? 0)).toBe(20);
    expect(reader.requests.map(({ limit }) => limit)).toEqual([1, 1]);
    expect(depth.known).toMatchObject({ trusted: 19, confirmed: undefined });
  });

  it('of the list of all groups is confirmed one half at a time if there is room for only one request', async () => {
    const ofAll = { created: { from: undefined, to: RANGE.created.to } };
    const depth = keeperOf();
    const interrupted = readerOf(depth, () => aPage([]));
    const fetch = interrupted.fetch;
    interrupted.fetch = async (request) => {
      if (interrupted.requests.length === 1) throw new Error('no room');
      return fetch(request);
    };

    await expect(confirmEnd(ofAll, seen(), interrupted)).rejects.toThrow('no room');
    const reader = readerOf(depth, () => aPage([]));
    expect(await confirmEnd(ofAll, seen(), reader)).toBe(true);

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
    });

    it('is confirmed by halves if the service refuses to page a longer list', async () => {
      const reader = readerOf(keeperOf(), (request) => {
        if (isLongest(request)) throw new PageOutOfReach('injected by the test');
        return aPage([]);
      });

      expect(await confirmEnd(byUpdate, seen(), reader)).toBe(true);
    });
  });

  it('is confirmed by halves of the update time if rows were created at one time', async () => {
    const rows = ROWS.map((_, index) => aRow(index, { updatedAt: NOON - index * HOUR }));
    const reader = readerOf(keeperOf(), () => aPage([]));

    await confirmEnd(RANGE, seen(rows), reader);

    expect(reader.requests[0]?.range).toMatchObject({ created: RANGE.created, updated: { from: undefined } });
    expect(reader.requests.length).toBe(2);
  });

  describe('of rows with stamps so close together that either half may have them', () => {
    const rows = ROWS.map((_, index) => aRow(index, { createdAt: NOON - 20 * SECOND + index * SECOND }));
    const half = (count: number) => (request: PageRequest) =>
      aPage(rows.slice(0, count).slice(request.offset, request.offset + 5));

    it('is confirmed if each half ends before that place and shows only known rows', async () => {
      const reader = readerOf(keeperOf(), half(12));

      expect(await confirmEnd(RANGE, seen(rows), reader)).toBe(true);
    });

    it('is rejected if a half is as long', async () => {
      const reader = readerOf(keeperOf(), half(20));

      expect(await confirmEnd(RANGE, seen(rows), reader)).toBe(false);
    });

    it('is rejected if a half shows another row', async () => {
      const reader = readerOf(keeperOf(), ({ offset }) =>
        aPage([...rows.slice(0, 5), aRow(99)].slice(offset, offset + 5)),
      );

      expect(await confirmEnd(RANGE, seen(rows), reader)).toBe(false);
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
