import { describe, expect, it } from 'vitest';
import { HOUR, MILLISECOND, MINUTE, SECOND } from '../../../shared/instant.ts';
import type { Budget } from '../../../shared/pacing/budget.ts';
import { BudgetUnavailable, DeadlineReached } from '../../../shared/pacing/errors.ts';
import { createServiceClock } from '../../../shared/pacing/service-clock.ts';
import type { ReturnsServiceClient } from '../../../shared/returns-service/client.ts';
import { createVirtualClock, VIRTUAL_START } from '../../fakes/virtual-clock.ts';
import { page, SERVICE_START, serverError, setUp } from './requests-world.ts';

describe('a request', () => {
  it('returns the answer with its times by the service and the hash of its access', async () => {
    const answer = page(SERVICE_START);
    const { poll } = setUp({ answers: [answer] });

    const sent = await poll();

    expect(sent).toEqual({
      answer,
      sentAt: SERVICE_START - 100 * MILLISECOND,
      receivedAt: SERVICE_START + SECOND + 100 * MILLISECOND,
      accessHash: 'access of first',
    });
    expect(sent.answer).toBe(answer);
  });

  it('was sent before a suspension during the answer if the service sends no time', async () => {
    const time = createVirtualClock();
    let suspended = 0;
    const clock = { ...time, elapsed: () => time.elapsed() - suspended };
    const { requests } = setUp({ clock });
    const list = async (client: ReturnsServiceClient) => {
      const answer = await client.listReturnGroups({});
      await time.sleep(180_000);
      suspended = 3 * MINUTE;
      return answer;
    };

    const sent = await time.run(requests.send('poll', list));

    expect(sent.sentAt).toBe(VIRTUAL_START);
    expect(sent.receivedAt).toBe(VIRTUAL_START + 100 * MILLISECOND + 3 * MINUTE);
  });

  it('is sent again until its time is certain', async () => {
    const clock = createVirtualClock();
    const wrong = page(SERVICE_START + 7 * HOUR);
    const right = page(SERVICE_START);
    const { requests, list, sent } = setUp({
      clock,
      serviceClock: createServiceClock(clock),
      answers: [wrong, right],
      durationMs: 0,
    });

    const first = await clock.run(requests.send('poll', list));
    const second = await clock.run(requests.send('poll', list));

    expect(first).toMatchObject({ answer: right, sentAt: SERVICE_START });
    expect(second.receivedAt).toBeLessThan(SERVICE_START + 2 * SECOND);
    expect(sent).toHaveLength(5);
    expect(requests.counters().poll).toMatchObject({ sent: 5, retried: 0 });
  });

  it('is sent five times at first if the service sends no time, and later once', async () => {
    const clock = createVirtualClock();
    const { requests, list, sent } = setUp({ clock, serviceClock: createServiceClock(clock) });

    await clock.run(requests.send('poll', list));
    await clock.run(requests.send('poll', list));

    expect(sent).toHaveLength(6);
  });

  it('reads the secret and creates the client once', async () => {
    const { poll, reads, budgets, sent } = setUp();

    await poll();
    await poll();

    expect(reads).toEqual(['first']);
    expect([...budgets]).toEqual([['first', 1]]);
    expect(sent.map(({ token }) => token)).toEqual(['first', 'first']);
  });

  it('reads the secret again only with `readsSecret`', async () => {
    const { clock, poll, requests, list, sent, reads } = setUp({ secrets: ['first', 'second', 'third'] });
    await poll();

    const doubtful = await clock.run(requests.send('poll', list, { readsSecret: true }));
    await poll();

    expect(doubtful.accessHash).toBe('access of second');
    expect(sent.map(({ token }) => token)).toEqual(['first', 'second', 'second']);
    expect(reads).toEqual(['first', 'second']);
  });

  it('reads the secret once for two requests that begin together', async () => {
    const { clock, requests, list, reads } = setUp();

    await clock.run(Promise.all([requests.send('poll', list), requests.send('reconciliation', list)]));

    expect(reads).toEqual(['first']);
  });

  it('waits for its slot', async () => {
    const { poll, sent } = setUp({ requestsPerMinute: 2, durationMs: 0 });

    await poll();
    await poll();

    expect(sent.map(({ atMs }) => atMs)).toEqual([0, 64_002]);
  });

  it('books the requests that are likely to follow within two seconds', async () => {
    const { clock, requests, list, store } = setUp({ durationMs: 900 });

    const first = { expect: 4 };
    await clock.run(requests.send('poll', list, first));
    const atFirst = store.state()!.theoreticalArrival;
    // A request is now known to take 0.9 s, so two are booked.
    await clock.run(requests.send('reconciliation', list, first));
    const { saves } = store.calls;
    await clock.run(requests.send('reconciliation', list, first));
    await clock.run(requests.send('reconciliation', list, first));

    expect(atFirst).toBe(VIRTUAL_START + 4 * 367_817);
    expect([saves, store.calls.saves]).toEqual([2, 3]);
    // 0.9 ms of doubt about the store's time at the first of the two bookings of two each.
    expect(store.state()!.reservedArrival).toBe(VIRTUAL_START + 899_100 + 4 * 1_422_223);
  });

  it('books only itself if a request takes longer than two seconds, or nothing is expected', async () => {
    const { clock, requests, list, store, poll } = setUp({ durationMs: 2_001 });
    await poll();

    await clock.run(requests.send('poll', list, { expect: 9 }));

    expect(store.calls.saves).toBe(2);
    expect(store.state()!.theoreticalArrival).toBe(VIRTUAL_START + 2 * SECOND + 367_817);
  });

  it('is not sent after the deadline', async () => {
    const { poll, sent } = setUp({ deadline: () => -1 });

    const error = await poll().catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(DeadlineReached);
    expect(error).not.toHaveProperty('cause');
    expect(sent).toEqual([]);
  });

  it('takes care of other work while it waits only if it is for reconciliation', async () => {
    const work = { dueAt: () => 0, run: async () => {} };
    const waited: unknown[] = [];
    const budget: Budget = {
      tokenHash: 'a',
      take: async ({ purpose, meanwhile }) => void waited.push([purpose, meanwhile]),
      pause: async () => {},
    };
    const { clock, requests, list } = setUp({ budget: () => budget, meanwhile: () => work });

    for (const purpose of ['poll', 'covering', 'reconciliation'] as const) {
      await clock.run(requests.send(purpose, list));
    }

    expect(waited).toEqual([
      ['poll', undefined],
      ['covering', undefined],
      ['reconciliation', work],
    ]);
  });

  it('rejects with the error of an unavailable budget', async () => {
    let taken = 0;
    const unavailable = new BudgetUnavailable('contended');
    const budget: Budget = {
      tokenHash: 'a',
      take: () => (taken++ === 1 ? Promise.reject(unavailable) : Promise.resolve()),
      pause: async () => {},
    };
    const { poll } = setUp({ budget: () => budget, answers: [serverError()] });

    await expect(poll()).rejects.toBe(unavailable);
  });
});
