import { describe, expect, it } from 'vitest';
import { HOUR, SECOND } from '../../../shared/instant.ts';
import { createNewsMemory, forgetLateness, noteLateness, readNews } from '../../../shared/reading/news.ts';
import { PageOutOfReach } from '../../../shared/reading/page.ts';
import { STAMPS } from './at-noon.ts';
import { aPage, createScriptedReader, idsFrom, rowsOf, type ScriptedReader } from './some-rows.ts';
import { NOON } from './worlds.ts';

const clocks = { stamps: () => STAMPS, now: () => NOON };
const FROM = NOON - 20 * SECOND;
const read = ({ fetch, take }: ScriptedReader, maxPages?: number) =>
  readNews(FROM, { fetch, take, ...clocks, maxPages });
/** Pages of these ids, one after the other. */
const pagesOf = (...pages: readonly (readonly number[])[]) =>
  createScriptedReader((_, index) => aPage(rowsOf(...(pages[index] ?? []))));
const offsetsOf = ({ requests }: ScriptedReader) => requests.map(({ offset }) => offset);

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
    const window = createScriptedReader(({ offset }) => {
      if (offset > 0) throw new PageOutOfReach('injected by the test');
      return aPage(rowsOf(...idsFrom(1, 12)));
    });

    expect(await read(window)).toBe(2);
    expect(window.taken).toHaveLength(1);
  });
});

describe('the lateness of changes', () => {
  const memory = (lateness: number) => ({ ...createNewsMemory(), readThrough: NOON, lateness });

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

  it('shrinks by half each time it is forgotten, down to a second', () => {
    const news = memory(10 * SECOND);

    forgetLateness(news);
    const afterOne = news.lateness;
    for (let times = 0; times < 20; times += 1) forgetLateness(news);

    expect(afterOne).toBe(5 * SECOND);
    expect(news.lateness).toBe(SECOND);
  });
});
