import { describe, expect, it } from 'vitest';
import { HOUR, MILLISECOND, MINUTE, SECOND } from '../../../shared/instant.ts';
import { DeadlineReached, SourceRefused } from '../../../shared/pacing/errors.ts';
import {
  ConnectionFailedError,
  RateLimitedError,
  RequestAbortedError,
  RequestTimedOutError,
  UnexpectedStatusError,
  ValidationRejectedError,
} from '../../../shared/returns-service/errors.ts';
import { VIRTUAL_START } from '../../fakes/virtual-clock.ts';
import { page, rateLimited, refused, serverError, setUp } from './requests-world.ts';

describe('a request', () => {
  it('returns the answer with its times by the local clock and the hash of its access', async () => {
    const answer = page();
    const { poll } = setUp({ answers: [answer] });

    const sent = await poll();

    expect(sent).toEqual({
      answer,
      sentAt: VIRTUAL_START,
      receivedAt: VIRTUAL_START + 100 * MILLISECOND,
      accessHash: 'access of first',
    });
  });

  it('has the time at which its answer was made: less its age, and the rest of a second that is cut off', async () => {
    const { poll } = setUp({ answers: [{ ...page(), age: 75 * SECOND }] });

    const { sentAt, receivedAt } = await poll();

    expect(sentAt).toBe(VIRTUAL_START - 76 * SECOND);
    expect(receivedAt).toBe(VIRTUAL_START - 75 * SECOND + 100 * MILLISECOND);
  });

  it('reads the secret once, also for two that begin together', async () => {
    const { clock, poll, send, reads } = setUp();

    await clock.run(Promise.all([send('late'), send('recent')]));
    await poll();

    expect(reads).toEqual(['first']);
  });

  it('reads the secret again with `readsSecret`', async () => {
    const { poll, sent, reads } = setUp({ secrets: ['first', 'second', 'third'] });
    await poll();

    const doubtful = await poll({ readsSecret: true });
    await poll();

    expect(doubtful.accessHash).toBe('access of second');
    expect(sent.map(({ token }) => token)).toEqual(['first', 'second', 'second']);
    expect(reads).toEqual(['first', 'second']);
  });

  it('waits for the budget', async () => {
    const { poll, sent } = setUp({ requestsPerMinute: 2, durationMs: 0 });

    await poll();
    await poll();

    expect(sent.map(({ atMs }) => atMs)).toEqual([0, 30_250]);
  });

  it('waits for a pause that another process was asked for, unless a wrong clock set it', async () => {
    const { poll, requests, sent } = setUp({ durationMs: 0 });

    requests.pauseUntil(VIRTUAL_START + 2 * HOUR);
    await poll();
    requests.pauseUntil(VIRTUAL_START + 10 * SECOND);
    await poll();

    expect(sent[0]?.atMs).toBe(0);
    expect(sent[1]?.atMs).toBeGreaterThanOrEqual(10_000);
  });

  it.each([
    ['an hour at most', HOUR, VIRTUAL_START + HOUR],
    ['not longer', HOUR + MILLISECOND, 0],
    ['not for one that is over', 0, 0],
    ['not for an earlier one', -SECOND, 0],
  ])('waits for such a pause: %s', (_, ahead, pausedUntil) => {
    const { requests } = setUp();

    requests.pauseUntil(VIRTUAL_START + ahead);

    expect(requests.pausedUntil).toBe(pausedUntil);
  });

  it('is not sent after the deadline', async () => {
    const { poll, sent } = setUp({ deadline: () => -1 });

    const error = await poll().catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(DeadlineReached);
    expect(error).not.toHaveProperty('cause');
    expect(sent).toEqual([]);
  });
});

