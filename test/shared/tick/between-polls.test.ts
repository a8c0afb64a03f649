import { describe, expect, it } from 'vitest';
import { MILLISECOND } from '../../../shared/instant.ts';
import { createFetchBetweenPolls, createPollWhenDue } from '../../../shared/tick/between-polls.ts';
import type { TickRun } from '../../../shared/tick/tick-run.ts';
import { createSourceWorld } from '../source-world.ts';

const isPoll = ({ query }: { readonly query: string }) => query.includes('min_updated_at');

describe('a walk', () => {
  it('lets a poll through whenever one is due', async () => {
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

  it('finds a change between its pages', async () => {
    const world = createSourceWorld({
      groups: 200,
      knobs: { limitMax: 8 },
      settings: { intervalMs: 5_000 },
      latencyMs: 900,
    });
    const group = world.someGroup();
    let asked = 0;
    world.network.onRequest = () => {
      asked += 1;
      if (asked === 40) world.setShipment(group, 'FAILED');
    };

    const report = await world.tick(world.startProcess('a'));

    const told = await world.groupEvents(group);
    expect(report.state?.baseline.status).toBe('running');
    expect(told.length).toBeGreaterThan(0);
    expect(told.every(({ data }) => 'observed' in data && data.observed.through === 'poll')).toBe(true);
  });

  it('gets a request for each four of polls, however often these are due', async () => {
    const order: string[] = [];
    let sent = 0;
    let elapsed = 0;
    const run = {
      session: {
        clock: { elapsed: () => elapsed },
        settings: { intervalMs: 1 },
      },
      requestsSent: () => sent,
      fetch: () => async () => {
        elapsed += 5 * MILLISECOND;
        order.push('walk');
        return { rows: [], bytes: 0, sentAt: 0, receivedAt: 0 };
      },
    } as unknown as TickRun;
    const poll = async () => {
      sent += 12;
      order.push('poll');
    };
    const fetch = createFetchBetweenPolls(run, createPollWhenDue(run, poll));

    for (let page = 0; page < 8; page += 1) await fetch({ range: {}, offset: page });

    expect(order.join(' ')).toBe('walk poll walk walk walk poll walk walk walk poll walk');
  });
});
