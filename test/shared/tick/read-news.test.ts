import { describe, expect, it } from 'vitest';
import { HOUR, MILLISECOND, SECOND } from '../../../shared/instant.ts';
import { createNews } from '../../../shared/tick/read-news.ts';
import { idsFrom, rowsOf } from '../reading/some-rows.ts';
import { createSourceWorld } from '../source-world.ts';
import { createUnorderedRun, NOW, settledState } from './unordered-run.ts';

describe('news', () => {
  it('begin at the given instant the first time, and later at the end of the last read, less the lateness', async () => {
    const { run, asked, advance } = createUnorderedRun();
    const news = createNews(run);

    await news.read(NOW - 30 * SECOND);
    advance(5 * SECOND);
    run.session.news.lateness = 3 * SECOND;
    await news.read(NOW - 30 * SECOND);

    expect(asked.map(({ range }) => range.updated?.from)).toEqual([NOW - 30 * SECOND, NOW - 3 * SECOND]);
    expect(asked.map(({ purpose }) => purpose)).toEqual(['poll', 'poll']);
  });

  it('never begin before the settled instant', async () => {
    const state = settledState(30, { settledThrough: NOW - SECOND });
    const { run, asked } = createUnorderedRun({ state });

    await createNews(run).read(NOW - HOUR);

    expect(asked[0]?.range.updated?.from).toBe(NOW - SECOND);
  });

  it('begin at the same instant again after a failure', async () => {
    const world = createUnorderedRun();
    const news = createNews(world.run);
    await news.read(NOW);
    world.onRequest = () => {
      throw new Error('injected by the test');
    };
    world.advance(5 * SECOND);
    await expect(news.read(NOW)).rejects.toThrow('injected by the test');
    world.onRequest = () => {};
    world.advance(5 * SECOND);
    world.run.session.news.lateness = 3 * SECOND;

    await news.read(NOW);

    expect(world.asked.at(-1)?.range.updated?.from).toBe(NOW - 3 * SECOND);
  });

  it('are due once an interval, but not before they were read once', async () => {
    const { run, advance } = createUnorderedRun();
    const news = createNews(run);

    const first = news.isDue();
    await news.read(NOW);
    const atOnce = news.isDue();
    advance(5_000 * MILLISECOND - 1);
    const tooEarly = news.isDue();
    advance(1);

    expect([first, atOnce, tooEarly, news.isDue()]).toEqual([false, false, false, true]);
  });

  it.each([
    { of: 'of a list without order', isUnordered: true, idleFor: 0, pages: 1 },
    { of: 'if polls go by update all the same', isUnordered: true, idleFor: HOUR, pages: 20 },
    { of: 'of a list that keeps its order', isUnordered: false, idleFor: 0, pages: 20 },
  ])('are at most $pages page(s) $of', async ({ isUnordered, idleFor, pages }) => {
    const world = createUnorderedRun({ isUnordered });
    world.answer = ({ offset }) => rowsOf(...idsFrom(offset + 1, offset + 12));
    world.advance(idleFor);

    expect(await createNews(world.run).read(NOW)).toBe(pages);
  });

  it('forget a tenth of the lateness each time once a change has shown late', async () => {
    const { run } = createUnorderedRun();
    run.session.news.isGuess = false;

    await createNews(run).read(NOW);

    expect(run.session.news.lateness).toBe(9 * SECOND);
  });
});

it('a change that polls find late makes news begin earlier', async () => {
  const world = createSourceWorld();
  const session = world.startProcess('a');
  await world.nextTick(session);
  world.setShipment(world.someGroup(), 'FAILED');
  const changedAt = world.time.now();
  session.news.readThrough = changedAt + 4 * SECOND;
  session.news.lateness = SECOND;

  await world.nextTick(session);

  expect(session.news.lateness).toBe(5 * SECOND);
});
