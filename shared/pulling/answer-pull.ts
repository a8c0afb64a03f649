// The pull feed over HTTP, apart from the server: `/v1/readers/{reader}` and its `/state`, for clients with a token of the
// reader.
import { MINUTE } from '../instant.ts';
import type { Clock } from '../ports.ts';
import { answerRead, problem, type ReadAnswer } from './answer-read.ts';
import type { Reader, Readers } from './reader.ts';
import { createReaderStream, type ReaderStreamPorts } from './reader-stream.ts';
import { BaselineUnderWay, createStatePages, type KnownReturns } from './state-page.ts';

export interface PullPorts extends KnownReturns, ReaderStreamPorts {
  readonly snapshots: KnownReturns['snapshots'];
  readonly readers: Readers;
  readonly clock: Clock;
  readonly hashToken: (token: string) => string;
}

export interface PullRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly authorization: string | undefined;
  readonly ifNoneMatch: string | undefined;
  /** Aborted when the client has gone, or the server ends. */
  readonly signal: AbortSignal;
}

/** Requests of one reader in a minute, and those that wait at once; in one process. */
const MOST_PER_MINUTE = 600;
const MOST_WAITING = 20;
const NOTE_EVERY = MINUTE;

const PATH = /^\/v1\/readers\/([a-z0-9-]{1,30})(\/state)?$/;

export function createPullAnswers(ports: PullPorts): (request: PullRequest) => Promise<ReadAnswer> {
  const { readers, clock, hashToken } = ports;
  const allowance = createAllowance(clock);
  const readStatePage = createStatePages(ports);

  return async (request) => {
    const [, name, isState] = PATH.exec(request.path) ?? [];
    if (name === undefined) return problem(404, 'Nothing is here.');
    const reader = await readers.load(name);
    if (reader === undefined) return problem(404, 'There is no such reader.');
    const [, token] = /^Bearer +(\S+)$/i.exec(request.authorization ?? '') ?? [];
    if (token === undefined || !reader.tokens.includes(hashToken(token)))
      return problem(401, 'Give a token of this reader.', { 'www-authenticate': 'Bearer' });
    const done = allowance.take(name, request.query.has('live'));
    if (done === undefined) return problem(429, 'Too many requests of this reader.', { 'retry-after': '10' });
    try {
      return isState ? await answerState(request, name, reader) : await answerEvents(request, name, reader);
    } finally {
      done();
    }
  };

  async function answerEvents(request: PullRequest, name: string, reader: Reader): Promise<ReadAnswer> {
    const answer = await answerRead(request, createReaderStream(ports, reader), clock);
    const asked = request.query.get('offset');
    if (request.method === 'GET' && asked !== null && answer.status < 400)
      await note(name, reader, asked === 'now' ? answer.headers['stream-next-offset'] : asked);
    return answer;
  }

  async function answerState(
    { method, query }: PullRequest,
    name: string,
    reader: Reader,
  ): Promise<ReadAnswer> {
    if (method !== 'GET') return problem(405, 'The state is read only: GET.', { allow: 'GET' });
    const end = () => createReaderStream(ports, reader).end();
    try {
      const page = await readStatePage(reader.filter, query.get('page') ?? undefined, end);
      if (page === undefined) return problem(400, 'The page is not one that this server named.');
      const headers = {
        ...{ 'content-type': 'application/json', 'cache-control': 'private, no-store' },
        'stream-next-offset': page.offset,
        ...(page.next !== undefined && {
          link: `</v1/readers/${name}/state?page=${page.next}>; rel="next"`,
        }),
      };
      return { status: 200, headers, body: new TextEncoder().encode(`[${page.rows.join(',')}]`) };
    } catch (error) {
      if (!(error instanceof BaselineUnderWay)) throw error;
      return problem(503, `${error.message} Its state is not complete yet.`, { 'retry-after': '10' });
    }
  }

  /** How far a reader is, at most once a minute: not the answer's end, which its client may never have saved. */
  async function note(name: string, { readAt = 0 }: Reader, from: string | undefined): Promise<void> {
    const now = clock.now();
    if (Math.abs(now - readAt) < NOTE_EVERY) return;
    const lastOffset = from === '-1' ? undefined : from;
    await readers.change(name, (reader) => ({ ...reader, lastOffset, readAt: now }));
  }
}

/** Counts the requests of each reader. */
function createAllowance(clock: Pick<Clock, 'elapsed'>) {
  const used = new Map<string, { since: number; requests: number; waiting: number }>();
  return {
    /** @returns what to call at the end of the request; undefined if there were too many */
    take(name: string, waits: boolean): (() => void) | undefined {
      const now = clock.elapsed();
      const known = used.get(name) ?? { since: now, requests: 0, waiting: 0 };
      used.set(name, known);
      if (now - known.since >= MINUTE) Object.assign(known, { since: now, requests: 0 });
      if (known.requests >= MOST_PER_MINUTE || (waits && known.waiting >= MOST_WAITING)) return undefined;
      known.requests += 1;
      if (!waits) return () => {};
      known.waiting += 1;
      return () => {
        known.waiting -= 1;
      };
    },
  };
}
