import { describe, expect, it } from 'vitest';
import { DAY, HOUR, type Instant, MILLISECOND, MINUTE, SECOND } from '../../../shared/instant.ts';
import { type Budget, createBudget } from '../../../shared/pacing/budget.ts';
import { BudgetUnavailable, DeadlineReached, SourceRefused } from '../../../shared/pacing/errors.ts';
import { createPacedRequests, type PacedRequestsOptions } from '../../../shared/pacing/paced-requests.ts';
import { createServiceClock } from '../../../shared/pacing/service-clock.ts';
import type { Log, LogFields } from '../../../shared/ports.ts';
import type { ReturnsServiceClient } from '../../../shared/returns-service/client.ts';
import {
  ConnectionFailedError,
  RateLimitedError,
  RequestTimedOutError,
  TokenRefusedError,
  UnexpectedStatusError,
  ValidationRejectedError,
} from '../../../shared/returns-service/errors.ts';
import { createVirtualClock, VIRTUAL_START, type VirtualClock } from '../../fakes/virtual-clock.ts';
import { createBudgetStore } from './budget-world.ts';

type ReturnGroupsPage = Awaited<ReturnType<ReturnsServiceClient['listReturnGroups']>>;

/** The service is a day ahead of everything here. */
const SERVICE_START: Instant = VIRTUAL_START + DAY;

interface Setting extends Partial<Omit<PacedRequestsOptions, 'clock'>> {
  readonly clock?: VirtualClock;
  /** What the service answers to one request after the other; the last goes on for ever. */
  readonly answers?: readonly (ReturnGroupsPage | Error)[];
  /** What the secret holds each time it is read; the last goes on for ever. */
  readonly secrets?: readonly (string | Error)[];
  readonly durationMs?: number;
  readonly requestsPerMinute?: number;
}

function setUp(setting: Setting = {}) {
  const { answers = [page()], secrets = ['first'], durationMs = 100, requestsPerMinute = 240 } = setting;
  const clock = setting.clock ?? createVirtualClock();
  const store = createBudgetStore(clock);
  const sent: { readonly token: string; readonly atMs: number }[] = [];
  const reads: string[] = [];
  const lines: {
    readonly level: string;
    readonly message: string;
    readonly fields: LogFields | undefined;
  }[] = [];
  const line = (level: string) => (message: string, fields?: LogFields) => {
    lines.push({ level, message, fields });
  };
  const log: Log = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };

  const clientOf = (token: string): ReturnsServiceClient => ({
    async listReturnGroups() {
      const answer = answers[Math.min(sent.length, answers.length - 1)]!;
      sent.push({ token, atMs: clock.elapsed() / MILLISECOND });
      await clock.sleep(durationMs);
      if (answer instanceof Error) throw answer;
      return answer;
    },
    listAllowlistItems: () => Promise.reject(new Error('not asked for here')),
  });
  const budgets = new Map<string, number>();
  const requests = createPacedRequests({
    client: clientOf,
    budget: (token) => {
      budgets.set(token, (budgets.get(token) ?? 0) + 1);
      const tokenHash = `hash of ${token}`;
      return createBudget({
        budgets: store.seenBy(clock),
        clock,
        random: () => 0.5,
        tokenHash,
        requestsPerMinute,
      });
    },
    secret: {
      async read() {
        const secret = secrets[Math.min(reads.length, secrets.length - 1)]!;
        reads.push(String(secret));
        if (secret instanceof Error) throw secret;
        return secret;
      },
    },
    // Whether the first Dates may be believed is a matter of its own.
    serviceClock: { ...createServiceClock(clock), isDoubtful: () => false },
    clock,
    log,
    random: () => 0.5,
    deadline: () => HOUR,
    ...setting,
  });
  const list = (client: ReturnsServiceClient) => client.listReturnGroups({});
  const poll = () => clock.run(requests.send('poll', list));
  return { clock, store, sent, reads, lines, requests, list, poll, budgets };
}

function page(date: Instant | undefined = undefined): ReturnGroupsPage {
  return { rows: [], drift: [], bytes: 2, requestMs: 1, ...(date === undefined ? {} : { date }) };
}

const serverError = () =>
  new UnexpectedStatusError('500', { status: 500, retryAfterMs: undefined, date: SERVICE_START });
const rateLimited = (retryAfterMs?: number) => new RateLimitedError('429', { retryAfterMs });
const refused = () => new TokenRefusedError('401', { status: 401 });

