// The port that the client sends its requests through: one GET, no redirects, no retries, no cache. What it must
// not do is guess: an answer that did not arrive whole is a failure, however good its beginning.

export interface HttpRequest {
  /** Absolute, http or https. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** For everything, from looking up the address to the last byte of the body. */
  readonly timeoutMs: number;
  /** For the body, on the wire and decompressed. */
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

/** @throws {TransportFailure} when no whole answer arrived; a status, whatever it is, is an answer. */
export type HttpTransport = (request: HttpRequest) => Promise<HttpAnswer>;

/**
 * - `connection`: there was no answer; `code` says why (`ECONNREFUSED`, `ENOTFOUND`, …).
 * - `timeout`: `timeoutMs` passed.
 * - `truncated`: the answer began and did not arrive whole.
 * - `undecodable`: its encoding is none that was asked for, or broken.
 * - `too-large`: it has more than `maxBytes`.
 * - `aborted`: the caller's signal said so.
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
  /** Of the answer, where it came as far as that. */
  readonly status?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly cause?: unknown;
}

/**
 * Thrown by a transport that got no whole answer. Its message and cause hold neither headers that were sent nor
 * anything of a body. Where the status came and the rest did not, it is in there: a 429 without an end is a 429.
 */
export class TransportFailure extends Error {
  override readonly name = 'TransportFailure';
  readonly kind: TransportFailureKind;
  readonly code: string | undefined;
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(kind: TransportFailureKind, message: string, details: TransportFailureDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.kind = kind;
    this.code = details.code;
    this.status = details.status;
    this.headers = details.headers ?? {};
  }
}
