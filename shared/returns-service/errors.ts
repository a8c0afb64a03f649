// How a request to the returns service can fail. Messages are for people and safe to log: they hold no token, no
// requested value and no part of a body except a 422's words on harmless parameters.
import type { Instant } from '../instant.ts';

interface Circumstances {
  /** The answer's Date, if there was an answer that had one. */
  readonly date?: Instant | undefined;
  readonly cause?: unknown;
}

/** The base class: catching it catches every failure of a request. */
export abstract class ReturnsServiceError extends Error {
  /** Whether the same request may succeed later without any other change. */
  abstract readonly retryable: boolean;
  readonly date: Instant | undefined;

  constructor(message: string, { date, cause }: Circumstances) {
    super(message, cause === undefined ? undefined : { cause });
    this.date = date;
  }
}

/** Thrown when there was no answer because of the address, the network, the certificate or a closed connection. */
export class ConnectionFailedError extends ReturnsServiceError {
  override readonly name = 'ConnectionFailedError';
  readonly retryable: boolean;
  /** The system's code, such as `ECONNREFUSED`. */
  readonly code: string | undefined;

  constructor(
    message: string,
    details: Circumstances & { readonly code: string | undefined; readonly retryable: boolean },
  ) {
    super(message, details);
    this.code = details.code;
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

/** Thrown when a 200 is unusable: not JSON (often a web page from an intermediary), or not an array. */
export class UnreadableAnswerError extends ReturnsServiceError {
  override readonly name = 'UnreadableAnswerError';
  readonly retryable = true;
}

/** Thrown for a 401 or 403. A service's answer to a bad token is not documented; these are the usual two. */
export class TokenRefusedError extends ReturnsServiceError {
  override readonly name = 'TokenRefusedError';
  readonly retryable = false;
  readonly status: number;

  constructor(message: string, details: Circumstances & { readonly status: number }) {
    super(message, details);
    this.status = details.status;
  }
}

/** Thrown for a 422: the service refuses a parameter (returns-data-service.md, "Errors"). */
export class ValidationRejectedError extends ReturnsServiceError {
  override readonly name = 'ValidationRejectedError';
  readonly retryable = false;
  /** The parameters that the answer names, such as `limit`; empty if it names none. */
  readonly parameters: readonly string[];

  constructor(message: string, details: Circumstances & { readonly parameters: readonly string[] }) {
    super(message, details);
    this.parameters = details.parameters;
  }
}

/** Thrown for a 429: more than 300 requests a minute with one token (returns-data-service.md, "Limits"). */
export class RateLimitedError extends ReturnsServiceError {
  override readonly name = 'RateLimitedError';
  readonly retryable = true;
  /** From Retry-After, if it was sent and could be read. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, details: Circumstances & { readonly retryAfterMs: number | undefined }) {
    super(message, details);
    this.retryAfterMs = details.retryAfterMs;
  }
}

/** Thrown for any other status but 200, redirects included: following them would send the token along. */
export class UnexpectedStatusError extends ReturnsServiceError {
  override readonly name = 'UnexpectedStatusError';
  /** True for the statuses of servers in trouble: 5xx, 408 and 425. */
  readonly retryable: boolean;
  readonly status: number;
  /** From Retry-After, if it was sent and could be read. */
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    details: Circumstances & { readonly status: number; readonly retryAfterMs: number | undefined },
  ) {
    super(message, details);
    this.status = details.status;
    this.retryAfterMs = details.retryAfterMs;
    this.retryable = details.status >= 500 || details.status === 408 || details.status === 425;
  }
}

/** Thrown for an invalid token before anything is sent. */
export class InvalidTokenError extends Error {
  override readonly name = 'InvalidTokenError';
}
