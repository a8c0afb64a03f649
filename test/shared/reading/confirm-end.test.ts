import { describe, expect, it } from 'vitest';
import { HOUR, MINUTE, SECOND } from '../../../shared/instant.ts';
import { confirmEnd, type SeenList, seenInPage } from '../../../shared/reading/confirm-end.ts';
import { type DepthKeeper, type ListDepth, UNKNOWN_DEPTH } from '../../../shared/reading/list-depth.ts';
import { type Page, PageOutOfReach, type PageRequest } from '../../../shared/reading/page.ts';
import { anUnreadableRow, aPage, aRow } from './some-rows.ts';
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
    learn(change: (depth: ListDepth) => ListDepth) {
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
  it('costs nothing where rows were shown behind that place before', async () => {
    const reader = readerOf(keeperOf({ trusted: 20 }), () => aPage([]));

    expect(await confirmEnd(RANGE, seen(), reader)).toBe(true);
    expect(reader.requests).toEqual([]);
  });

  it('is confirmed by two halves, each from behind the rows seen of it', async () => {
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
    expect(depth.known.trusted).toBe(20);
  });

  it.each([0, 1])('is none where half %i shows one more row', async (which) => {
    const depth = keeperOf({ suspect: 20 });
    let asked = 0;
    const reader = readerOf(depth, () =>
      aPage(asked++ === which ? [aRow(99, { createdAt: NOON - HOUR })] : []),
    );

    expect(await confirmEnd(RANGE, seen(), reader)).toBe(false);
    expect(depth.known).toMatchObject({ trusted: 9, most: 20 });
    expect(reader.taken.flatMap(({ rows }) => rows).length).toBe(1);
  });

  it('is believed where all rows were created and updated at one time, which nothing can halve', async () => {
    const reader = readerOf(keeperOf(), () => aPage([aRow(99)]));

    expect(await confirmEnd(RANGE, seen(ROWS.map((_, index) => aRow(index))), reader)).toBe(true);
    expect(reader.requests).toEqual([]);
  });

  it('is looked for by time of update where rows were created at one time', async () => {
    const rows = ROWS.map((_, index) => aRow(index, { updatedAt: NOON - index * HOUR }));
    const reader = readerOf(keeperOf(), () => aPage([]));

    await confirmEnd(RANGE, seen(rows), reader);

    expect(reader.requests[0]?.range).toMatchObject({ created: RANGE.created, updated: { from: undefined } });
    expect(reader.requests.length).toBe(2);
  });

  it('is no other for rows that may be part of either half', async () => {
    const rows = ROWS.map((_, index) => aRow(index, { createdAt: NOON - 20 * SECOND + index * SECOND }));
    const known = rows.slice(8, 12);
    const reader = readerOf(keeperOf(), ({ limit = 0 }) => aPage(known.slice(0, limit)));

    expect(await confirmEnd(RANGE, seen(rows), reader)).toBe(true);
    expect(reader.requests[0]?.limit).toBeGreaterThan(1);
  });

  it('is none where more rows come than may be part of either half', async () => {
    const rows = [...ROWS.slice(0, 19), anUnreadableRow()];
    const nameless = anUnreadableRow();
    const reader = readerOf(keeperOf(), ({ limit = 0 }) => aPage([nameless, nameless].slice(0, limit)));

    expect(await confirmEnd(RANGE, seen(rows), reader)).toBe(false);
  });

  it('is not confirmed where the service refuses the offset', async () => {
    const depth = keeperOf();
    const reader = readerOf(depth, () => {
      throw new PageOutOfReach('says the test');
    });

    expect(await confirmEnd(RANGE, seen(), reader)).toBe(false);
    expect(depth.known).toEqual(UNKNOWN_DEPTH);
  });

  it('is believed where nobody keeps how far lists can be paged', async () => {
    const reader = readerOf(undefined, () => aPage([aRow(99)]));

    expect(await confirmEnd(RANGE, seen(), reader)).toBe(true);
  });
});
