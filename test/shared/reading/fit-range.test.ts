import { describe, expect, it } from 'vitest';
import { DAY, HOUR, SECOND } from '../../../shared/instant.ts';
import { fitRange } from '../../../shared/reading/fit-range.ts';
import { PageOutOfReach, type PageRequest } from '../../../shared/reading/page.ts';
import { createModelList, type ModelOptions } from './model-list.ts';
import { clampedTo } from './model-pages.ts';
import {
  aDepth,
  aPage,
  aRow,
  createScriptedReader,
  failingFrom,
  idsFrom,
  pageWithin,
  rowsOf,
} from './some-rows.ts';
import { createWitness } from './witness.ts';
import { NOON } from './worlds.ts';

const FROM = NOON - 100 * DAY;
const TO = NOON - DAY;
const MAX_PAGES = 12;
const PAGE = 20;

/** Groups that are evenly spread over a hundred days. */
function storeOf(groups: number, order: NonNullable<ModelOptions['order']>, rowsOfPage = PAGE) {
  const list = createModelList({ seed: 5, now: NOON, order, pages: clampedTo(rowsOfPage) });
  for (let made = 0; made < groups; made += 1) {
    const createdAt = FROM + Math.floor(((TO - FROM) * made) / groups);
    list.add({ createdAt, updatedAt: NOON - HOUR - list.random.upTo(DAY) });
  }
  return { list, reader: createWitness(list, { maxPages: MAX_PAGES }).reader };
}

const WISHED = { from: FROM, to: TO, lowest: FROM, isSparse: false };
const MIDDLE = FROM + Math.floor((TO - FROM) / 2);

/** Groups with these creation times, in this order, in pages of three; the look behind the pages skips two groups. */
function listedAt(...created: readonly number[]) {
  const rows = created.map((createdAt, index) => aRow(index, { createdAt }));
  return createScriptedReader(
    ({ range, offset }) => {
      const { to = 0 } = range.created ?? {};
      return aPage(rows.filter(({ createdAt }) => createdAt < to).slice(offset, offset + 3));
    },
    { maxPages: 5 },
  );
}

function createdBefore(list: ReturnType<typeof storeOf>['list'], to: number): number {
  return list.rows.filter((row) => (list.current(row)?.createdAt ?? NOON) < to).length;
}

describe('a range that is not too long', () => {
  it('is kept after a look behind its last page', async () => {
    const { list, reader } = storeOf(150, 'created asc');

    const fitted = await fitRange({ from: FROM, to: TO, lowest: FROM, isSparse: false }, reader);

    expect(fitted).toMatchObject({ to: TO, fits: true });
    expect(fitted.first?.rows.length).toBe(PAGE);
    expect(list.requests).toBe(2);
  });

  it('is kept after its first page if that is short and proved to be the whole range', async () => {
    const rows = rowsOf(1, 2);
    const reader = createScriptedReader(({ offset }) => aPage(rows.slice(offset), { bytes: 900 }));

    const fitted = await fitRange(WISHED, reader);

    expect(fitted).toMatchObject({ to: TO, fits: true, isWhole: true });
    expect(fitted.first?.rows).toEqual(rows);
    // The page, the end behind it, and the page again: nothing is left to read.
    const range = { created: { from: FROM, to: TO } };
    expect(reader.requests).toEqual([0, 2, 0].map((offset) => ({ range, offset })));
  });

  it('is probed behind its maximum of pages, minus the pages for its end and the rows of the seams', async () => {
    const reader = createScriptedReader((_, index) => aPage(index === 0 ? rowsOf(1, 2, 3, 4, 5) : []), {
      maxPages: MAX_PAGES,
    });

    await fitRange({ from: FROM, to: TO, lowest: FROM, isSparse: false }, reader);

    expect(reader.requests).toEqual([
      { range: { created: { from: FROM, to: TO } }, offset: 0 },
      { range: { created: { from: FROM, to: TO } }, offset: 4 * 8 },
    ]);
    expect(reader.taken.length).toBe(2);
  });

  it.each([
    { rows: rowsOf(1), maxPages: 9, offset: 5 },
    { rows: rowsOf(1, 2, 3), maxPages: 2, offset: 2 },
  ])('is probed behind at least one row: $offset', async ({ rows, maxPages, offset }) => {
    const reader = createScriptedReader((_, index) => aPage(index === 0 ? rows : []), { maxPages });

    await fitRange({ from: FROM, to: TO, lowest: FROM, isSparse: false }, reader);

    expect(reader.requests[1]?.offset).toBe(offset);
  });
});

