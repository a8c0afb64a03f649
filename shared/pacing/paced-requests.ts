// Every request of ticks and of operators' questions goes through here: within the budget, retried if that may help,
// and not sent at all after the service has refused. No other layer retries these (`probe` has its own, ask-within.ts).
// It throws what it can't resolve: failures of a request as returns-service/errors.ts names them, the rest as errors.ts
// here does.
import { type Instant, MILLISECOND, SECOND } from '../instant.ts';
import type { Clock, Log } from '../ports.ts';
import type { ReturnsServiceClient } from '../returns-service/client.ts';
import {
  mayBeAboutRequest,
  RateLimitedError,
  ReturnsServiceError,
  TokenRefusedError,
  UnexpectedStatusError,
} from '../returns-service/errors.ts';
import { type Access, type AccessOptions, createAccessKeeper } from './access.ts';
import type { Meanwhile } from './budget.ts';
import type { Purpose } from './budget-state.ts';
import { DeadlineReached, NotTriedAgain, SourceRefused } from './errors.ts';
import { createRetryCredit, MAX_TRIES, retryPauseMs } from './retries.ts';
import type { Exchange, ServiceClock, ServiceTimes } from './service-clock.ts';

/** How long a 429 without Retry-After pauses all requests. */
const PAUSE_AFTER_429_MS = 15_000;
/** The shortest pause, also for a Retry-After of 0. */
const SHORTEST_PAUSE_MS = 1_000;
/** Slots are used one after the other; those further ahead than this would be void before their turn. */
const USED_WITHIN = 2 * SECOND;

/** The share of a tick that failed tries of polls may take; the rest is for walks. */
const SHARE_OF_FAILURES = 0.5;

export interface PacedRequestsOptions extends AccessOptions {
  readonly serviceClock: ServiceClock;
  readonly clock: Clock;
  readonly log: Log;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** By {@link Clock.elapsed}: nothing is sent after this moment, so leave room for one request's timeout. */
  readonly deadline: () => number;
  /** Ends all waiting when aborted. */
  readonly signal?: AbortSignal;
  /** Work that may come due while a request of reconciliation waits for its slot. */
  readonly meanwhile?: () => Meanwhile | undefined;
}

export interface SendOptions {
  /** How many requests will likely follow each other from here, including this one. @default 1 */
  readonly expect?: number;
  /** Whether to read the secret first, because the answers to the current token are in doubt. @default false */
  readonly readsSecret?: boolean;
}

export interface Sent<Answer> extends ServiceTimes {
  readonly answer: Answer;
  /** Hash of the address and token of the request: with another one it may be another store. */
  readonly accessHash: string;
}

export interface RequestCounters {
  /** Every try counts. */
  sent: number;
  /** Retries among these. */
  retried: number;
  /** Those answered with 429. */
  rateLimited: number;
}

export interface PacedRequests {
  /**
   * Sends a request once the budget has room for it, and again if that may help.
   *
   * @param request is called for each try, and sends one request at once
   * @throws {DeadlineReached} as soon as it is known that the next try would come after the deadline
   * @throws {SourceRefused} if the token is refused, and the secret holds no other valid one
   * @throws {TokenUnavailable}, {InvalidTokenError}, {InvalidBaseUrlError} before the first request, or after a
   *   refusal, when the secret is read again
   * @throws {BudgetUnavailable}, {ReturnsServiceError} if retries do not help, or no longer
   */
  send<Answer extends Dated>(
    purpose: Purpose,
    request: (client: ReturnsServiceClient) => Promise<Answer>,
    options?: SendOptions,
  ): Promise<Sent<Answer>>;
  /** The requests since the start. */
  counters(): Readonly<Record<Purpose, Readonly<RequestCounters>>>;
}

const REFUSED = 'The service refuses the token that the secret holds.';