describe('a request', () => {
  it('hands on the answer with its times by the service and the token it was asked with', async () => {
    const answer = page(SERVICE_START);
    const { poll } = setUp({ answers: [answer] });

    const sent = await poll();

    expect(sent).toEqual({
      answer,
      sentAt: SERVICE_START - 100 * MILLISECOND,
      receivedAt: SERVICE_START + SECOND + 100 * MILLISECOND,
      tokenHash: 'hash of first',
    });
    expect(sent.answer).toBe(answer);
  });

  it('is sent again until its moment is sure', async () => {
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

  it('is sent five times where the service tells no time, and then no more than once', async () => {
    const clock = createVirtualClock();
    const { requests, list, sent } = setUp({ clock, serviceClock: createServiceClock(clock) });

    await clock.run(requests.send('poll', list));
    await clock.run(requests.send('poll', list));

    expect(sent).toHaveLength(6);
  });

  it('reads the secret and makes the client once', async () => {
    const { poll, reads, budgets, sent } = setUp();

    await poll();
    await poll();

    expect(reads).toEqual(['first']);
    expect([...budgets]).toEqual([['first', 1]]);
    expect(sent.map(({ token }) => token)).toEqual(['first', 'first']);
  });

  it('reads the secret anew where it is asked to, and no other does', async () => {
    const { clock, poll, requests, list, sent, reads } = setUp({ secrets: ['first', 'second', 'third'] });
    await poll();

    const doubtful = await clock.run(requests.send('poll', list, { readsSecret: true }));
    await poll();

    expect(doubtful.tokenHash).toBe('hash of second');
    expect(sent.map(({ token }) => token)).toEqual(['first', 'second', 'second']);
    expect(reads).toEqual(['first', 'second']);
  });

  it('reads the secret once for two that begin together', async () => {
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

  it('books together what will likely follow within two seconds', async () => {
    const { clock, requests, list, store } = setUp({ durationMs: 900 });

    const first = { expect: 4 };
    await clock.run(requests.send('poll', list, first));
    const atFirst = store.state()!.theoreticalArrival;
    // Now that a request is known to take 0.9 s, two will.
    await clock.run(requests.send('reconciliation', list, first));
    const { saves } = store.calls;
    await clock.run(requests.send('reconciliation', list, first));
    await clock.run(requests.send('reconciliation', list, first));

    expect(atFirst).toBe(VIRTUAL_START + 4 * 367_817);
    expect([saves, store.calls.saves]).toEqual([2, 3]);
    // 0.9 ms of doubt about the store's time at the first of the two bookings of two each.
    expect(store.state()!.reservedArrival).toBe(VIRTUAL_START + 899_100 + 4 * 1_422_223);
  });

  it('books itself alone where a request takes longer than that, or nothing is expected', async () => {
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

  it('hands on that the budget is not available', async () => {
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

it('looks at the secret again after any failure, for what a wrong token is answered is not documented', async () => {
  const { poll, reads, sent } = setUp({
    answers: [new UnexpectedStatusError('404', { status: 404, retryAfterMs: undefined }), page()],
    secrets: ['first', 'second'],
  });

  await expect(poll()).rejects.toThrow('404');
  await poll();

  expect(reads).toEqual(['first', 'second']);
  expect(sent.map(({ token }) => token)).toEqual(['first', 'second']);
});

describe('a token that is refused', () => {
  it('is replaced if the secret holds another one by now, with a client and a budget of its own', async () => {
    const { poll, sent, reads, budgets, lines, requests } = setUp({
      answers: [refused(), page()],
      secrets: ['first', 'second'],
    });

    const { tokenHash } = await poll();
    await poll();

    expect(tokenHash).toBe('hash of second');
    expect(sent.map(({ token }) => token)).toEqual(['first', 'second', 'second']);
    expect(reads).toEqual(['first', 'second']);
    expect([...budgets]).toEqual([
      ['first', 1],
      ['second', 1],
    ]);
    expect(lines).toEqual([
      {
        level: 'info',
        message: 'The token was refused; the secret holds another one, which is used from now on.',
        fields: undefined,
      },
    ]);
    expect(requests.counters().poll).toEqual({ sent: 3, retried: 1, rateLimited: 0 });
  });

  it('lets the source rest if the secret still holds it', async () => {
    const failure = refused();
    const { poll, sent, reads } = setUp({ answers: [failure] });

    const error = await poll().catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(SourceRefused);
    expect(error).toMatchObject({
      name: 'SourceRefused',
      message: 'The service refuses the token that the secret holds.',
      cause: failure,
    });
    expect(sent).toHaveLength(1);
    expect(reads).toHaveLength(2);
  });

  it('lets the source rest if the other one is refused as well', async () => {
    const { poll, sent, reads } = setUp({ answers: [refused()], secrets: ['first', 'second', 'third'] });

    await expect(poll()).rejects.toThrow(SourceRefused);

    expect(sent.map(({ token }) => token)).toEqual(['first', 'second']);
    expect(reads).toEqual(['first', 'second']);
  });

  it('is not sent again before the secret was looked at', async () => {
    const { poll, sent } = setUp({
      answers: [refused(), page()],
      secrets: ['first', 'first', 'mended'],
    });
    await expect(poll()).rejects.toThrow(SourceRefused);

    await poll();

    expect(sent.map(({ token }) => token)).toEqual(['first', 'mended']);
  });

  it('is replaced once for two requests that were refused together', async () => {
    const { clock, requests, list, reads, budgets } = setUp({
      answers: [refused(), refused(), page()],
      secrets: ['first', 'second'],
    });

    await clock.run(Promise.all([requests.send('poll', list), requests.send('reconciliation', list)]));

    expect(reads).toEqual(['first', 'second']);
    expect([...budgets]).toEqual([
      ['first', 1],
      ['second', 1],
    ]);
  });

  it('is not sent again for a second request that was refused with it', async () => {
    const { clock, requests, list, sent } = setUp({ answers: [refused()] });

    const both = await clock.run(
      Promise.allSettled([requests.send('poll', list), requests.send('reconciliation', list)]),
    );

    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(sent).toHaveLength(2);
  });

  it('is no secret that can not be read', async () => {
    const failure = new Error('no access');
    const { poll, reads } = setUp({ secrets: [failure, 'first'] });

    await expect(poll()).rejects.toBe(failure);
    await poll();

    expect(reads).toEqual(['Error: no access', 'first']);
  });

  it('shows in no error and no line of the log', async () => {
    const { poll, lines } = setUp({
      answers: [rateLimited(), serverError(), refused()],
      secrets: ['s3cret-a', 's3cret-b'],
    });

    const error = await poll().catch((thrown: unknown) => thrown);

    const shown = JSON.stringify([
      lines,
      error,
      String(error),
      (error as Error).stack,
      (error as Error).cause,
    ]);
    expect(lines).toHaveLength(3);
    expect(shown).not.toContain('s3cret');
  });
});
