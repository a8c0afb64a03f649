// How a request to the returns service can fail. Messages are for people and safe to log: they hold no token, no
// requested value and no part of a body except a 422's words on harmless parameters.
import { type Instant, MILLISECOND } from '../instant.ts';

interface Circumstances {
  /** The answer's Date, if there was an answer that had one. */
  readonly date?: Instant | undefined;
  /** The answer's status, if it was no success. */
  readonly status?: number | undefined;
  /** When to ask again, from Retry-After, if it was sent and could be read. */
  readonly retryAfterMs?: number | undefined;
  /** The same by the service's clock, where the answer has no Date to count from. */
  readonly retryAt?: Instant | undefined;
  readonly cause?: unknown;
}

/** The base class: catching it catches every failure of a request. */
export abstract class ReturnsServiceError extends Error {
  /** Whether the same request may succeed later without any other change. */
  abstract readonly retryable: boolean;
  readonly date: Instant | undefined;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly retryAt: Instant | undefined;

  constructor(message: string, { date, status, retryAfterMs, retryAt, cause }: Circumstances) {
    super(message, cause === undefined ? undefined : { cause });
    this.date = date;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
    this.retryAt = retryAt;
  }
}

/** Thrown when there was no answer because of the address, the network, the certificate or a closed connection. */
export class ConnectionFailedError extends ReturnsServiceError {
  override readonly name = 'ConnectionFailedError';
  readonly retryable: boolean;

  constructor(message: string, details: Circumstances & { readonly retryable: boolean }) {
    super(message, details);
    this.retryable = details.retryable;
  }
}

/** Thrown when the complete answer did not arrive in time; it may have begun. */
export class RequestTimedOutError extends ReturnsServiceError {
  override readonly name = 'RequestTimedOutError';
  readonly retryable = true;
}

/** Thrown when the caller's signal was aborted. */
export class RequestAbortedError extends ReturnsServiceError {
  override readonly name = 'RequestAbortedError';
  readonly retryable = false;
}

/** Thrown when an answer ended early: by its length, by its connection or as JSON. */
export class TruncatedAnswerError extends ReturnsServiceError {
  override readonly name = 'TruncatedAnswerError';
  readonly retryable = true;
}

/** Thrown when an answer has too many bytes, values or levels; requesting fewer groups helps, a retry does not. */
export class AnswerTooLargeError extends ReturnsServiceError {
  override readonly name = 'AnswerTooLargeError';
  readonly retryable = false;
}

/** Thrown when a success is unusable: not JSON (often a web page from an intermediary), or not an array. */
export class UnreadableAnswerError extends ReturnsServiceError {
  override readonly name = 'UnreadableAnswerError';
  readonly retryable = true;
}

/**
 * Thrown for a 401 or 403 that asks for no pause. A service's answer to a bad token is not documented; these are the usual
 * two. A firewall before the service may answer so as well.
 */
export class TokenRefusedError extends ReturnsServiceError {
  override readonly name = 'TokenRefusedError';
  readonly retryable = false;
}

/** Thrown for a 422: the service refuses a parameter (returns-data-service.md, "Errors"). */
export class ValidationRejectedError extends ReturnsServiceError {
  override readonly name = 'ValidationRejectedError';
  readonly retryable = false;
}

/**
 * Thrown for a 429: more than 300 requests a minute with one token (returns-data-service.md, "Limits"); and for a 401 or
 * 403 that says when to come again.
 */
export class RateLimitedError extends ReturnsServiceError {
  override readonly name = 'RateLimitedError';
  readonly retryable = true;
}

/** Thrown for any other status, redirects included. */
export class UnexpectedStatusError extends ReturnsServiceError {
  override readonly name = 'UnexpectedStatusError';
  /** True for the statuses of servers in trouble: 5xx, 408 and 425; and where the next request goes elsewhere. */
  readonly retryable: boolean;
  /** Whether the next request goes where the answer leads. */
  readonly isFollowed: boolean;

  constructor(
    message: string,
    details: Circumstances & { readonly status: number; readonly isFollowed?: boolean },
  ) {
    super(message, details);
    const { status, isFollowed = false } = details;
    this.isFollowed = isFollowed;
    this.retryable = isFollowed || status >= 500 || status === 408 || status === 425;
  }
}

/** For a moment without the service's own time: the local clock may be ahead. */
const SHORTEST_WAIT_MS = 15_000;

/**
 * The wait that an answer asked for, in milliseconds; undefined if it asked for none.
 *
 * @param now by the local clock, for a moment that is named without the service's own time
 */
export function askedWaitMs(
  { retryAfterMs, retryAt }: ReturnsServiceError,
  now: Instant,
): number | undefined {
  if (retryAfterMs !== undefined || retryAt === undefined) return retryAfterMs;
  return Math.max(SHORTEST_WAIT_MS, Math.ceil((retryAt - now) / MILLISECOND));
}

/** Thrown for an invalid token before anything is sent. */
export class InvalidTokenError extends Error {
  override readonly name = 'InvalidTokenError';
}
