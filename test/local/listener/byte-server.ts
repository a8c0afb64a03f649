// A server of streams of bytes, whose reads are answered as those of the pull feed are: the public conformance suite also
// writes, so that it needs one that takes bytes. JSON is kept in messages.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { createSystemClock } from '../../../functions/adapters/system-clock.ts';
import { toRequest, toResult } from '../../../functions/pull/function-url.ts';
import { answerRead, problem, type ReadAnswer } from '../../../shared/pulling/answer-read.ts';
import type { PullStream } from '../../../shared/pulling/pull-stream.ts';
import { toEvent } from '../../functions/pull/function-url-front.ts';

interface Stored {
  readonly contentType: string;
  /** The messages of JSON, or what one append brought. */
  readonly parts: Buffer[];
  readonly listeners: Set<() => void>;
}

const BYTES_AT_ONCE = 64 * 1_024;
const clock = createSystemClock();
/** Long polls end after two seconds. */
const HURRIED = { ...clock, sleep: (ms: number, signal?: AbortSignal) => clock.sleep(ms / 10, signal) };

/** Answers a request that reads a stream. */
type Read = (request: IncomingMessage, stream: PullStream, signal: AbortSignal) => Promise<ReadAnswer>;

export const READS = {
  'on one machine'({ method = 'GET', url = '', headers }, stream, signal) {
    const query = new URL(url, 'http://127.0.0.1').searchParams;
    return answerRead({ method, query, ifNoneMatch: headers['if-none-match'], signal }, stream, HURRIED);
  },
  async 'behind a function URL'(request, stream) {
    const answer = await answerRead(toRequest(toEvent(request)), stream, HURRIED);
    const { statusCode = 0, body } = toResult(answer);
    return { ...answer, status: statusCode, body: body === undefined ? body : Buffer.from(body, 'base64') };
  },
} as const satisfies Readonly<Record<string, Read>>;

export async function startByteServer(read: Read): Promise<{ readonly url: string; close(): Promise<void> }> {
  const streams = new Map<string, Stored>();
  const ending = new AbortController();
  const server = createServer((request, response) => {
    void answer(request, streams, read, ending.signal).then((answered) => send(response, answered));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      ending.abort();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answer(
  request: IncomingMessage,
  streams: Map<string, Stored>,
  read: Read,
  signal: AbortSignal,
): Promise<ReadAnswer> {
  const { pathname } = new URL(request.url ?? '', 'http://127.0.0.1');
  const known = streams.get(pathname);
  const { method = 'GET' } = request;
  if (method === 'PUT') return create(request, pathname, streams);
  if (known === undefined) return problem(404, 'There is no such stream.');
  if (method === 'POST') return append(known, await buffer(request));
  if (method === 'DELETE') {
    streams.delete(pathname);
    return { status: 204, headers: {}, body: undefined };
  }
  return read(request, toStream(known), signal);
}

async function create(
  request: IncomingMessage,
  path: string,
  streams: Map<string, Stored>,
): Promise<ReadAnswer> {
  const contentType = request.headers['content-type'] ?? 'application/octet-stream';
  const isNew = !streams.has(path);
  const stored = streams.get(path) ?? { contentType, parts: [], listeners: new Set() };
  streams.set(path, stored);
  const body = await buffer(request);
  if (isNew && body.byteLength > 0) append(stored, body);
  const headers = {
    location: path,
    'content-type': contentType,
    'stream-next-offset': offsetAt(lengthOf(stored)),
  };
  return { status: isNew ? 201 : 200, headers, body: undefined };
}

function append(stored: Stored, body: Buffer): ReadAnswer {
  if (body.byteLength === 0) return problem(400, 'Nothing to append.');
  if (isJson(stored)) {
    const given = parsed(body);
    if (given === undefined) return problem(400, 'The body is no JSON.');
    for (const message of Array.isArray(given) ? given : [given])
      stored.parts.push(Buffer.from(JSON.stringify(message)));
  } else stored.parts.push(body);
  for (const listener of stored.listeners) listener();
  return { status: 204, headers: { 'stream-next-offset': offsetAt(lengthOf(stored)) }, body: undefined };
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

const isJson = ({ contentType }: Stored) => contentType.toLowerCase().startsWith('application/json');
/** JSON is counted in messages, other content in bytes. */
const lengthOf = (stored: Stored) =>
  isJson(stored) ? stored.parts.length : Buffer.concat(stored.parts).byteLength;
const offsetAt = (place: number) => String(place).padStart(16, '0');

function toStream(stored: Stored): PullStream {
  const nothing = new TextEncoder().encode(isJson(stored) ? '[]' : '');
  return {
    ...{ contentType: stored.contentType, nothing },
    end: async () => offsetAt(lengthOf(stored)),
    change: (signal) =>
      new Promise((resolve) => {
        stored.listeners.add(resolve);
        signal.addEventListener('abort', () => resolve(), { once: true });
      }),
    async read(offset = offsetAt(0)) {
      const end = lengthOf(stored);
      if (!/^\d{16}$/.test(offset) || Number(offset) > end) return 'unknown';
      const start = Number(offset);
      const next = isJson(stored) ? end : Math.min(end, start + BYTES_AT_ONCE);
      const body = isJson(stored)
        ? Buffer.from(`[${stored.parts.slice(start, next).join(',')}]`)
        : Buffer.concat(stored.parts).subarray(start, next);
      const places = { etag: `${offset}:${next}`, next: offsetAt(next), isUpToDate: next === end };
      return { body: Uint8Array.from(body), isEmpty: next === start, ...places };
    },
  };
}

function send(response: ServerResponse, { status, headers, body }: ReadAnswer): void {
  response.writeHead(status, { ...headers });
  response.end(body);
}
