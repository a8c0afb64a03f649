// Sends one request to the returns service per call: no retries, no pacing. These are left to the caller, because only
// the caller knows the budget. A redirect on the same host is an error as well, and later calls go where it leads.
// Returns a page of rows, each read on its own, or throws one of the errors of errors.ts.
import type { Instant } from '../instant.ts';
import { MAX_ANSWER_BYTES, REQUEST_TIMEOUT_MS } from '../limits.ts';
import { LIST_PATH, parseBaseUrl } from './base-url.ts';
import { decodeRows, findEmptyInstead, isSuccess } from './decode-answer.ts';
import { findDrift, findUnlistedValues } from './drift.ts';
import { InvalidTokenError } from './errors.ts';
import { errorOfFailure, errorOfStatus, type RequestContext } from './failed-request.ts';
import { parseAge, parseHttpDate } from './http-headers.ts';
import type { HttpAnswer, HttpRequest, HttpTransport } from './http-transport.ts';
import { parseReturnGroup, type RowReading } from './parse-return-group.ts';
import type { Includable } from './read-included.ts';
import { createRedact } from './redaction.ts';
import { readRedirect } from './redirect.ts';
import { encodeReturnGroupsQuery, personalValuesOf, type ReturnGroupsQuery } from './return-groups-query.ts';

/** Rows of a page that are searched for unknown fields; a service that has new ones has them everywhere. */
const ROWS_LOOKED_THROUGH = 2;

export interface ReturnsServiceClientOptions {
  /** Including its path prefix; see {@link parseBaseUrl}. */
  readonly baseUrl: string;
  /** Blanks around it are removed. */
  readonly token: string;
  readonly transport: HttpTransport;
  /** @default REQUEST_TIMEOUT_MS */
  readonly timeoutMs?: number | undefined;
  /** @default MAX_ANSWER_BYTES */
  readonly maxBytes?: number | undefined;
  /** Further fields to read of each row. @default none */
  readonly include?: readonly Includable[] | undefined;
}

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  /** For this request. @default that of the client */
  readonly timeoutMs?: number | undefined;
  /** Whether caches are asked not to answer it. @default false */
  readonly skipsCaches?: boolean | undefined;
  /** A longer answer fails. @default that of the client */
  readonly maxBytes?: number | undefined;
}

interface ReturnGroupsPage {
  /** One for each element of the answer, in its order. */
  readonly rows: readonly RowReading[];
  /** Names of values and fields that are not in the service's document; see {@link findDrift}. */
  readonly drift: readonly string[];
  /** Size of the body, decompressed, and of the largest row in it. */
  readonly bytes: number;
  readonly largestRow: number;
  /** The answer's Date, to the second. */
  readonly date?: Instant;
  /** How long a cache has kept the answer, in whole seconds, cut off; undefined if none says so. */
  readonly age?: number | undefined;
  /** From sending to the last byte. */
  readonly requestMs: number;
}

/** Every method throws a ReturnsServiceError if it gets no page. */
export interface ReturnsServiceClient {
  /** GET /v2/return-groups */
  listReturnGroups(query: ReturnGroupsQuery, options?: RequestOptions): Promise<ReturnGroupsPage>;
}

/**
 * @throws {InvalidBaseUrlError} for an invalid base URL, or one without https
 * @throws {InvalidTokenError} for a token that can't be sent
 */
export function createReturnsServiceClient(options: ReturnsServiceClientOptions): ReturnsServiceClient {
  const baseUrl = parseBaseUrl(options.baseUrl);
  const token = parseToken(options.token);
  const {
    transport,
    timeoutMs: usualTimeoutMs = REQUEST_TIMEOUT_MS,
    maxBytes: most = MAX_ANSWER_BYTES,
  } = options;
  const { include = [] } = options;
  const { host } = new URL(baseUrl);
  const configured = `${baseUrl}${LIST_PATH}`;
  /** Of the list; another one on the same host after a redirect, one at most. */
  let address = configured;
  const usual = { accept: 'application/json', 'X-Service-Api-Token': token };
  return {
    async listReturnGroups(query, { signal, timeoutMs = usualTimeoutMs, skipsCaches, maxBytes = most } = {}) {
      const redact = createRedact([token, ...personalValuesOf(query)]);
      const context: RequestContext = { host, timeoutMs, maxBytes, redact };
      const asked = address;
      const url = `${asked}${encodeReturnGroupsQuery(query)}`;
      const headers = skipsCaches ? { ...usual, 'cache-control': 'no-cache' } : usual;
      const answer = await send(transport, { url, headers, timeoutMs, maxBytes, signal }, context);
      const { status } = answer;
      if (isRedirect(status)) {
        const { follow, hint } = readRedirect(answer, asked);
        address = asked === configured && follow !== undefined ? follow : configured;
        throw errorOfStatus(answer, { ...context, hint, isFollowed: address !== configured });
      }
      // Where it once led, nothing is any more.
      if (status === 404) address = configured;
      if (!isSuccess(status)) throw errorOfStatus(answer, context);
      const emptyInstead = findEmptyInstead(answer);
      const date = parseHttpDate(answer.headers.date);
      return {
        ...(emptyInstead === undefined
          ? readRows(decodeRows(answer), include)
          : { rows: [], largestRow: 0, drift: [emptyInstead] }),
        bytes: answer.body.byteLength,
        requestMs: answer.requestMs,
        age: parseAge(answer.headers.age),
        ...(date === undefined ? {} : { date }),
      };
    },
  };
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}

async function send(
  transport: HttpTransport,
  request: HttpRequest,
  context: RequestContext,
): Promise<HttpAnswer> {
  try {
    return await transport(request);
  } catch (failure) {
    throw errorOfFailure(failure, context);
  }
}

function parseToken(text: string): string {
  const token = text.trim();
  if (token === '') throw new InvalidTokenError('The token is empty: set it to one made in the service.');
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new InvalidTokenError('The token holds a blank or a letter that no token has: copy it once more.');
  }
  return token;
}

function readRows(
  elements: ReturnType<typeof decodeRows>,
  include: readonly Includable[],
): Pick<ReturnGroupsPage, 'rows' | 'largestRow' | 'drift'> {
  const drift = new Set<string>();
  const rows: RowReading[] = [];
  let largestRow = 0;
  for (const { raw, bytes } of elements) {
    largestRow = Math.max(largestRow, bytes);
    const row = parseReturnGroup(raw, include);
    rows.push(row);
    if (row.kind === 'unreadable') continue;
    findUnlistedValues(row.group, drift);
    if (rows.length <= ROWS_LOOKED_THROUGH)
      for (const finding of findDrift(raw, row.group)) drift.add(finding);
  }
  return { rows, largestRow, drift: [...drift] };
}
