import { describe, expect, it } from 'vitest';
import { HOUR, SECOND } from '../../../shared/instant.ts';
import {
  createNewsMemory,
  forgetLateness,
  type NewsOptions,
  noteLateness,
  readNews,
} from '../../../shared/reading/news.ts';
import { identityOf, PageOutOfReach } from '../../../shared/reading/page.ts';
import type { RowReading } from '../../../shared/returns-service/parse-return-group.ts';
import { STAMPS } from './at-noon.ts';
import { offsetsOf } from './passes.ts';
import {
  anUnreadableRow,
  aPage,
  aRow,
  createScriptedReader,
  failingFrom,
  idsFrom,
  rowsOf,
  type ScriptedReader,
} from './some-rows.ts';
import { NOON } from './worlds.ts';

const clocks = { stamps: () => STAMPS, now: () => NOON };
const FROM = NOON - 20 * SECOND;
const read = ({ fetch, take }: ScriptedReader, maxPages?: number) =>
  readNews(FROM, { fetch, take, ...clocks, maxPages });
/** Pages of these ids, one after the other. */
const pagesOf = (...pages: readonly (readonly number[])[]) =>
  createScriptedReader((_, index) => aPage(rowsOf(...(pages[index] ?? []))));

describe('news', () => {
  it('are everything updated from an instant on, up to the furthest stamp that polls ask for', async () => {
    const reader = pagesOf([1]);

    await read(reader);

    expect(reader.requests[0]?.range).toEqual({ updated: { from: FROM, to: NOON + HOUR } });
  });

  it('are read on while more than half of a page is new', async () => {
    const mostlyNew = pagesOf(idsFrom(1, 12), idsFrom(8, 19), idsFrom(17, 28));
    const halfNew = pagesOf(idsFrom(1, 12), idsFrom(7, 18));

    expect(await read(mostlyNew, 3)).toBe(3);
    expect(await read(halfNew)).toBe(2);

    expect(offsetsOf(mostlyNew)).toEqual([0, 12, 24]);
    expect(offsetsOf(halfNew)).toEqual([0, 12]);
  });

  it('end at a page that can’t have been cut short', async () => {
    const short = createScriptedReader(() => aPage(rowsOf(1, 2, 3), { bytes: 900 }));
    const cutByBytes = createScriptedReader((_, index) => aPage(index === 0 ? rowsOf(1, 2, 3) : []));

    await read(short);
    await read(cutByBytes);

    expect(offsetsOf(short)).toEqual([0]);
    expect(offsetsOf(cutByBytes)).toEqual([0, 3]);
  });

  it('are at most as many pages as allowed, and twenty by default', async () => {
    const endless = () =>
      createScriptedReader(({ offset }) => aPage(rowsOf(...idsFrom(offset + 1, offset + 12))));

    expect(await read(endless(), 1)).toBe(1);
    expect(await read(endless())).toBe(20);
  });

  it('end where the service refuses further pages', async () => {
    const refused = new PageOutOfReach('injected by the test');
    const window = createScriptedReader(failingFrom(1, refused, () => aPage(rowsOf(...idsFrom(1, 12)))));

    expect(await read(window)).toBe(2);
    expect(window.taken).toHaveLength(1);
  });

  it('reject if a page fails for another reason', async () => {
    const failure = new Error('injected by the test');
    const reader = createScriptedReader(failingFrom(1, failure, () => aPage(rowsOf(...idsFrom(1, 12)))));

    const reading = read(reader);

    await expect(reading).rejects.toBe(failure);
  });
});

/** Rows of a full page where the list has no order. */
const FULL = 10;

