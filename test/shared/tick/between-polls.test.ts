import { describe, expect, it } from 'vitest';
import { MILLISECOND, SECOND } from '../../../shared/instant.ts';
import type { Purpose } from '../../../shared/pacing/budget-state.ts';
import { createNewsMemory } from '../../../shared/reading/news.ts';
import type { PageRequest } from '../../../shared/reading/page.ts';
import { UNKNOWN_STAMPS } from '../../../shared/reading/stamps-clock.ts';
import { RequestTimedOutError } from '../../../shared/returns-service/errors.ts';
import { createFetchBetweenPolls, createPollWhenDue } from '../../../shared/tick/between-polls.ts';
import { createSweeping } from '../../../shared/tick/sweep.ts';
import type { TickRun } from '../../../shared/tick/tick-run.ts';
import { idsFrom, rowsOf } from '../reading/some-rows.ts';
import { createSourceWorld } from '../source-world.ts';
import { createUnorderedRun } from './unordered-run.ts';

const isPoll = ({ query }: { readonly query: string }) => query.includes('min_updated_at');

describe('a walk', () => {
  it('pauses for every poll that is due', async () => {
    const world = createSourceWorld({
      groups: 200,
      knobs: { limitMax: 8 },
      settings: { intervalMs: 5_000 },
      latencyMs: 900,
    });

    const report = await world.tick(world.startProcess('a'));

    const polledAt = world
      .requests()
      .filter(isPoll)
      .map(({ at }) => at / MILLISECOND);
    const gaps = polledAt.slice(1).map((at, index) => at - (polledAt[index] ?? 0));
    expect(report.polls).toBeGreaterThanOrEqual(5);
    expect(Math.max(...gaps)).toBeLessThan(8_000);
  });

  it('delays no poll while one of its requests waits for the budget', async () => {
    const world = createSourceWorld({
      groups: 200,
      knobs: { limitMax: 8 },
      settings: { intervalMs: 5_000, requestsPerMinute: 60 },
    });

    await world.tick(world.startProcess('a'));

    const [first = 0, ...later] = firstRequestsOfPolls(world.requests());
    const late = later.map((at) => ((at - first) % (5 * SECOND)) / SECOND);
    expect(later.length).toBeGreaterThanOrEqual(5);
    expect(late.filter((seconds) => seconds > 0.2)).toEqual([]);
  });

  it('does not delay a poll that publishes a change between its pages', async () => {
    const world = createSourceWorld({
      groups: 200,
      knobs: { limitMax: 8 },
      settings: { intervalMs: 5_000 },
      latencyMs: 900,
    });
    const group = world.someGroup();
    let requests = 0;
    world.network.onRequest = () => {
      requests += 1;
      if (requests === 40) world.setShipment(group, 'FAILED');
    };

    const report = await world.tick(world.startProcess('a'));

    const events = await world.groupEvents(group);
    expect(report.state?.baseline.status).toBe('running');
    expect(events.length).toBeGreaterThan(0);
    expect(events.every(({ data }) => 'observed' in data && data.observed.through === 'poll')).toBe(true);
  });

  it('sends one request for every four of the polls, even if polls are always due', async () => {
    const order = await orderOf({ pages: 8, requestsOfAPoll: 12, baseline: { status: 'running' } });

    expect(order).toBe('poll walk walk walk poll walk walk walk poll walk walk');
  });

  it('proves a page after the first poll of a tick whose other requests would be too few for that', async () => {
    const requestsOfATick = 12;
    const order = await orderOf({ pages: 7, requestsOfAPoll: 4, baseline: {}, requestsOfATick });

    expect(order).toBe('poll walk walk walk walk walk poll walk poll walk');
  });

  it('sends as many requests as the poll took if the whole walk fits its cycle', async () => {
    const order = await orderOf({
      pages: 6,
      requestsOfAPoll: 2,
      baseline: { status: 'completed', requests: 50 },
    });

    expect(order).toBe('poll walk walk poll walk walk poll walk walk');
  });

  it('sends at most eight requests after a poll, even after a long one', async () => {
    const order = await orderOf({
      pages: 10,
      requestsOfAPoll: 20,
      baseline: { status: 'completed', requests: 50 },
    });

    expect(order.split(' ').lastIndexOf('poll')).toBe(9);
  });

  it('gives way to news once an interval during its requests after a long poll', async () => {
    const order = await orderOf({
      pages: 10,
      requestsOfAPoll: 20,
      baseline: { status: 'completed', requests: 50 },
      intervalMs: 15,
      newsReadThrough: 1,
    });

    // A request takes 5 ms.
    expect(order).toBe('poll walk walk walk news walk walk walk news walk walk poll walk walk');
  });

  it('sends one request for every four of the news if news are always due', async () => {
    const order = await orderOf({
      pages: 9,
      requestsOfAPoll: 80,
      baseline: { status: 'running' },
      newsReadThrough: 1,
      requestsOfNews: 12,
    });

    const news = ' news'.repeat(12);
    expect(order).toBe(`poll walk${news} walk walk walk${news} walk walk walk${news} walk walk`);
  });

  it('sends its requests after news also before the next poll is due', async () => {
    const order = await orderOf({
      pages: 13,
      requestsOfAPoll: 20,
      baseline: { status: 'completed', requests: 50 },
      intervalMs: 30,
      newsReadThrough: 1,
      requestsOfNews: 12,
    });

    const [walk, news] = [' walk', ' news'.repeat(12)];
    expect(order).toBe(`poll${walk.repeat(6)}${news}${walk.repeat(2)} poll${walk.repeat(4)}${news}${walk}`);
  });

  it('continues if news fail because of their request', async () => {
    const order = await orderOf({
      pages: 6,
      requestsOfAPoll: 20,
      baseline: { status: 'completed', requests: 50 },
      newsReadThrough: 1,
      newsError: new RequestTimedOutError('injected by the test', {}),
    });

    expect(order).toBe('poll walk news walk news walk news walk news walk news walk');
  });

  it('gives way to a sweep of two pieces before each of its requests', async () => {
    const { run, asked } = createUnorderedRun({ createdAt: idsFrom(1, 60) });
    const fetch = createFetchBetweenPolls(run, async () => {}, createSweeping(run));

    await fetch({ range: { created: { from: 7, to: 8 } }, offset: 3 });
    await fetch({ range: { created: { from: 8, to: 9 } }, offset: 3 });

    expect(asked.map(({ offset }) => (offset === 3 ? 'walk' : 'sweep'))).toEqual([
      ...['sweep', 'sweep', 'walk'],
      ...['sweep', 'sweep', 'walk'],
    ]);
  });
});