describe('a failed request', () => {
  it('is retried after pauses that may double each time', async () => {
    const { poll, sent, requests } = setUp({
      answers: [serverError(), new RequestTimedOutError('late', {}), serverError(), serverError(), page()],
    });

    await poll();

    // 100 ms for each request, and half of 500, 1000, 2000 and 4000 ms between them.
    expect(sent.map(({ atMs }) => atMs)).toEqual([0, 350, 950, 2_050, 4_150]);
    expect(requests.counters).toEqual({ sent: 5, rateLimited: 0 });
  });

  it.each([
    ['after five tries', {}, 5],
    ['after as many tries as were asked for', { tries: 2 }, 2],
  ])('rejects %s', async (_, options, tries) => {
    const failure = serverError();
    const { poll, sent } = setUp({ answers: [failure] });

    await expect(poll(options)).rejects.toBe(failure);

    expect(sent).toHaveLength(tries);
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
    ['its parameters', new ValidationRejectedError('422', {})],
    ['its certificate', new ConnectionFailedError('no', { retryable: false })],
    ['our own mistake', Object.assign(new TypeError('oops'), { retryable: true })],
  ])('is not retried if the cause is %s', async (_name, failure) => {
    const { poll, sent } = setUp({ answers: [failure] });

    await expect(poll()).rejects.toBe(failure);

    expect(sent).toHaveLength(1);
  });

  it('is left to the next tick if the pause would end after the deadline', async () => {
    const failure = serverError();
    const { clock, poll } = setUp({
      ...{ answers: [failure], durationMs: 50 },
      deadline: () => 299 * MILLISECOND,
    });

    const error = await poll().catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ name: 'DeadlineReached', cause: failure });
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

  it('is the cause of the error if the budget has no room before the deadline', async () => {
    const failure = serverError();
    const { poll } = setUp({ answers: [failure], requestsPerMinute: 1, deadline: () => MINUTE });

    const error = await poll().catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({
      ...{ name: 'DeadlineReached', cause: failure },
      message: 'The next request would come after the deadline.',
    });
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

  it('that an abort cuts off ends with what the service answered before', async () => {
    const failure = serverError();
    const { poll } = setUp({ answers: [failure, new RequestAbortedError('aborted', {})] });

    await expect(poll()).rejects.toMatchObject({ name: 'DeadlineReached', cause: failure });
  });

  it('is sent where a redirect leads in a turn of its own, which is no other try', async () => {
    const redirect = new UnexpectedStatusError('307', { status: 307, isFollowed: true });
    const { requests, poll } = setUp({ answers: [redirect, page()] });

    const { answer } = await poll({ tries: 1 });

    expect([answer, requests.counters.sent]).toEqual([page(), 2]);
  });

  it('does not wait out its pause after an abort', async () => {
    const stop = new AbortController();
    const { clock, poll } = setUp({ answers: [serverError()], signal: stop.signal });
    const stopping = clock.sleep(200).then(() => stop.abort());

    await expect(poll()).rejects.toThrow(DeadlineReached);

    await stopping;
    expect(clock.elapsed()).toBe(200 * MILLISECOND);
  });
});

const pausesOf = (lines: ReturnType<typeof setUp>['lines']) => lines.map(({ fields }) => fields?.pauseMs);

describe('a service that asks for a pause', () => {
  it.each([
    { name: '429 for its Retry-After', failure: rateLimited(7_000), pauseMs: 7_000 },
    { name: '429 for a second without one', failure: rateLimited(), pauseMs: 1_000 },
    { name: '429 for a second with one of zero', failure: rateLimited(0), pauseMs: 1_000 },
    { name: '503 for its Retry-After', failure: serverError(3_000), pauseMs: 3_000 },
  ])('gets none before its end: $name', async ({ failure, pauseMs }) => {
    const { clock, send, sent, requests, lines } = setUp({ answers: [failure, page()], durationMs: 0 });

    await clock.run(Promise.all([send('late'), send('late').then(() => send('recent'))]));

    const after = sent.slice(1).filter(({ atMs }) => atMs > 0 && atMs < pauseMs);
    expect(after).toEqual([]);
    expect(requests.pausedUntil).toBe(VIRTUAL_START + pauseMs * MILLISECOND);
    expect(requests.counters.rateLimited).toBe(failure instanceof RateLimitedError ? 1 : 0);
    expect(lines).toMatchObject([
      { level: 'warn', message: 'The service asks for a pause.', fields: { pauseMs, error: failure } },
    ]);
  });

  it('without a time gets twice as long a pause for each further 429, up to half a minute', async () => {
    const { poll, lines } = setUp({ answers: [...Array(8).fill(rateLimited()), page()] });

    await poll();

    expect(pausesOf(lines)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  });

  it('without a time gets a pause of a second again after a success', async () => {
    const answers = [rateLimited(), rateLimited(), page(), rateLimited(), page()];
    const { poll, lines } = setUp({ answers });

    await poll();
    await poll();

    expect(pausesOf(lines)).toEqual([1_000, 2_000, 1_000]);
  });

  it('keeps the length of a pause without a time through one with a time', async () => {
    const { poll, lines } = setUp({ answers: [rateLimited(), rateLimited(5_000), rateLimited(), page()] });

    await poll();

    expect(pausesOf(lines)).toEqual([1_000, 5_000, 2_000]);
  });

  it('without a time gets one pause for all requests that were under way as it began', async () => {
    const answers = [rateLimited(), rateLimited(), rateLimited(), page()];
    const { clock, send, lines } = setUp({ answers });

    await clock.run(Promise.all([send('late'), send('recent'), send('older')]));

    expect(pausesOf(lines)).toEqual([1_000, 1_000, 1_000]);
  });

  it('gets its request again until the deadline if it says 429', async () => {
    const { poll, sent, requests } = setUp({ answers: [rateLimited(1_000)], deadline: () => MINUTE });

    await expect(poll()).rejects.toThrow(DeadlineReached);

    expect(sent.length).toBeGreaterThan(20);
    expect(requests.counters.rateLimited).toBe(sent.length);
  });

  it('gets its request five times if it says 503', async () => {
    const failure = serverError(1_000);
    const { poll, sent } = setUp({ answers: [failure] });

    await expect(poll()).rejects.toBe(failure);

    expect(sent).toHaveLength(5);
  });

  it('is not meant by the Retry-After of a 404', async () => {
    const failure = new UnexpectedStatusError('404', { status: 404, retryAfterMs: 3_000 });
    const { poll, requests } = setUp({ answers: [failure] });

    await expect(poll()).rejects.toBe(failure);

    expect(requests.pausedUntil).toBe(0);
  });
});

describe('a refused token', () => {
  it('is replaced if the secret has another token by now', async () => {
    const { poll, sent, reads } = setUp({ answers: [refused(), page()], secrets: ['first', 'second'] });

    const { accessHash } = await poll();
    await poll();

    expect(accessHash).toBe('access of second');
    expect(sent.map(({ token }) => token)).toEqual(['first', 'second', 'second']);
    expect(reads).toEqual(['first', 'second']);
  });

  it.each([
    ['the secret still has it', ['first'], 1],
    ['the new token is refused as well', ['first', 'second', 'third'], 2],
  ])('makes the source rest if %s', async (_, secrets, tries) => {
    const failure = refused();
    const { poll, sent } = setUp({ answers: [failure], secrets });

    const error = await poll().catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(SourceRefused);
    expect(error).toMatchObject({
      message: 'The service, or a firewall before it, refuses the token that the secret holds.',
      cause: failure,
    });
    expect(sent).toHaveLength(tries);
  });

  it('is tried again if it was accepted a moment ago: one of several servers may not know it yet', async () => {
    const { poll, sent } = setUp({ answers: [page(), refused(), page()] });
    await poll();

    await poll();

    expect(sent).toHaveLength(3);
  });

  it('makes the source rest after three tries, and after one until it is accepted again', async () => {
    const { poll, sent } = setUp({ answers: [page(), refused()] });
    await poll();

    await expect(poll()).rejects.toThrow(SourceRefused);
    const tries = sent.length - 1;
    await expect(poll()).rejects.toThrow(SourceRefused);

    expect([tries, sent.length - 1 - tries]).toEqual([3, 1]);
  });

  it.each([
    ['five minutes ago: it is tried again', 5 * MINUTE, 3],
    ['longer ago: at once', 5 * MINUTE + MILLISECOND, 2],
  ])('makes the source rest if it was accepted %s', async (_, since, requests) => {
    const { clock, poll, sent } = setUp({ answers: [page(), refused()], durationMs: 0 });
    await clock.advance(20 * MINUTE);
    await poll();
    await clock.advance(since);

    await expect(poll()).rejects.toThrow(SourceRefused);

    expect(sent).toHaveLength(requests);
  });

  it('is replaced once the secret has another one, although the first look at it found the same', async () => {
    const { poll, sent } = setUp({
      answers: [page(), refused(), refused(), page()],
      secrets: ['first', 'first', 'second'],
    });
    await poll();

    await poll();

    expect(sent.map(({ token }) => token)).toEqual(['first', 'first', 'first', 'second']);
  });

  it('is reported also where there is no time to try it again', async () => {
    const { clock, poll } = setUp({ answers: [page(), refused()], deadline: () => 150 * MILLISECOND });
    await poll();

    await expect(poll()).rejects.toThrow(SourceRefused);
    expect(clock.elapsed()).toBeLessThan(SECOND);
  });

  it('is not sent again before the secret is read', async () => {
    const { poll, sent } = setUp({ answers: [refused(), page()], secrets: ['first', 'first', 'corrected'] });
    await expect(poll()).rejects.toThrow(SourceRefused);

    await poll();

    expect(sent.map(({ token }) => token)).toEqual(['first', 'corrected']);
  });

  it('is replaced once for two requests that were refused together', async () => {
    const { clock, send, reads } = setUp({
      answers: [refused(), refused(), page()],
      secrets: ['first', 'second'],
    });

    await clock.run(Promise.all([send('late'), send('recent')]));

    expect(reads).toEqual(['first', 'second']);
  });

  it('may be what any other failure means: the secret is read again', async () => {
    const { poll, reads } = setUp({
      answers: [new UnexpectedStatusError('404', { status: 404, retryAfterMs: undefined }), page()],
      secrets: ['first', 'second'],
    });

    await expect(poll()).rejects.toThrow('404');
    await poll();

    expect(reads).toEqual(['first', 'second']);
  });

  it('differs from an unreadable secret, which is read again', async () => {
    const failure = new Error('no access');
    const { poll, reads } = setUp({ secrets: [failure, 'first'] });

    await expect(poll()).rejects.toMatchObject({ name: 'TokenUnavailable', cause: failure });
    await poll();

    expect(reads).toEqual(['Error: no access', 'first']);
  });

  it('is in no error and in no log line', async () => {
    const { poll, lines } = setUp({
      answers: [rateLimited(), serverError(), refused()],
      secrets: ['s3cret-a', 's3cret-b'],
    });

    const error = await poll().catch((thrown: unknown) => thrown);

    const { stack, cause } = error as Error;
    expect(lines).toHaveLength(3);
    expect(JSON.stringify([lines, error, String(error), stack, cause])).not.toContain('s3cret');
  });
});
