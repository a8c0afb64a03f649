// Turns a failed request into the one error that describes it (errors.ts).
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
  readonly hint?: string | undefined;
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
  const circumstances = { status, date, retryAfterMs: retryAfter?.ms, retryAt: retryAfter?.at };
  // A rate rule of a firewall answers 403, but says when to come again; a token that is refused has no such time.
  const isRateRule = retryAfter !== undefined || hasNoneLeft(headers);
  const isRefusal = status === 401 || status === 403;
  if (isRefusal && !isRateRule)
    return new TokenRefusedError(
      `${host} refused the token, or a firewall before it the request (${status}).`,
      circumstances,
    );
  if (status === 422) {
    const words = describeValidationRejection(jsonOrUndefined(answer.body), redact);
    const message = `The service refused the request's parameters (422)${words === '' ? '' : `: ${words}`}.`;
    return new ValidationRejectedError(message, circumstances);
  }
  if (isRefusal || status === 429) {
    const wait =
      retryAfter?.ms === undefined ? '' : ` It asks to wait ${Math.ceil(retryAfter.ms / 1_000)} s.`;
    const message = `${host} refused the request as one too many (${status}).${wait}`;
    return new RateLimitedError(message, circumstances);
  }
  const advice = redact(hint ?? (status < 400 || status === 404 ? PATH_HINT : ''));
  const message = `${host} answered with status ${status}.${advice}`;
  return new UnexpectedStatusError(message, { ...circumstances, isFollowed });
}

/** The usual names of the count of requests that a budget has left. */
const LEFT = ['ratelimit-remaining', 'x-ratelimit-remaining', 'x-rate-limit-remaining'];

function hasNoneLeft(headers: HttpAnswer['headers']): boolean {
  return LEFT.some((name) => headers[name]?.trim() === '0');
}

const PATH_HINT = ' The base URL may lack its path prefix.';

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
  if (!(failure instanceof TransportFailure))
    return new ConnectionFailedError(`The request to ${host} failed.`, { retryable: true, cause });
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
      const { code, hasProxy } = failure;
      const shown = code === undefined ? '' : ` (${redact(code)})`;
      const [, words] = EXPLANATIONS.find(([codes]) => codes.test(code ?? '')) ?? [];
      const advice = hasProxy !== undefined && NO_WAY.test(code ?? '') ? PROXY[`${hasProxy}`] : '';
      return new ConnectionFailedError(
        `No connection to ${host}: ${words ?? 'it failed'}${shown}.${advice}`,
        {
          ...circumstances,
          retryable: words !== UNTRUSTED,
        },
      );
    }
  }
}

/** A header may hold anything. */
function encodingOf(headers: HttpAnswer['headers']): string {
  return /^[\w-]{1,20}(?:, ?[\w-]{1,20}){0,3}$/.exec(headers['content-encoding'] ?? '')?.[0] ?? 'unknown';
}

/** Codes of a network that may be left through a proxy only. */
const NO_WAY = /^(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ERR_PROXY_.+)$/;
const PROXY = {
  true: ' HTTPS_PROXY names a proxy: check it, and NO_PROXY.',
  false: ' If only a proxy leads out of this network, name it in HTTPS_PROXY.',
} as const;

/** Only a certificate's fault does not go away by waiting. */
const UNTRUSTED = 'its certificate is not one to trust';

/** By the codes of Node, of its HTTP parser and of OpenSSL; the first that fits counts. */
const EXPLANATIONS: readonly (readonly [RegExp, string])[] = [
  [/^(?:ENOTFOUND|EAI_AGAIN)$/, 'no host of this name can be found'],
  [/^ECONNREFUSED$/, 'nothing listens at this address and port'],
  [/^ERR_PROXY_TUNNEL$/, 'the proxy does not connect to it'],
  [/^(?:ECONNRESET|EPIPE)$/, 'it was closed before an answer came'],
  [/^(?:ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN)$/, "the host can't be reached"],
  [/^HPE_HEADER_OVERFLOW$/, 'the headers of its answer have more than 64 KB'],
  [/^HPE_INVALID_(?:CONSTANT|VERSION)$/, 'what answers there does not speak HTTP, or not without TLS'],
  [/^HPE_/, 'its answer breaks the rules of HTTP'],
  [/CERTIFICATE_REQUIRED|ALERT_(?:HANDSHAKE|BAD_CERT)/, 'it asks for a certificate of the client'],
  [
    /UNSUPPORTED_PROTOCOL|PROTOCOL_VERSION|VERSION_TOO_LOW|NO_PROTOCOLS/,
    'it speaks no version of TLS that is safe',
  ],
  [/^(?:EPROTO|ERR_SSL_)/, 'what answers there does not speak TLS: the base URL may need another port'],
  [/CERT|SIGNATURE|ISSUER|HOSTNAME_MISMATCH/, UNTRUSTED],
];
