// Turns a failed request into the one error that describes it (errors.ts).
import type { Instant } from '../instant.ts';
import { isSuccess } from './decode-answer.ts';
import {
  AnswerTooLargeError,
  ConnectionFailedError,
  RateLimitedError,
  RequestAbortedError,
  RequestTimedOutError,
  type ReturnsServiceError,
  TokenRefusedError,
  TruncatedAnswerError,
  UnexpectedStatusError,
  UnreadableAnswerError,
  ValidationRejectedError,
} from './errors.ts';
import { parseHttpDate, parseRetryAfter } from './http-headers.ts';
import { type HttpAnswer, TransportFailure } from './http-transport.ts';
import { type Redact, redactError } from './redaction.ts';
import { describeValidationRejection } from './validation-rejection.ts';

/** The facts about the request that the error's message uses. */
export interface RequestContext {
  /** Host and port of the service. */
  readonly host: string;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly redact: Redact;
  /** Of a redirect: what to change, and whether the next request goes where it leads. */
  readonly hint?: string;
  readonly isFollowed?: boolean;
}

/** The error of an answer without success. Its body may be anything, and is read only for a 422. */
export function errorOfStatus(
  answer: HttpAnswer,
  { host, redact, hint, isFollowed = false }: RequestContext,
): ReturnsServiceError {
  const { status, headers } = answer;
  const date = parseHttpDate(headers.date);
  const retryAfter = parseRetryAfter(headers['retry-after'], date);
  const retryAfterMs = retryAfter?.ms;
  const retryAt = retryAfter?.at;
  // A rate rule of a firewall answers 403, but says when to come again; a token that is refused has no such time.
  const isRateRule = retryAfter !== undefined || hasNoneLeft(headers);
  if ((status === 401 || status === 403) && !isRateRule) {
    const message = `${host} refused the token, or a firewall before it the request (${status}).`;
    return new TokenRefusedError(message, { status, date });
  }
  if (status === 422) return validationRejected(answer, redact, date);
  if (status === 429 || status === 401 || status === 403) {
    const wait = retryAfterMs === undefined ? '' : ` It asks to wait ${Math.ceil(retryAfterMs / 1_000)} s.`;
    const message = `${host} refused the request as one too many (${status}).${wait}`;
    return new RateLimitedError(message, { retryAfterMs, retryAt, date });
  }
  const advice = hint === undefined ? (status === 404 ? NOT_FOUND_HINT : '') : ` ${redact(hint)}`;
  return new UnexpectedStatusError(`${host} answered with status ${status}.${advice}`, {
    ...{ status, isFollowed, retryAfterMs, retryAt, date },
  });
}

/** The usual names of the count of requests that a budget has left. */
const LEFT = ['ratelimit-remaining', 'x-ratelimit-remaining', 'x-rate-limit-remaining'];

function hasNoneLeft(headers: HttpAnswer['headers']): boolean {
  return LEFT.some((name) => headers[name]?.trim() === '0');
}

const NOT_FOUND_HINT = ' The base URL may lack its path prefix.';

function validationRejected(
  answer: HttpAnswer,
  redact: Redact,
  date: Instant | undefined,
): ReturnsServiceError {
  const words = describeValidationRejection(jsonOrUndefined(answer.body), redact);
  const message = `The service refused the request's parameters (422)${words === '' ? '' : `: ${words}`}.`;
  return new ValidationRejectedError(message, { date });
}

/** A rejection is a few hundred bytes; what is larger is none, and may take too much memory. */
const MAX_REJECTION_BYTES = 64 * 1_024;

function jsonOrUndefined(body: Uint8Array): unknown {
  if (body.byteLength > MAX_REJECTION_BYTES) return undefined;
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    // Any status may have any body, and a 422 that can't be read is still a 422.
    return undefined;
  }
}