/** When each poll began; the ends of their ranges distinguish the polls. */
function firstRequestsOfPolls(
  requests: readonly { readonly at: number; readonly query: string }[],
): number[] {
  const begun = new Map<string | null, number>();
  for (const { at, query } of requests.filter(isPoll)) {
    const to = new URLSearchParams(query).get('max_updated_at');
    if (!begun.has(to)) begun.set(to, at);
  }
  return [...begun.values()];
}

interface Walked {
  readonly pages: number;
  readonly requestsOfAPoll: number;
  readonly baseline: object;
  /** @default 1 */
  readonly intervalMs?: number;
  /** Up to where news were read; undefined if they never were. */
  readonly newsReadThrough?: number;
  readonly newsError?: Error;
  /** @default 1 */
  readonly requestsOfNews?: number;
  /** Requests that a tick manages. @default 200 */
  readonly requestsOfATick?: number;
}

/** The order of a walk's requests and of polls; by default a poll is due before each request. */
async function orderOf(walked: Walked): Promise<string> {
  const {
    pages,
    requestsOfAPoll,
    baseline,
    intervalMs = 1,
    newsReadThrough,
    newsError,
    requestsOfNews = 1,
    requestsOfATick = 200,
  } = walked;
  const order: string[] = [];
  let sent = 0;
  let elapsed = 0;
  const run = {
    session: {
      clock: { elapsed: () => elapsed },
      settings: { intervalMs, reconcileMs: 1, requestsPerMinute: 240 },
      serviceClock: { now: () => ({ atLeast: 0, atMost: 0 }) },
      news: { ...createNewsMemory(), readThrough: newsReadThrough },
      list: { isUnordered: false },
      paces: { poll: { requestsIn: () => requestsOfATick } },
    },
    state: { baseline, longestPage: 0, settledThrough: 0, reconciliation: { all: {} } },
    stamps: { ...UNKNOWN_STAMPS, newest: 0 },
    recorder: () => ({ take: async () => {} }),
    requestsSent: () => sent,
    fetchAndLearn:
      (purpose: Purpose) =>
      async ({ offset }: PageRequest) => {
        order.push(purpose === 'poll' ? 'news' : 'walk');
        if (purpose === 'poll' && newsError !== undefined) throw newsError;
        if (purpose !== 'poll') elapsed += 5 * MILLISECOND;
        const isLast = purpose !== 'poll' || offset >= 12 * (requestsOfNews - 1);
        const rows = isLast ? [] : rowsOf(...idsFrom(offset + 1, offset + 12));
        return { rows, bytes: 0, sentAt: 0, receivedAt: 0 };
      },
  } as unknown as TickRun;
  const poll = async () => {
    sent += requestsOfAPoll;
    order.push('poll');
  };
  const sweepOn = createSweeping(run);
  const fetch = createFetchBetweenPolls(run, createPollWhenDue(run, sweepOn, poll), sweepOn);

  for (let page = 0; page < pages; page += 1) await fetch({ range: {}, offset: page });
  return order.join(' ');
}