describe('a range that is too long', () => {
  // The defect: a short first page counted as the whole range, so tick after tick read the range in vain.
  it('is shortened also where all pages are short', async () => {
    const { list, reader } = storeOf(150, 'created desc', 5);

    const fitted = await fitRange({ from: FROM, to: TO, lowest: FROM, isSparse: false }, reader);

    expect(fitted.fits).toBe(true);
    expect(createdBefore(list, fitted.to)).toBeGreaterThan(0);
    expect(createdBefore(list, fitted.to)).toBeLessThanOrEqual(5 * MAX_PAGES);
  });

  it.each([
    'created asc',
    'created desc',
    'updated asc',
    'updated desc',
    'id asc',
    'id desc',
    'heap',
    'shuffled',
    'random',
  ] as const)('is shortened until it fits: %s', async (order) => {
    const { list, reader } = storeOf(1_000, order);

    const fitted = await fitRange({ from: FROM, to: TO, lowest: FROM, isSparse: false }, reader);

    expect(fitted.fits).toBe(true);
    expect(fitted.to).toBeLessThan(TO);
    expect(fitted.first).toBeUndefined();
    expect(createdBefore(list, fitted.to)).toBeLessThanOrEqual((PAGE - 1) * (MAX_PAGES - 4) + PAGE);
  });

  it.each(['created asc', 'created desc'] as const)('ends about where it is just full: %s', async (order) => {
    const { list, reader } = storeOf(1_000, order);

    const fitted = await fitRange({ from: FROM, to: TO, lowest: FROM, isSparse: false }, reader);

    expect(createdBefore(list, fitted.to)).toBeGreaterThan(PAGE * (MAX_PAGES - 4) * 0.6);
    expect(list.requests).toBeLessThanOrEqual(6);
  });

  it('ends about an eighth below its maximum if the latest groups come first', async () => {
    const { list, reader } = storeOf(1_000, 'created desc');

    const fitted = await fitRange({ from: FROM, to: TO, lowest: FROM, isSparse: false }, reader);

    const share = createdBefore(list, fitted.to) / ((PAGE - 1) * (MAX_PAGES - 4));
    expect(share).toBeGreaterThan(0.8);
    expect(share).toBeLessThan(0.95);
    expect(list.requests).toBe(3);
  });

  it.each(['shuffled', 'updated asc', 'random'] as const)(
    'ends in its middle if it is not sorted by creation: %s',
    async (order) => {
      const { list, reader } = storeOf(1_000, order);

      const fitted = await fitRange({ from: FROM, to: TO, lowest: FROM, isSparse: false }, reader);

      expect(fitted.to).toBe(FROM + Math.floor(Math.floor(Math.floor((TO - FROM) / 2) / 2) / 2));
      expect(list.requests).toBe(5);
    },
  );

  it('ends just before the oldest row behind its pages if it is sorted by creation or open at its start', async () => {
    const { list, reader } = storeOf(1_000, 'created asc');
    const beyond = list.rows[(PAGE - 1) * (MAX_PAGES - 4)];

    const closed = await fitRange({ from: FROM, to: TO, lowest: FROM, isSparse: false }, reader);
    const open = await fitRange(
      { from: undefined, to: TO, lowest: FROM - 10_000 * DAY, isSparse: true },
      reader,
    );

    expect(closed.to).toBe((beyond?.versions[0]?.createdAt ?? 0) - 1);
    expect(open.to).toBe(closed.to);
    expect(list.requests).toBe(6);
  });

  it('ends just before the oldest row behind its pages if it is then at least four seconds wide, and otherwise in its middle', async () => {
    const narrow = listedAt(FROM, FROM, FROM + 4 * SECOND + 1, FROM + HOUR);
    const tooNarrow = listedAt(FROM, FROM, FROM + 4 * SECOND, FROM + HOUR);

    const fitted = await fitRange(WISHED, narrow);
    await fitRange(WISHED, tooNarrow);

    expect(fitted).toEqual({ to: FROM + 4 * SECOND, fits: true });
    expect(narrow.requests.length).toBe(2);
    expect(tooNarrow.requests[2]?.range.created?.to).toBe(MIDDLE);
  });

  it('ends in its middle if the service shows rows from behind its end', async () => {
    const reader = createScriptedReader(
      () => aPage(idsFrom(1, 3).map((id) => aRow(id, { createdAt: TO + 1 }))),
      {
        maxPages: 5,
      },
    );

    await fitRange(WISHED, reader);

    expect(reader.requests[2]?.range.created?.to).toBe(MIDDLE);
  });

  it('is estimated from the latest group, even if the page behind its maximum begins with a known row', async () => {
    const reader = listedAt(...idsFrom(1, 10).map((day) => TO - day * DAY));

    await fitRange(WISHED, reader);

    expect(reader.requests[2]?.range.created?.to).toBe(Math.floor(FROM + 0.87 * 3 * DAY));
  });

  it('ends just before a crowd if the decades before the crowd are empty', async () => {
    const reader = listedAt(NOON - 2 * DAY, NOON - 2 * DAY, NOON - 2 * DAY, NOON - 2 * DAY);

    const fitted = await fitRange({ ...WISHED, isSparse: true }, reader);

    expect(fitted.to).toBe(NOON - 2 * DAY - 1);
    expect(reader.requests.length).toBe(3);
  });

  it('is not narrowed below four seconds, even with a crowd within them', async () => {
    const crowd = rowsOf(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
    const reader = createScriptedReader(() => aPage(crowd));

    const fitted = await fitRange(
      { from: FROM, to: FROM + 9 * SECOND, lowest: FROM, isSparse: false },
      reader,
    );

    expect(fitted).toEqual({ to: FROM + 4 * SECOND, fits: true });
  });

  it('does not fit after 24 narrowings', async () => {
    const crowd = idsFrom(1, 12).map((id) => aRow(id, { createdAt: FROM - HOUR }));
    const reader = createScriptedReader(() => aPage(crowd));

    const fitted = await fitRange(
      { from: FROM, to: FROM + 2 ** 29 * SECOND, lowest: FROM, isSparse: false },
      reader,
    );

    expect(fitted).toEqual({ to: FROM + 32 * SECOND, fits: false });
    expect(reader.requests.length).toBe(25);
  });

  it('keeps some groups if the decades before them are empty', async () => {
    const { list, reader } = storeOf(1_000, 'created desc');
    const from = FROM - 10_000 * DAY;

    const fitted = await fitRange({ from, to: TO, lowest: from, isSparse: true }, reader);

    expect(fitted.fits).toBe(true);
    expect(createdBefore(list, fitted.to)).toBeGreaterThan(0);
    expect(createdBefore(list, fitted.to)).toBeLessThanOrEqual((PAGE - 1) * (MAX_PAGES - 4) + PAGE);
  });

  it('of all time is found in doubling steps if the latest groups come first', async () => {
    const rows = idsFrom(1, 20_000).map((id) => aRow(id, { createdAt: FROM + id * SECOND }));
    const latestFirst = rows.toReversed();
    const reader = createScriptedReader(({ range, offset }) => {
      const { to = Number.POSITIVE_INFINITY } = range.created ?? {};
      const within = latestFirst.filter((row) => row.kind === 'readable' && row.createdAt < to);
      return aPage(within.slice(offset, offset + 10));
    });

    const fitted = await fitRange(
      { from: undefined, to: FROM + DAY, lowest: FROM - DAY, isSparse: true },
      reader,
    );

    expect(fitted.fits).toBe(true);
    expect(fitted.to).toBeLessThan(FROM + HOUR);
    expect(reader.requests.length).toBeLessThan(25);
  });

  it('is not probed behind the last row that lists are known to show: such requests may always fail', async () => {
    const { reader } = storeOf(1_000, 'created desc');
    const requests: PageRequest[] = [];
    const fetch = (request: PageRequest) => {
      requests.push(request);
      return reader.fetch(request);
    };
    const depth = aDepth({ most: 100 });

    await fitRange({ from: undefined, to: TO, lowest: FROM, isSparse: true }, { ...reader, fetch, depth });

    expect(requests.length).toBeGreaterThan(2);
    expect(Math.max(...requests.map(({ offset }) => offset))).toBeLessThan(100);
  });
});

describe('a range behind which the service refuses pages', () => {
  const refused = new PageOutOfReach('injected by the test');
  const offsetsOf = ({ requests }: { readonly requests: readonly PageRequest[] }) =>
    requests.map(({ offset }) => offset);

  it('is probed half as far until the service shows the place', async () => {
    const rows = rowsOf(1, 2, 3);
    const answer = ({ offset }: PageRequest) => aPage(rows.slice(offset));
    const reader = createScriptedReader(failingFrom(11, refused, answer), { maxPages: 24 });

    const fitted = await fitRange(WISHED, reader);

    expect(fitted).toMatchObject({ to: TO, fits: true });
    expect(offsetsOf(reader)).toEqual([0, 40, 20, 10]);
  });

  it('is probed half as far as its pages reach if that was refused further on', async () => {
    const latestFirst = idsFrom(1, 100).map((id) => aRow(id, { createdAt: TO - id * HOUR }));
    const answer = (request: PageRequest) => pageWithin(request, latestFirst, 3);
    const reader = createScriptedReader(failingFrom(30, refused, answer), { maxPages: 9 });

    await fitRange({ ...WISHED, isSparse: true }, reader);

    expect(offsetsOf(reader).slice(0, 5)).toEqual([0, 10, 20, 40, 5]);
  });

  it('rejects if the page fails for another reason', async () => {
    const failure = new Error('injected by the test');
    const answer = () => aPage(rowsOf(1, 2, 3));
    const reader = createScriptedReader(failingFrom(1, failure, answer));

    const fitting = fitRange(WISHED, reader);

    await expect(fitting).rejects.toBe(failure);
  });
});
