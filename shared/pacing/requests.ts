// Every request of ticks and of operators' searches goes through here: within the budget, retried if that may help, and
// not sent at all after the service has refused. No other layer retries these (`probe` has its own, ask-within.ts). It
// throws what it can't resolve: failures of a request as returns-service/errors.ts names them, the rest as errors.ts
// here does.
import { type Instant, MILLISECOND, MINUTE, SECOND } from '../instant.ts';
import type { Clock, Log } from '../ports.ts';
import type { ReturnsServiceClient } from '../returns-service/client.ts';
import {
  askedWaitMs,
  RateLimitedError,
  RequestAbortedError,
  ReturnsServiceError,
  TokenRefusedError,
  UnexpectedStatusError,
} from '../returns-service/errors.ts';
import { type Access, type AccessOptions, createAccessKeeper } from './access.ts';
import { type Bucket, createBucket } from './bucket.ts';
import { DeadlineReached, SourceRefused } from './errors.ts';
import { createRetryCredit, MAX_TRIES, retryPauseMs } from './retries.ts';
import { createTurns, type Turn } from './turns.ts';

/** The shortest pause, also for a Retry-After of 0. */
const SHORTEST_PAUSE_MS = 1_000;
/** The longest one after a 429 without Retry-After: each such pause is twice as long as the one before. */
const LONGEST_UNTIMED_PAUSE_MS = 30_000;

export interface RequestsOptions extends AccessOptions {
  readonly requestsPerMinute: number;
  /** The budget, if it is counted elsewhere. @default a bucket of `requestsPerMinute` */
  readonly bucket?: Bucket | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** By {@link Clock.elapsed}: nothing is sent after this moment, so leave room for one request's timeout. */
  readonly deadline: () => number;
  /** Ends all waiting when aborted. */
  readonly signal?: AbortSignal | undefined;
}

export interface SendOptions {
  /** Tries in all, if retries may help. @default MAX_TRIES */
  readonly tries?: number;
  /** Whether to read the secret first, because the answers to the current token are in doubt. @default false */
  readonly readsSecret?: boolean;
  /** Ends the waiting of this request. */
  readonly signal?: AbortSignal | undefined;
}

/** An answer, which a cache may have kept for some time. */
interface Aged {
  readonly age?: number | undefined;
}

export interface Sent<Answer> {
  readonly answer: Answer;
  /**
   * The answer's time, by the local clock: it was made between these moments, when it was sent and received less its
   * age. So an answer that was kept is as old in every comparison as it is.
   */
  readonly sentAt: Instant;
  readonly receivedAt: Instant;
  /** Hash of the address and token of the request: with another one it may be another store. */
  readonly accessHash: string;
}

export interface RequestCounters {
  /** Every try counts. */
  sent: number;
  /** Those that were one too many. */
  rateLimited: number;
}

export interface Requests {
  /**
   * Sends a request once the budget has room for it and it is its turn, and again if that may help.
   *
   * @param request is called for each try, and sends one request at once
   * @throws {DeadlineReached} as soon as it is known that the next try would come after the deadline
   * @throws {SourceRefused} if the token is refused, and the secret holds no other valid one
   * @throws {TokenUnavailable}, {InvalidTokenError}, {InvalidBaseUrlError} when the secret is read
   * @throws {ReturnsServiceError} if retries do not help, or no longer
   */
  send<Answer extends Aged>(
    turn: Turn,
    request: (client: ReturnsServiceClient) => Promise<Answer>,
    options?: SendOptions,
  ): Promise<Sent<Answer>>;
  /** The requests since the start. */
  readonly counters: Readonly<RequestCounters>;
  /** Forgets the budget's tokens: another process may have used them. */
  empty(): void;
  /** No request until then, by the local clock. */
  pauseUntil(moment: Instant): void;
  /** Until when the service has asked to pause, by the local clock; 0 if never. */
  readonly pausedUntil: Instant;
}

/** A pause that lasts longer comes from a wrong clock. */
const LONGEST_PAUSE_MS = 3_600_000;
/** A token that was accepted this short a time ago is tried again before the source rests. */
const ACCEPTED_LATELY = 5 * MINUTE;
const NEVER = Number.NEGATIVE_INFINITY;
const MOST_REFUSED = 3;
const REFUSED = 'The service, or a firewall before it, refuses the token that the secret holds.';

