import { describe, expect, it } from 'vitest';
import { MILLISECOND, MINUTE, SECOND } from '../../../shared/instant.ts';
import { DeadlineReached, NotTriedAgain } from '../../../shared/pacing/errors.ts';
import {
  ConnectionFailedError,
  RequestTimedOutError,
  UnexpectedStatusError,
  ValidationRejectedError,
} from '../../../shared/returns-service/errors.ts';
import { VIRTUAL_START } from '../../fakes/virtual-clock.ts';
import { page, rateLimited, SERVICE_START, serverError, setUp } from './requests-world.ts';

describe('a failed request', () => {
  it('is retried after pauses that may double each time, each retry in its own slot', async () => {
    const { poll, sent, requests, store } = setUp({
      answers: [serverError(), new RequestTimedOutError('late', {}), serverError(), serverError(), page()],
    });

    await poll();

    // 100 ms for each request, and half of 500, 1000, 2000 and 4000 ms between them.
    expect(sent.map(({ atMs }) => atMs)).toEqual([0, 350, 950, 2_050, 4_150]);
    expect(requests.counters()).toEqual({
      poll: { sent: 5, retried: 4, rateLimited: 0 },
      covering: { sent: 0, retried: 0, rateLimited: 0 },
      reconciliation: { sent: 0, retried: 0, rateLimited: 0 },
    });
    expect(store.calls.saves).toBe(5);
  });

  it('rejects after five tries', async () => {
    const failure = serverError();
    const { poll, sent } = setUp({ answers: [failure] });

    await expect(poll()).rejects.toBe(failure);

    expect(sent).toHaveLength(5);
  });

  it('is retried only once per success of other requests after long failures', async () => {
    const { poll, sent } = setUp({ answers: [...Array(13).fill(serverError()), page(), serverError()] });

    const triesOf = async () => {
      const before = sent.length;
      await poll().catch(() => undefined);
      return sent.length - before;
    };

    // Ten retries are free; after that each success allows one.
    expect([await triesOf(), await triesOf(), await triesOf(), await triesOf()]).toEqual([5, 5, 3, 1]);
    expect([await triesOf(), await triesOf()]).toEqual([2, 1]);
  });

  it.each([
    ['its parameters', new ValidationRejectedError('422', { parameters: ['limit'] })],
    ['its certificate', new ConnectionFailedError('no', { code: 'CERT_HAS_EXPIRED', retryable: false })],
    ['our own mistake', Object.assign(new TypeError('oops'), { retryable: true })],
  ])('is not retried if the cause is %s', async (_name, failure) => {
    const { poll, sent, lines } = setUp({ answers: [failure] });

    await expect(poll()).rejects.toBe(failure);

    expect(sent).toHaveLength(1);
    expect(lines).toEqual([]);
  });

  it("provides the service's time", async () => {
    const { poll } = setUp({ answers: [serverError(), page()], durationMs: 0 });

    const { sentAt, receivedAt } = await poll();

    expect(sentAt).toBe(SERVICE_START + 250 * MILLISECOND);
    expect(receivedAt).toBe(SERVICE_START + SECOND + 250 * MILLISECOND);
  });

  it('is left to the next tick if the pause would end after the deadline', async () => {
    const failure = serverError();
    const { clock, poll, sent } = setUp({
      ...{ answers: [failure], durationMs: 50 },
      deadline: () => 299 * MILLISECOND,
    });

    const error = await poll().catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(DeadlineReached);
    expect(error).toMatchObject({ message: 'The next try would come after the deadline.', cause: failure });
    expect(sent).toHaveLength(1);
    expect(clock.elapsed()).toBe(50 * MILLISECOND);
  });

  it('is retried up to the exact deadline', async () => {
    const { poll, sent } = setUp({
      ...{ answers: [serverError(), page()], durationMs: 50 },
      deadline: () => 300 * MILLISECOND,
    });

    await poll();

    expect(sent).toHaveLength(2);
  });

  it('is the cause of the error if its next slot would come after the deadline', async () => {
    const failure = serverError();
    const { poll } = setUp({ answers: [failure], requestsPerMinute: 2, deadline: () => MINUTE });

    const error = await poll().catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(DeadlineReached);
    expect(error).toMatchObject({
      message: 'The next request would come after the deadline.',
      cause: failure,
    });
  });

  // Otherwise a poll that hangs would leave no time for walks, for ever if each tick is a new process.
  it.each([
    ['times out', new RequestTimedOutError('late', {})],
    [
      'is answered late by a gateway',
      new UnexpectedStatusError('late', { status: 504, retryAfterMs: undefined }),
    ],
  ])('that %s is retried for half of the tick if it is one of a poll', async (_, failure) => {
    const { poll, sent } = setUp({
      answers: [failure],
      durationMs: 10_000,
      deadline: () => 50 * SECOND,
    });

    for (let polls = 0; polls < 2; polls += 1) {
      const error: unknown = await poll().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(NotTriedAgain);
      expect(error).toMatchObject({ message: 'late', cause: failure });
    }

    expect(sent).toHaveLength(3);
  });

  it.each([
    {
      what: 'of the time left when it began',
      startsAtMs: 10_000,
      endsAtMs: 60_000,
      tookMs: 10_000,
      tries: [2],
    },
    { what: 'exactly', startsAtMs: 0, endsAtMs: 40_000, tookMs: 10_000, tries: [2] },
    { what: 'all polls of the tick together', startsAtMs: 0, endsAtMs: 52_000, tookMs: 5_000, tries: [5, 1] },
  ])('that times out is retried for half of the tick: $what', async (setting) => {
    const { startsAtMs, endsAtMs, tookMs, tries } = setting;
    const { clock, poll, sent } = setUp({
      answers: [new RequestTimedOutError('late', {})],
      durationMs: tookMs,
      deadline: () => endsAtMs * MILLISECOND,
    });
    await clock.run(clock.sleep(startsAtMs));

    const made: number[] = [];
    for (const _ of tries) {
      const before = sent.length;
      await poll().catch(() => undefined);
      made.push(sent.length - before);
    }

    expect(made).toEqual(tries);
  });

  it('is thrown as it is when the credit for retries is used up', async () => {
    const failure = new RequestTimedOutError('late', {});
    const { poll, sent } = setUp({ answers: [failure] });
    const thrown: unknown[] = [];
    for (let polls = 0; polls < 5; polls += 1) thrown.push(await poll().catch((error: unknown) => error));

    expect(sent.length).toBeLessThan(25);
    expect(thrown).toEqual(Array(5).fill(failure));
    expect(thrown.some((error) => error instanceof NotTriedAgain)).toBe(false);
  });

  // One look-up that hangs must not set its group aside.
  it('that times out is retried up to the deadline if it is one of a walk', async () => {
    const answers = [...Array(3).fill(new RequestTimedOutError('late', {})), page()];
    const { clock, requests, list, sent } = setUp({
      answers,
      durationMs: 10_000,
      deadline: () => 50 * SECOND,
    });

    await clock.run(requests.send('reconciliation', list));

    expect(sent).toHaveLength(4);
  });

  it('is not retried after an abort', async () => {
    const failure = serverError();
    const stop = new AbortController();
    const { clock, poll, sent } = setUp({ answers: [failure], signal: stop.signal });
    const stopping = clock.sleep(50).then(() => stop.abort());

    const error = await poll().catch((thrown: unknown) => thrown);

    await stopping;
    expect(error).toMatchObject({ name: 'DeadlineReached', message: 'Asked to stop.', cause: failure });
    expect(sent).toHaveLength(1);
  });

  it('does not wait out its pause after an abort', async () => {
    const stop = new AbortController();
    const { clock, poll } = setUp({ answers: [serverError()], signal: stop.signal });
    const stopping = clock.sleep(200).then(() => stop.abort());

    await expect(poll()).rejects.toThrow(DeadlineReached);

    await stopping;
    expect(clock.elapsed()).toBe(200 * MILLISECOND);
  });

  it('is logged at level debug', async () => {
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

describe('a rate limited request', () => {
  it.each([
    { name: 'for its Retry-After', retryAfterMs: 7_000, at: 8_000 },
    { name: '15 seconds without a Retry-After', retryAfterMs: undefined, at: 16_000 },
    { name: 'a second for a Retry-After of zero', retryAfterMs: 0, at: 2_000 },
  ])('pauses $name, and halves the rate', async ({ retryAfterMs, at }) => {
    const failure = rateLimited(retryAfterMs);
    const { poll, sent, store, requests, lines } = setUp({ answers: [failure, page()], durationMs: 0 });

    await poll();

    // A second more than the pause: the store may be ahead of the time that it returns.
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

  it('counts at the time it was sent, so that two concurrent ones halve the rate once', async () => {
    const { clock, requests, list, store } = setUp({ answers: [rateLimited(), rateLimited(), page()] });

    await clock.run(Promise.all([requests.send('poll', list), requests.send('reconciliation', list)]));

    expect(store.state()?.rateShare).toBe(0.5);
    expect(requests.counters()).toEqual({
      poll: { sent: 2, retried: 1, rateLimited: 1 },
      covering: { sent: 0, retried: 0, rateLimited: 0 },
      reconciliation: { sent: 2, retried: 1, rateLimited: 1 },
    });
  });

  it('is left to the next tick at once if its pause exceeds the deadline, but pauses all requests', async () => {
    const failure = rateLimited(30_000);
    const { clock, poll, store } = setUp({ answers: [failure], deadline: () => 20 * SECOND });

    const error = await poll().catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ name: 'DeadlineReached', cause: failure });
    expect(clock.elapsed()).toBe(100 * MILLISECOND);
    expect(store.state()?.pausedUntil).toBe(VIRTUAL_START + 31 * SECOND);
  });

  it('rejects after five tries like any other', async () => {
    const failure = rateLimited(1_000);
    const { poll, sent, requests } = setUp({ answers: [failure] });

    await expect(poll()).rejects.toBe(failure);

    expect(sent).toHaveLength(5);
    expect(requests.counters().poll.rateLimited).toBe(5);
  });
});

describe('a Retry-After', () => {
  it('of a 503 pauses all requests, and does not change the rate', async () => {
    const failure = new UnexpectedStatusError('503', { status: 503, retryAfterMs: 3_000 });
    const { poll, sent, store, requests } = setUp({ answers: [failure, page()], durationMs: 0 });

    await poll();

    expect(sent.map(({ atMs }) => atMs)).toEqual([0, 4_000]);
    expect(store.state()?.rateShare).toBe(1);
    expect(requests.counters().poll.rateLimited).toBe(0);
  });

  it('of a 404 causes no pause', async () => {
    const failure = new UnexpectedStatusError('404', { status: 404, retryAfterMs: 3_000 });
    const { poll, store } = setUp({ answers: [failure] });

    await expect(poll()).rejects.toBe(failure);

    expect(store.state()?.pausedUntil).toBe(0);
  });
});