describe('news of a list without order', () => {
  /** Reads a list that shows any of the rows that belong to a range: those that were updated in so many seconds. */
  async function readUnordered(secondsAgo: readonly number[], density = 0) {
    const rows = secondsAgo.map((seconds, id) => aRow(id, { updatedAt: NOON - seconds * SECOND }));
    const reader = createScriptedReader(({ range: { updated }, offset }, index) => {
      const { from = 0, to = 0 } = updated ?? {};
      const within = rows.filter(({ updatedAt }) => updatedAt >= from && updatedAt < to);
      const first = within.length === 0 ? 0 : (index * 7) % within.length;
      return aPage([...within.slice(first), ...within.slice(0, first)].slice(offset, offset + FULL));
    });
    const memory = { ...createNewsMemory(), density };
    const requests = await readNews(FROM, {
      ...reader,
      ...clocks,
      maxPages: undefined,
      inParts: { fullPage: FULL, memory },
    });
    const ids = reader.taken.flatMap((page) => page.rows.map(identityOf));
    return { requests, memory, ids: new Set(ids).size, reader };
  }
  const evenly = (count: number) => idsFrom(1, count).map((id) => (20 * id) / (count + 1));

  it('are read in parts that fit a page, so that every row is seen', async () => {
    const { requests, ids, reader } = await readUnordered(evenly(16));

    expect(ids).toBe(16);
    expect(requests).toBe(5);
    expect(reader.requests.every(({ offset }) => offset === 0)).toBe(true);
  });

  it('begin with as many parts as the last news had rows for', async () => {
    const first = await readUnordered(evenly(16));

    const again = await readUnordered(evenly(16), first.memory.density);

    expect(first.memory.density * 20 * SECOND).toBeCloseTo(16);
    expect(again.reader.requests.map(({ range }) => range.updated)).toEqual([
      { from: NOON - 10 * SECOND, to: NOON + HOUR },
      { from: FROM, to: NOON - 10 * SECOND },
    ]);
    expect(again.ids).toBe(16);
  });

  it('are one request again once little happens', async () => {
    const busy = 40 / (20 * SECOND);

    const calm = await readUnordered(evenly(3), busy);

    expect(calm.requests).toBe(5);
    expect((await readUnordered(evenly(3), calm.memory.density)).requests).toBe(1);
  });

  it('end at a full page of rows that all changed at once', async () => {
    const { requests } = await readUnordered(idsFrom(1, 15).map(() => 5));

    expect(requests).toBeLessThanOrEqual(8);
  });

  it('are read page by page while they have many rows', async () => {
    const { requests, memory, reader } = await readUnordered(evenly(300), 45 / (20 * SECOND));

    expect(reader.requests.every(({ range }) => range.updated?.to === NOON + HOUR)).toBe(true);
    expect(reader.requests.map(({ offset }) => offset).slice(0, 3)).toEqual([0, 10, 20]);
    expect(requests).toBeLessThanOrEqual(20);
    // As many again were perhaps not seen.
    expect(memory.density * 20 * SECOND).toBeGreaterThan(200);
  });

  it('are estimated by the parts that were not read if there were too many', async () => {
    const { requests, memory } = await readUnordered(evenly(300), 40 / (20 * SECOND));

    expect(requests).toBe(8);
    expect(memory.density * 20 * SECOND).toBeGreaterThan(150);
  });
});

