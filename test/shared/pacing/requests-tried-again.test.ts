import { describe, expect, it } from 'vitest';
import { MILLISECOND, MINUTE, SECOND } from '../../../shared/instant.ts';
import { DeadlineReached } from '../../../shared/pacing/errors.ts';
import {
  ConnectionFailedError,
  RequestTimedOutError,
  UnexpectedStatusError,
  ValidationRejectedError,
} from '../../../shared/returns-service/errors.ts';
import { VIRTUAL_START } from '../../fakes/virtual-clock.ts';
import { page, rateLimited, SERVICE_START, serverError, setUp } from './requests-world.ts';

describe('a request that failed', () => {
  it('is tried again after pauses that may double each time, each try in its own slot', async () => {
    const { poll, sent, requests, store } = setUp({
      answers: [serverError(), new RequestTimedOutError('late', {}), serverError(), serverError(), page()],
    });

    await poll();

    // 100 ms each, and half of 500, 1000, 2000 and 4000 ms in between.
    expect(sent.map(({ atMs }) => atMs)).toEqual([0, 350, 950, 2_050, 4_150]);
    expect(requests.counters()).toEqual({
      poll: { sent: 5, retried: 4, rateLimited: 0 },
      reconciliation: { sent: 0, retried: 0, rateLimited: 0 },
    });
    expect(store.calls.saves).toBe(5);
  });

  it('is given up after five tries', async () => {
    const failure = serverError();
    const { poll, sent } = setUp({ answers: [failure] });

    await expect(poll()).rejects.toBe(failure);

    expect(sent).toHaveLength(5);
  });

  it('is tried only once more often than others succeed, once they fail for long', async () => {
    const { poll, sent } = setUp({ answers: [...Array(13).fill(serverError()), page(), serverError()] });

    const triesOf = async () => {
      const before = sent.length;
      await poll().catch(() => undefined);
      return sent.length - before;
    };

    // Ten retries are free; after that one for each success.
    expect([await triesOf(), await triesOf(), await triesOf(), await triesOf()]).toEqual([5, 5, 3, 1]);
    expect([await triesOf(), await triesOf()]).toEqual([2, 1]);
  });

  it.each([
    ['its parameters', new ValidationRejectedError('422', { parameters: ['limit'] })],
    ['its certificate', new ConnectionFailedError('no', { code: 'CERT_HAS_EXPIRED', retryable: false })],
    ['a mistake of ours', Object.assign(new TypeError('oops'), { retryable: true })],
  ])('for %s is not tried again', async (_name, failure) => {
    const { poll, sent, lines } = setUp({ answers: [failure] });

    await expect(poll()).rejects.toBe(failure);

    expect(sent).toHaveLength(1);
    expect(lines).toEqual([]);
  });

  it("tells the service's time as well", async () => {
    const { poll } = setUp({ answers: [serverError(), page()], durationMs: 0 });

    const { sentAt, receivedAt } = await poll();

    expect(sentAt).toBe(SERVICE_START + 250 * MILLISECOND);
    expect(receivedAt).toBe(SERVICE_START + SECOND + 250 * MILLISECOND);
  });

  it('is left to the next tick if the pause would end after the deadline', async () => {
    const failure = serverError();
    const { clock, poll, sent } = setUp({ answers: [failure], deadline: () => 349 * MILLISECOND });

    const error = await poll().catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(DeadlineReached);
    expect(error).toMatchObject({ message: 'The next try would come after the deadline.', cause: failure });
    expect(sent).toHaveLength(1);
    expect(clock.elapsed()).toBe(100 * MILLISECOND);
  });

  it('is tried again up to the very deadline', async () => {
    const { poll, sent } = setUp({ answers: [serverError(), page()], deadline: () => 350 * MILLISECOND });

    await poll();

    expect(sent).toHaveLength(2);
  });

  it('is the cause if its next slot would come after the deadline', async () => {
    const failure = serverError();
    const { poll } = setUp({ answers: [failure], requestsPerMinute: 2, deadline: () => MINUTE });

    const error = await poll().catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(DeadlineReached);
    expect(error).toMatchObject({
      message: 'The next request would come after the deadline.',
      cause: failure,
    });
  });

  it('is not tried again once asked to stop', async () => {
    const failure = serverError();
    const stop = new AbortController();
    const { clock, poll, sent } = setUp({ answers: [failure], signal: stop.signal });
    const stopping = clock.sleep(50).then(() => stop.abort());

    const error = await poll().catch((thrown: unknown) => thrown);

    await stopping;
    expect(error).toMatchObject({ name: 'DeadlineReached', message: 'Asked to stop.', cause: failure });
    expect(sent).toHaveLength(1);
  });

  it('does not wait out its pause once asked to stop', async () => {
    const stop = new AbortController();
    const { clock, poll } = setUp({ answers: [serverError()], signal: stop.signal });
    const stopping = clock.sleep(200).then(() => stop.abort());

    await expect(poll()).rejects.toThrow(DeadlineReached);

    await stopping;
    expect(clock.elapsed()).toBe(200 * MILLISECOND);
  });

  it('is told in the log without more than that', async () => {
    const failure = serverError();
    const { poll, lines } = setUp({ answers: [failure, page()] });

    await poll();

    expect(lines).toEqual([
      {
        level: 'debug',
        message: 'A request failed and will be tried again.',
        fields: { purpose: 'poll', tries: 1, waitMs: 250, error: failure },
      },
    ]);
  });
});