/** The error of a transport's failure, whatever was thrown. */
export function errorOfFailure(failure: unknown, context: RequestContext): ReturnsServiceError {
  const { host, timeoutMs, maxBytes, redact } = context;
  const cause = redactError(failure, redact);
  if (!(failure instanceof TransportFailure)) {
    return new ConnectionFailedError(`The request to ${host} failed.`, {
      code: undefined,
      retryable: true,
      cause,
    });
  }
  const { kind, status, headers } = failure;
  if (kind !== 'aborted' && status !== undefined && !isSuccess(status)) {
    // The status is enough, even if its explanation did not arrive completely.
    return errorOfStatus({ status, headers, body: new Uint8Array(), requestMs: 0 }, context);
  }
  const circumstances = { cause, date: parseHttpDate(headers.date) };
  switch (kind) {
    case 'timeout':
      return new RequestTimedOutError(
        `${host} did not answer in full within ${timeoutMs} ms.`,
        circumstances,
      );
    case 'aborted':
      return new RequestAbortedError('The request was aborted.', circumstances);
    case 'truncated':
      return new TruncatedAnswerError(`The answer of ${host} broke off.`, circumstances);
    case 'too-large':
      return new AnswerTooLargeError(`The answer of ${host} has more than ${maxBytes} bytes.`, circumstances);
    case 'undecodable':
      return new UnreadableAnswerError(
        `The answer of ${host} can't be decoded: its Content-Encoding is ${encodingOf(headers)}.`,
        circumstances,
      );
    case 'connection': {
      const code = failure.code === undefined ? undefined : redact(failure.code);
      const { words, retryable } = explainConnectionFailure(code);
      const shown = code === undefined ? '' : ` (${code})`;
      const advice =
        failure.hasProxy === undefined || !NO_WAY.test(code ?? '') ? '' : PROXY[`${failure.hasProxy}`];
      return new ConnectionFailedError(`No connection to ${host}: ${words}${shown}.${advice}`, {
        ...circumstances,
        code,
        retryable,
      });
    }
  }
}

/** Codes of a network that may be left through a proxy only. */
const NO_WAY = /^(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ERR_PROXY_.+)$/;
const PROXY = {
  true: ' HTTPS_PROXY names a proxy: check it, and NO_PROXY.',
  false: ' If only a proxy leads out of this network, name it in HTTPS_PROXY.',
} as const;

/** A header may hold anything. */
function encodingOf(headers: HttpAnswer['headers']): string {
  return /^[\w-]{1,20}(?:, ?[\w-]{1,20}){0,3}$/.exec(headers['content-encoding'] ?? '')?.[0] ?? 'unknown';
}

/** What is wrong with the answer, or with its encryption, by the codes of Node's HTTP parser and of OpenSSL. */
const FAMILIES: readonly (readonly [RegExp, string])[] = [
  [/^HPE_HEADER_OVERFLOW$/, 'the headers of its answer have more than 64 KB'],
  [
    /^HPE_(?:INVALID_CONSTANT|INVALID_VERSION)$/,
    'what answers there does not speak HTTP, or not without TLS',
  ],
  [/^HPE_/, 'its answer breaks the rules of HTTP'],
  [
    /CERTIFICATE_REQUIRED|ALERT_HANDSHAKE_FAILURE|ALERT_BAD_CERTIFICATE/,
    'it asks for a certificate of the client',
  ],
  [
    /UNSUPPORTED_PROTOCOL|ALERT_PROTOCOL_VERSION|VERSION_TOO_LOW|NO_PROTOCOLS/,
    'it speaks no version of TLS that is safe',
  ],
  [/^(?:EPROTO|ERR_SSL_)/, 'what answers there does not speak TLS: the base URL may need another port'],
];

/** The codes are Node's and OpenSSL's. Only a certificate's fault does not go away by waiting. */
function explainConnectionFailure(code = ''): { readonly words: string; readonly retryable: boolean } {
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return temporary('no host of this name can be found');
  if (code === 'ECONNREFUSED') return temporary('nothing listens at this address and port');
  if (code === 'ERR_PROXY_TUNNEL') return temporary('the proxy does not connect to it');
  if (code === 'ECONNRESET' || code === 'EPIPE') return temporary('it was closed before an answer came');
  if (/^(?:ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN)$/.test(code)) {
    return temporary("the host can't be reached");
  }
  const family = FAMILIES.find(([codes]) => codes.test(code));
  if (family !== undefined) return temporary(family[1]);
  if (/CERT|SIGNATURE|ISSUER|HOSTNAME_MISMATCH/.test(code)) {
    return { words: 'its certificate is not one to trust', retryable: false };
  }
  return temporary('it failed');
}

function temporary(words: string): { readonly words: string; readonly retryable: boolean } {
  return { words, retryable: true };
}