describe('a part of the news', () => {
  const partsOf = ({ requests }: ScriptedReader) =>
    requests.map(({ range: { updated }, offset }) => [updated?.from, updated?.to, offset]);
  /** How many rows are planned for so many parts. */
  const rowsOfParts = (parts: number) => parts * 0.8 * FULL;

  /** Reads these rows in parts; the service shows the rows at both ends of a range. */
  async function readInParts(rows: readonly RowReading[], density = 0, changed: Partial<NewsOptions> = {}) {
    const reader = createScriptedReader(({ range: { updated }, offset }) => {
      const { from = 0, to = 0 } = updated ?? {};
      const within = rows.filter(({ updatedAt = from }) => updatedAt >= from && updatedAt <= to);
      return aPage(within.slice(offset, offset + FULL));
    });
    const memory = { ...createNewsMemory(), density };
    const inParts = { fullPage: FULL, memory };
    const requests = await readNews(FROM, { ...reader, ...clocks, inParts, ...changed });
    return { reader, memory, requests };
  }

  it('is read page by page if its rows all have the stamp of one of its ends', async () => {
    const middle = NOON - 10 * SECOND;
    const rows = idsFrom(1, 25).map((id) => aRow(id, { updatedAt: middle }));

    const { requests, reader } = await readInParts(rows, rowsOfParts(2) / (20 * SECOND));

    const offsets = [0, 10, 20, 25];
    expect(partsOf(reader)).toEqual([
      ...offsets.map((offset) => [middle, NOON + HOUR, offset]),
      ...offsets.map((offset) => [FROM, middle, offset]),
    ]);
    expect(requests).toBe(8);
  });

  it('is read page by page if its rows have no stamps', async () => {
    const rows = idsFrom(1, 25).map((id) => anUnreadableRow(id));

    const { requests, reader } = await readInParts(rows);

    expect(partsOf(reader)).toEqual([0, 10, 20, 25].map((offset) => [FROM, NOON + HOUR, offset]));
    expect(requests).toBe(4);
  });

  it('is planned up to the stamps’ clock, and the newest part goes on as far as stamps may', async () => {
    const behind = { ...STAMPS, newest: NOON - 10 * SECOND };

    const { reader } = await readInParts([], rowsOfParts(2) / (10 * SECOND), { stamps: () => behind });

    expect(partsOf(reader)).toEqual([
      [NOON - 15 * SECOND, NOON + HOUR, 0],
      [FROM, NOON - 15 * SECOND, 0],
    ]);
  });

  it.each([0, SECOND])('is only one next time if news begin %i µs ahead of the clock', async (ahead) => {
    const { memory } = await readInParts(rowsOf(1), 1 / SECOND, { now: () => FROM - ahead });

    expect(memory.density).toBe(0);
  });

  it('is planned for twice the rows that were seen if the last page repeated most of its rows', async () => {
    const pages = [idsFrom(1, 10), idsFrom(6, 15), idsFrom(9, 18)];
    const { fetch, take } = pagesOf(...pages);
    const memory = { ...createNewsMemory(), density: 45 / (20 * SECOND) };

    const requests = await readNews(FROM, { fetch, take, ...clocks, inParts: { fullPage: FULL, memory } });

    expect(requests).toBe(2);
    expect(memory.density * 20 * SECOND).toBeCloseTo(2 * 15);
  });
});

describe('the lateness of changes', () => {
  const memory = (lateness: number) => ({
    ...createNewsMemory(),
    ...{ readThrough: NOON, lateness, isGuess: false },
  });

  it('is ten seconds before the first late change', () => {
    expect(createNewsMemory().lateness).toBe(10 * SECOND);
  });

  it('follows from a change that became visible after its stamp had been read, plus a second', () => {
    const news = memory(SECOND);

    noteLateness(news, NOON - 4 * SECOND);

    expect(news.lateness).toBe(5 * SECOND);
  });

  it('is at most ten seconds: covering finds later changes', () => {
    const news = memory(SECOND);

    noteLateness(news, NOON - HOUR);

    expect(news.lateness).toBe(10 * SECOND);
  });

  it('does not shrink with a change that is less late, and ignores changes that are not late', () => {
    const news = memory(6 * SECOND);
    const first = { ...createNewsMemory(), lateness: SECOND };

    noteLateness(news, NOON - 2 * SECOND);
    noteLateness(news, NOON + SECOND);
    noteLateness(first, NOON - 8 * SECOND);

    expect(news.lateness).toBe(6 * SECOND);
    expect(first.lateness).toBe(SECOND);
  });

  it('begins later again once changes show in time, slowly', () => {
    const news = memory(10 * SECOND);

    forgetLateness(news);
    const afterOne = news.lateness;
    for (let times = 0; times < 30; times += 1) forgetLateness(news);

    expect(afterOne).toBe(9 * SECOND);
    expect(news.lateness).toBe(SECOND);
  });

  it('is forgotten sooner while no change has shown late', () => {
    const guess = { ...createNewsMemory(), readThrough: NOON };
    const learned = { ...guess };

    noteLateness(guess, NOON);
    noteLateness(learned, NOON - 1);
    for (const news of [guess, learned]) forgetLateness(news);

    expect([guess.lateness, learned.lateness]).toEqual([5 * SECOND, 9 * SECOND]);
  });

  it('lets news keep finding changes that show up to nine seconds late', () => {
    const news = memory(10 * SECOND);
    const late: number[] = [];

    for (let reading = 0; reading < 50; reading += 1) {
      forgetLateness(news);
      late.push(news.lateness / SECOND);
      noteLateness(news, NOON - Math.min(9 * SECOND, news.lateness));
    }

    expect(Math.min(...late)).toBeGreaterThanOrEqual(9);
  });
});
