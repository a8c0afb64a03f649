// The port that the client sends its requests through: one GET, no redirects, no retries, no cache. It must not guess:
// an answer that did not arrive completely is a failure, however good its beginning.

export interface HttpRequest {
  /** Absolute, http or https. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The limit for everything, from looking up the address to the last byte of the body. */
  readonly timeoutMs: number;
  /** The limit for the body, both on the wire and decompressed. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

export interface HttpAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whole and decompressed. */
  readonly body: Uint8Array;
  /** From sending the request to the last byte, by a clock that never goes back. */
  readonly requestMs: number;
}

/** @throws {TransportFailure} if no complete answer arrived; any status is an answer */
export type HttpTransport = (request: HttpRequest) => Promise<HttpAnswer>;

/**
 * - `connection`: there was no answer; `code` says why (`ECONNREFUSED`, `ENOTFOUND`, …).
 * - `timeout`: `timeoutMs` passed.
 * - `truncated`: the answer began and did not arrive completely.
 * - `undecodable`: it is encoded in a way that was not requested, or broken.
 * - `too-large`: it has more than `maxBytes`.
 * - `aborted`: the caller's signal was aborted.
 */
export type TransportFailureKind =
  | 'connection'
  | 'timeout'
  | 'truncated'
  | 'undecodable'
  | 'too-large'
  | 'aborted';

interface TransportFailureDetails {
  /** The system's or the library's code for what happened. */
  readonly code?: string | undefined;
  /** The answer's status, if it arrived. */
  readonly status?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Whether the environment names a proxy; undefined where none can be used. */
  readonly hasProxy?: boolean | undefined;
  readonly cause?: unknown;
}

/**
 * Thrown by a transport that got no complete answer. Its message and cause hold neither sent headers nor any part of a
 * body. It holds the status if that arrived before the failure: a 429 without an end is a 429.
 */
export class TransportFailure extends Error {
  override readonly name = 'TransportFailure';
  readonly kind: TransportFailureKind;
  readonly code: string | undefined;
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly hasProxy: boolean | undefined;

  constructor(kind: TransportFailureKind, message: string, details: TransportFailureDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.kind = kind;
    this.code = details.code;
    this.status = details.status;
    this.headers = details.headers ?? {};
    this.hasProxy = details.hasProxy;
  }
}