describe('a request that was one too many', () => {
  it.each([
    { name: 'as long as it is asked to', retryAfterMs: 7_000, at: 8_000 },
    { name: '15 seconds if not told how long', retryAfterMs: undefined, at: 16_000 },
    { name: 'a second if told not to', retryAfterMs: 0, at: 2_000 },
  ])('pauses $name, and halves the rate', async ({ retryAfterMs, at }) => {
    const failure = rateLimited(retryAfterMs);
    const { poll, sent, store, requests, lines } = setUp({ answers: [failure, page()], durationMs: 0 });

    await poll();

    // A second more than asked: the store may be further than it tells.
    expect(sent.map(({ atMs }) => atMs)).toEqual([0, at]);
    expect(store.state()?.rateShare).toBe(0.5);
    expect(requests.counters().poll).toEqual({ sent: 2, retried: 1, rateLimited: 1 });
    expect(lines).toEqual([
      {
        level: 'warn',
        message: 'The service asks for a pause.',
        fields: { purpose: 'poll', pauseMs: at - 1_000, error: failure },
      },
    ]);
  });

  it('counts when it was sent, so that two under way together halve the rate once', async () => {
    const { clock, requests, list, store } = setUp({ answers: [rateLimited(), rateLimited(), page()] });

    await clock.run(Promise.all([requests.send('poll', list), requests.send('reconciliation', list)]));

    expect(store.state()?.rateShare).toBe(0.5);
    expect(requests.counters()).toEqual({
      poll: { sent: 2, retried: 1, rateLimited: 1 },
      reconciliation: { sent: 2, retried: 1, rateLimited: 1 },
    });
  });

  it('is left to the next tick at once if the pause is longer than the deadline, but pauses all', async () => {
    const failure = rateLimited(30_000);
    const { clock, poll, store } = setUp({ answers: [failure], deadline: () => 20 * SECOND });

    const error = await poll().catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ name: 'DeadlineReached', cause: failure });
    expect(clock.elapsed()).toBe(100 * MILLISECOND);
    expect(store.state()?.pausedUntil).toBe(VIRTUAL_START + 31 * SECOND);
  });

  it('is given up after five tries like any other', async () => {
    const failure = rateLimited(1_000);
    const { poll, sent, requests } = setUp({ answers: [failure] });

    await expect(poll()).rejects.toBe(failure);

    expect(sent).toHaveLength(5);
    expect(requests.counters().poll.rateLimited).toBe(5);
  });
});

describe('a service in trouble that asks for a pause', () => {
  it('gets it from all, at the same rate', async () => {
    const failure = new UnexpectedStatusError('503', { status: 503, retryAfterMs: 3_000 });
    const { poll, sent, store, requests } = setUp({ answers: [failure, page()], durationMs: 0 });

    await poll();

    expect(sent.map(({ atMs }) => atMs)).toEqual([0, 4_000]);
    expect(store.state()?.rateShare).toBe(1);
    expect(requests.counters().poll.rateLimited).toBe(0);
  });

  it('gets none for what is no trouble of its own', async () => {
    const failure = new UnexpectedStatusError('404', { status: 404, retryAfterMs: 3_000 });
    const { poll, store } = setUp({ answers: [failure] });

    await expect(poll()).rejects.toBe(failure);

    expect(store.state()?.pausedUntil).toBe(0);
  });
});
