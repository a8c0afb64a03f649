// Answers a request that reads a stream: catching up, or waiting for what comes (long poll).
import type { Clock } from '../ports.ts';
import type { Piece, PullStream } from './pull-stream.ts';

export interface ReadRequest {
  readonly method: string;
  readonly query: URLSearchParams;
  readonly ifNoneMatch: string | undefined;
  /** Aborted when the client has gone, or the server ends. */
  readonly signal: AbortSignal;
}

export interface ReadAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer> | undefined;
}

/** How long a long poll waits. */
export const LONG_POLL_MS = 20_000;
/** Most messages that a client may ask for at once. */
export const MOST_MESSAGES = 1_000;

export async function answerRead(
  request: ReadRequest,
  stream: PullStream,
  clock: Pick<Clock, 'now' | 'elapsed' | 'sleep'>,
): Promise<ReadAnswer> {
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return problem(405, 'This stream is read only: GET or HEAD.', { allow: 'GET, HEAD' });
  if (request.method === 'HEAD') {
    const headers = { ...HEADERS, 'content-type': stream.contentType, [NEXT]: await stream.end() };
    return { status: 200, headers, body: undefined };
  }
  const asked = parseQuery(request.query);
  if (typeof asked === 'string') return problem(400, asked);
  return asked.waits ? waitFor(asked, request, stream, clock) : catchUp(asked, request, stream);
}

interface Asked {
  /** Undefined for the first content that is kept, `now` for none of the present one. */
  readonly offset: string | undefined;
  readonly limit: number | undefined;
  readonly waits: boolean;
  /** The interval that the client knows, see {@link cursorAfter}. */
  readonly cursor: number;
}

/** @returns the problem in words if the query is invalid */
function parseQuery(query: URLSearchParams): Asked | string {
  const offsets = query.getAll('offset');
  const [offset] = offsets;
  const [live, limit] = [query.get('live'), query.get('limit')];
  if (offsets.length > 1) return 'Give one offset.';
  if (offset !== undefined && !OFFSET.test(offset)) return 'The offset is not one that this server gave.';
  if (live !== null && live !== 'long-poll') return 'Of live modes there is only long-poll.';
  if (live !== null && offset === undefined) return 'A long poll needs an offset.';
  if (limit !== null && !(/^\d{1,4}$/.test(limit) && Number(limit) >= 1 && Number(limit) <= MOST_MESSAGES))
    return `The limit must be a whole number from 1 to ${MOST_MESSAGES}.`;
  return {
    offset: offset === '-1' ? undefined : offset,
    limit: limit === null ? undefined : Number(limit),
    waits: live !== null,
    cursor: Number(query.get('cursor') ?? -1),
  };
}

const OFFSET = /^[\w.~:-]{1,255}$/;

async function catchUp(
  { offset, limit }: Asked,
  request: ReadRequest,
  stream: PullStream,
): Promise<ReadAnswer> {
  if (offset === 'now') {
    const headers = { ...headersOf(stream), [NEXT]: await stream.end(), [UP_TO_DATE]: 'true' };
    return { status: 200, headers, body: stream.nothing };
  }
  const piece = await stream.read(offset, limit);
  if (typeof piece === 'string') return refusal(piece);
  const headers = { ...headersOf(stream), ...headersOfPiece(piece) };
  return headers.etag !== undefined && request.ifNoneMatch === headers.etag
    ? { status: 304, headers, body: undefined }
    : { status: 200, headers, body: piece.body };
}

async function waitFor(
  { offset: asked, limit, cursor }: Asked,
  { signal }: ReadRequest,
  stream: PullStream,
  clock: Pick<Clock, 'now' | 'elapsed' | 'sleep'>,
): Promise<ReadAnswer> {
  const live = { [CURSOR]: cursorAfter(cursor, clock.now()) };
  const ending = new AbortController();
  const until = AbortSignal.any([signal, ending.signal]);
  const timer = clock.sleep(LONG_POLL_MS, until).finally(() => ending.abort());
  let offset = asked === 'now' ? await stream.end() : asked;
  try {
    for (;;) {
      // Before the read, so that what comes during it is not missed.
      const change = stream.change(until);
      const piece = await stream.read(offset, limit);
      if (typeof piece === 'string') return refusal(piece);
      if (!piece.isEmpty)
        return {
          status: 200,
          headers: { ...headersOf(stream), ...headersOfPiece(piece), ...live },
          body: piece.body,
        };
      offset = piece.next;
      if (!piece.isUpToDate) continue;
      if (until.aborted)
        return {
          status: 204,
          headers: { ...HEADERS, [NEXT]: offset, [UP_TO_DATE]: 'true', ...live },
          body: undefined,
        };
      await change;
    }
  } finally {
    ending.abort();
    await timer;
  }
}

const NEXT = 'stream-next-offset';
const UP_TO_DATE = 'stream-up-to-date';
const CURSOR = 'stream-cursor';

const HEADERS = {
  // Caches would outlive what is forgotten.
  'cache-control': 'private, no-store',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
};

function headersOf({ contentType }: PullStream): Record<string, string> {
  return { ...HEADERS, 'content-type': contentType };
}

function headersOfPiece({ etag, next, isUpToDate }: Piece): Record<string, string> {
  return {
    ...(etag !== undefined && { etag: `"${etag}"` }),
    [NEXT]: next,
    ...(isUpToDate && { [UP_TO_DATE]: 'true' }),
  };
}

const CURSOR_EPOCH_SECONDS = Date.UTC(2024, 9, 9) / 1_000;
const CURSOR_INTERVAL_SECONDS = 20;

/** A number of intervals that grows with each answer, so that no cache gives the same one for ever (section 10.1). */
function cursorAfter(known: number, now: number): string {
  const present = Math.floor((now / 1_000_000 - CURSOR_EPOCH_SECONDS) / CURSOR_INTERVAL_SECONDS);
  return String(known >= present ? known + 1 : present);
}

function refusal(reason: 'unknown' | 'expired'): ReadAnswer {
  if (reason === 'unknown') return problem(400, 'The offset is not one that this stream gave.');
  return problem(
    410,
    'What followed this offset is not kept any more. Read the state, then go on from its offset.',
  );
}

/** RFC 9457. */
export function problem(
  status: number,
  title: string,
  headers: Readonly<Record<string, string>> = {},
): ReadAnswer {
  return {
    status,
    headers: { ...HEADERS, ...headers, 'content-type': 'application/problem+json' },
    body: new TextEncoder().encode(JSON.stringify({ status, title })),
  };
}