export function createRequests(options: RequestsOptions): Requests {
  const { clock, log, random, deadline } = options;
  const access = createAccessKeeper(options);
  const bucket = options.bucket ?? createBucket(options.requestsPerMinute, clock.elapsed);
  const turns = createTurns(bucket, clock);
  const credit = createRetryCredit();
  const counters: RequestCounters = { sent: 0, rateLimited: 0 };
  let pausedUntil: Instant = 0;
  /** Pauses after a 429 without Retry-After since the last success, and when the last one began. */
  let untimedPauses = 0;
  let untimedSince: Instant = NEVER;
  /** By the clock's elapsed time, for the token in use. */
  let acceptedAt = NEVER;

  async function send<Answer extends Aged>(
    turn: Turn,
    request: (client: ReturnsServiceClient) => Promise<Answer>,
    { tries: most = MAX_TRIES, readsSecret = false, signal = options.signal }: SendOptions = {},
  ): Promise<Sent<Answer>> {
    if (readsSecret) access.forget();
    let used = await access.current();
    let isRenewed = false;
    let failure: ReturnsServiceError | undefined;
    for (let tries = 1; ; ) {
      await takeTurn(turn, signal, failure);
      counters.sent += 1;
      const sentAt = clock.now();
      try {
        const answer = await request(used.client);
        credit.earn();
        untimedPauses = 0;
        acceptedAt = clock.elapsed();
        return { answer, ...timeOf(answer, sentAt, clock.now()), accessHash: used.accessHash };
      } catch (error) {
        if (!(error instanceof ReturnsServiceError)) throw error;
        // An abort is the feed's own: what the service answered before says more.
        if (!(error instanceof RequestAbortedError) || failure === undefined) failure = error;
        // The client has noted where it leads.
        if (error instanceof UnexpectedStatusError && error.isFollowed) continue;
        if (error instanceof TokenRefusedError) {
          const renewed: Access | undefined = isRenewed ? undefined : await access.renew(used);
          if (renewed === undefined) await beforeAnotherTry(error, ++tries, most, signal);
          else used = takeRenewed(renewed);
          isRenewed = renewed !== undefined;
        } else if (pauseAsked(error, sentAt)) {
          if (!(error instanceof RateLimitedError) && ++tries > most) throw error;
        } else {
          if (signal?.aborted === true || error instanceof RequestAbortedError)
            throw new DeadlineReached('Asked to stop.', { cause: failure });
          await beforeRetry(error, tries, most, signal);
          tries += 1;
        }
      }
    }
  }

  async function takeTurn(turn: Turn, signal: AbortSignal | undefined, cause?: ReturnsServiceError) {
    try {
      await turns.take(turn, deadline, signal);
    } catch (error) {
      if (cause === undefined || !(error instanceof DeadlineReached)) throw error;
      if (cause instanceof TokenRefusedError && signal?.aborted !== true) throw refused(cause);
      throw new DeadlineReached(error.message, { cause });
    }
  }

  function takeRenewed(renewed: Access): Access {
    acceptedAt = NEVER;
    log.info('The token was refused; the secret holds another one, which is used from now on.');
    return renewed;
  }

  /** One of several servers may not know a token yet that the others accept. */
  async function beforeAnotherTry(
    error: TokenRefusedError,
    tries: number,
    most: number,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const wasAccepted = clock.elapsed() - acceptedAt <= ACCEPTED_LATELY;
    if (!wasAccepted || tries > Math.min(most, MOST_REFUSED)) throw refused(error);
    await clock.sleep(retryPauseMs(tries, random()), signal);
  }

  /** Until it is accepted again, the token is tried once: each try may count towards a lock of the account. */
  function refused(cause: TokenRefusedError): SourceRefused {
    access.forget();
    acceptedAt = NEVER;
    return new SourceRefused(options.secret.refused ?? REFUSED, { cause });
  }

  /** Pauses all requests if the service asks for it. */
  function pauseAsked(error: ReturnsServiceError, sentAt: Instant): boolean {
    const isTooFast = error instanceof RateLimitedError;
    const askedMs = askedWaitMs(error, clock.now());
    const isAsked = error.retryable && askedMs !== undefined;
    if (!isTooFast && !isAsked) return false;
    if (isTooFast) counters.rateLimited += 1;
    const pauseMs = Math.min(
      LONGEST_PAUSE_MS,
      Math.max(SHORTEST_PAUSE_MS, askedMs ?? untimedPauseMs(sentAt)),
    );
    log.warn('The service asks for a pause.', { pauseMs, error });
    pauseFor(pauseMs);
    return true;
  }

  /** Requests that were under way when the last pause began say the same as the one that it came from. */
  function untimedPauseMs(sentAt: Instant): number {
    if (sentAt >= untimedSince) {
      untimedPauses += 1;
      untimedSince = clock.now();
    }
    return Math.min(LONGEST_UNTIMED_PAUSE_MS, SHORTEST_PAUSE_MS * 2 ** (untimedPauses - 1));
  }

  function pauseFor(pauseMs: number): void {
    pausedUntil = Math.max(pausedUntil, clock.now() + pauseMs * MILLISECOND);
    bucket.pause(pauseMs * MILLISECOND);
  }

  async function beforeRetry(
    error: ReturnsServiceError,
    tries: number,
    most: number,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    if (!error.retryable || tries >= most || !credit.spend()) {
      // The answer to a wrong token is undocumented, so any failure may be one: the next request reads the secret.
      access.forget();
      throw error;
    }
    const waitMs = retryPauseMs(tries, random());
    log.debug('A request failed and will be tried again.', { tries, waitMs, error });
    if (clock.elapsed() + waitMs * MILLISECOND > deadline())
      throw new DeadlineReached('The next try would come after the deadline.', { cause: error });
    await clock.sleep(waitMs, signal);
  }

  return {
    send,
    counters,
    empty: bucket.empty,
    pauseUntil(moment) {
      const leftMs = pauseLeftMs(moment, clock.now());
      if (leftMs > 0) pauseFor(leftMs);
    },
    get pausedUntil() {
      return pausedUntil;
    },
  };
}

/** How long a pause still lasts, 0 if it is over. One above the maximum comes from a wrong clock and does not count. */
export function pauseLeftMs(until: Instant, now: Instant): number {
  const leftMs = (until - now) / MILLISECOND;
  return leftMs <= LONGEST_PAUSE_MS ? Math.max(0, leftMs) : 0;
}

function timeOf(
  { age }: Aged,
  sentAt: Instant,
  receivedAt: Instant,
): Pick<Sent<Aged>, 'sentAt' | 'receivedAt'> {
  if (age === undefined) return { sentAt, receivedAt };
  // The rest of a second is cut off.
  return { sentAt: sentAt - age - SECOND, receivedAt: receivedAt - age };
}
