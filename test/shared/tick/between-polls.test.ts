import { describe, expect, it } from 'vitest';
import { MILLISECOND } from '../../../shared/instant.ts';
import { createFetchBetweenPolls, createPollWhenDue } from '../../../shared/tick/between-polls.ts';
import type { TickRun } from '../../../shared/tick/tick-run.ts';
import { createSourceWorld } from '../source-world.ts';

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

  it('lets a poll publish a change that happens between its pages', async () => {
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

  it('sends one request for every four of the polls, however often polls are due', async () => {
    const order = await orderOf({ pages: 8, requestsOfAPoll: 12, baseline: { status: 'running' } });

    expect(order).toBe('walk poll walk walk walk poll walk walk walk poll walk');
  });

  it('sends as many requests as the poll took if the whole walk must fit its cycle', async () => {
    const order = await orderOf({
      pages: 6,
      requestsOfAPoll: 2,
      baseline: { status: 'completed', requests: 50 },
    });

    expect(order).toBe('walk poll walk walk poll walk walk poll walk');
  });

  it('sends at most eight requests after a poll, however long the poll was', async () => {
    const order = await orderOf({
      pages: 10,
      requestsOfAPoll: 20,
      baseline: { status: 'completed', requests: 50 },
    });

    expect(order.split(' ').lastIndexOf('poll')).toBe(10);
  });
});

interface Walked {
  readonly pages: number;
  readonly requestsOfAPoll: number;
  readonly baseline: object;
}

/** The order of the requests of a walk and of polls that are always due. */
async function orderOf({ pages, requestsOfAPoll, baseline }: Walked): Promise<string> {
  const order: string[] = [];
  let sent = 0;
  let elapsed = 0;
  const run = {
    session: {
      clock: { elapsed: () => elapsed },
      settings: { intervalMs: 1, reconcileMs: 1, requestsPerMinute: 240 },
    },
    state: { baseline, reconciliation: { all: {} } },
    requestsSent: () => sent,
    fetchAndLearn: () => async () => {
      elapsed += 5 * MILLISECOND;
      order.push('walk');
      return { rows: [], bytes: 0, sentAt: 0, receivedAt: 0 };
    },
  } as unknown as TickRun;
  const poll = async () => {
    sent += requestsOfAPoll;
    order.push('poll');
  };
  const fetch = createFetchBetweenPolls(run, createPollWhenDue(run, poll));

  for (let page = 0; page < pages; page += 1) await fetch({ range: {}, offset: page });
  return order.join(' ');
}