export function createPacedRequests(options: PacedRequestsOptions): PacedRequests {
  const { clock, log, random, deadline, serviceClock, signal } = options;
  const access = createAccessKeeper(options);
  const credit = createRetryCredit();
  const counters = { poll: noRequests(), covering: noRequests(), reconciliation: noRequests() };
  let lastDuration = 0;
  /** The tick under way, and how long the failed tries of its polls took. */
  let tick = { deadline: Number.NaN, duration: 0, failedFor: 0 };

  async function send<Answer extends Dated>(
    purpose: Purpose,
    request: (client: ReturnsServiceClient) => Promise<Answer>,
    { expect = 1, readsSecret = false }: SendOptions = {},
  ): Promise<Sent<Answer>> {
    if (readsSecret) access.forget();
    if (tick.deadline !== deadline())
      tick = { deadline: deadline(), duration: deadline() - clock.elapsed(), failedFor: 0 };
    let used = await access.current();
    let failure: ReturnsServiceError | undefined;
    let isRenewed = false;
    let tries = 0;
    for (;;) {
      tries += 1;
      await takeSlot(used, purpose, expect, failure);
      counters[purpose].sent += 1;
      if (tries > 1) counters[purpose].retried += 1;
      const sent = { sentElapsed: clock.elapsed(), sentNow: clock.now() };
      const { answer, times, error } = await attempt(request, used.client, sent);
      if (error === undefined) {
        if (!serviceClock.isDoubtful()) return { answer, ...times, accessHash: used.accessHash };
        // A reading with a wrong time looks stale for as long as the time is off, so it is repeated.
        tries = 0;
        failure = undefined;
        continue;
      }
      failure = error;
      if (error instanceof TokenRefusedError) {
        used = await renew(used, error, isRenewed);
        isRenewed = true;
      } else {
        const leavesWalksTime = noteFailedTry(purpose, clock.elapsed() - sent.sentElapsed);
        await prepareRetry(error, { purpose, tries, leavesWalksTime, sentElapsed: sent.sentElapsed, used });
      }
    }
  }

  async function takeSlot(used: Access, purpose: Purpose, expect: number, cause?: ReturnsServiceError) {
    const usable = Math.max(1, Math.min(expect, Math.floor(USED_WITHIN / lastDuration)));
    try {
      const meanwhile = purpose === 'reconciliation' ? options.meanwhile?.() : undefined;
      await used.budget.take({ purpose, expect: usable, deadline: deadline(), signal, meanwhile });
    } catch (error) {
      if (cause === undefined || !(error instanceof DeadlineReached)) throw error;
      throw new DeadlineReached(error.message, { cause });
    }
  }

  async function attempt<Answer extends Dated>(
    request: (client: ReturnsServiceClient) => Promise<Answer>,
    client: ReturnsServiceClient,
    sent: Pick<Exchange, 'sentElapsed' | 'sentNow'>,
  ): Promise<Attempt<Answer>> {
    const timesBy = (date: Instant | undefined): ServiceTimes => {
      const receivedElapsed = clock.elapsed();
      lastDuration = receivedElapsed - sent.sentElapsed;
      return serviceClock.read({ ...sent, receivedElapsed, receivedNow: clock.now(), date });
    };
    try {
      const answer = await request(client);
      credit.earn();
      return { answer, times: timesBy(answer.date) };
    } catch (error) {
      if (!(error instanceof ReturnsServiceError)) throw error;
      return { error, times: timesBy(error.date) };
    }
  }

  async function renew(used: Access, error: TokenRefusedError, isRenewed: boolean): Promise<Access> {
    const renewed = isRenewed ? undefined : await access.renew(used);
    if (renewed === undefined) {
      access.forget();
      throw new SourceRefused(options.secret.refused ?? REFUSED, { cause: error });
    }
    log.info('The token was refused; the secret holds another one, which is used from now on.');
    return renewed;
  }

  /**
   * Adds a failed try, and returns whether another try of the same length still leaves walks their part of the tick.
   */
  function noteFailedTry(purpose: Purpose, took: number): boolean {
    if (purpose === 'reconciliation') return true;
    tick.failedFor += took;
    return tick.failedFor + took <= SHARE_OF_FAILURES * tick.duration;
  }

  /** Resolves when the next try may book its slot; rejects with the error if there is no next try. */
  async function prepareRetry(
    error: ReturnsServiceError,
    { purpose, tries, leavesWalksTime, sentElapsed, used }: Failed,
  ) {
    if (signal?.aborted === true) throw new DeadlineReached('Asked to stop.', { cause: error });
    const pauseMs = pauseAskedMs(error);
    if (pauseMs !== undefined) {
      const tooFast = error instanceof RateLimitedError;
      if (tooFast) counters[purpose].rateLimited += 1;
      log.warn('The service asks for a pause.', { purpose, pauseMs, error });
      await used.budget.pause({ duration: pauseMs * MILLISECOND, tooFast, sentElapsed });
    }
    const isLastTry = !error.retryable || tries >= MAX_TRIES;
    if (isLastTry || !leavesWalksTime || !credit.spend()) {
      // The answer to a wrong token is undocumented, so any failure may be one: the next request reads the secret.
      access.forget();
      const isGivenUp = !isLastTry && !leavesWalksTime && mayBeAboutRequest(error);
      throw isGivenUp ? new NotTriedAgain(error.message, { cause: error }) : error;
    }
    // The budget enforces the pause: it gives no slot before it is over.
    if (pauseMs !== undefined) return;
    const waitMs = retryPauseMs(tries, random());
    log.debug('A request failed and will be tried again.', { purpose, tries, waitMs, error });
    if (clock.elapsed() + waitMs * MILLISECOND > deadline()) {
      throw new DeadlineReached('The next try would come after the deadline.', { cause: error });
    }
    await clock.sleep(waitMs, signal);
  }

  return {
    send,
    counters: () => ({
      poll: { ...counters.poll },
      covering: { ...counters.covering },
      reconciliation: { ...counters.reconciliation },
    }),
  };
}

interface Dated {
  readonly date?: Instant;
}

type Attempt<Answer> = { readonly times: ServiceTimes } & (
  | { readonly answer: Answer; readonly error?: undefined }
  | { readonly answer?: undefined; readonly error: ReturnsServiceError }
);

interface Failed {
  readonly purpose: Purpose;
  readonly tries: number;
  readonly leavesWalksTime: boolean;
  readonly sentElapsed: number;
  readonly used: Access;
}

function pauseAskedMs(error: ReturnsServiceError): number | undefined {
  if (error instanceof RateLimitedError) {
    return Math.max(SHORTEST_PAUSE_MS, error.retryAfterMs ?? PAUSE_AFTER_429_MS);
  }
  // A 503 may ask for a pause as well.
  const isAsked =
    error instanceof UnexpectedStatusError && error.retryable && error.retryAfterMs !== undefined;
  return isAsked ? Math.max(SHORTEST_PAUSE_MS, error.retryAfterMs) : undefined;
}

function noRequests(): RequestCounters {
  return { sent: 0, retried: 0, rateLimited: 0 };
}
