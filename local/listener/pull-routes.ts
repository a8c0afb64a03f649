// The pull feed over HTTP: `/v1/readers/{reader}` and its `/state`, for clients with a token of the reader.
import { type Context, Hono } from 'hono';
import { hashToken } from '../../functions/adapters/token-hash.ts';
import { MINUTE } from '../../shared/instant.ts';
import type { Clock } from '../../shared/ports.ts';
import { answerRead, problem, type ReadAnswer } from '../../shared/pulling/answer-read.ts';
import type { Reader } from '../../shared/pulling/reader.ts';
import { createReaderStream } from '../../shared/pulling/reader-stream.ts';
import type { LocalStore } from '../store/open-store.ts';
import { BaselineUnderWay, readStatePage } from './state-page.ts';

export interface PullRoutesOptions {
  readonly store: Pick<LocalStore, 'positions' | 'readers' | 'snapshots' | 'states' | 'sources'>;
  readonly clock: Clock;
  /** Ends waiting requests. */
  readonly signal: AbortSignal;
}

/** Requests of one reader in a minute, and those that wait at once. */
const MOST_PER_MINUTE = 600;
const MOST_WAITING = 20;
const NOTE_EVERY = MINUTE;

export function pullRoutes({ store, clock, signal }: PullRoutesOptions): Hono {
  const app = new Hono();
  const allowance = createAllowance(clock);

  async function withReader(
    context: Context,
    answer: (reader: Reader, name: string) => Promise<ReadAnswer>,
  ): Promise<Response> {
    const name = context.req.param('reader') ?? '';
    const reader = await store.readers.load(name);
    if (reader === undefined) return send(problem(404, 'There is no such reader.'));
    const [, token] = /^Bearer +(\S+)$/i.exec(context.req.header('authorization') ?? '') ?? [];
    if (token === undefined || !reader.tokens.includes(hashToken(token)))
      return send(problem(401, 'Give a token of this reader.', { 'www-authenticate': 'Bearer' }));
    const waits = context.req.query('live') !== undefined;
    const done = allowance.take(name, waits);
    if (done === undefined)
      return send(problem(429, 'Too many requests of this reader.', { 'retry-after': '10' }));
    try {
      return send(await answer(reader, name));
    } finally {
      done();
    }
  }

  app.all('/v1/readers/:reader', (context) =>
    withReader(context, async (reader, name) => {
      const { req } = context;
      const query = new URL(req.url).searchParams;
      const request = {
        ...{ method: req.method, query, ifNoneMatch: req.header('if-none-match') },
        signal: AbortSignal.any([signal, req.raw.signal]),
      };
      const answer = await answerRead(request, createReaderStream(store.positions, reader.filter), clock);
      const offset = query.get('offset');
      if (answer.status < 300 && offset !== null)
        await note(name, reader, answer.headers['stream-next-offset']);
      return answer;
    }),
  );

  app.get('/v1/readers/:reader/state', (context) =>
    withReader(context, async (reader, name) => {
      const { positions } = store;
      const end = () => createReaderStream(positions, reader.filter).end();
      try {
        const page = await readStatePage(store, reader.filter, context.req.query('page'), end);
        if (page === undefined) return problem(400, 'The page is not one that this server named.');
        const headers = {
          ...{ 'content-type': 'application/json', 'cache-control': 'private, no-store' },
          'stream-next-offset': page.offset,
          ...(page.next !== undefined && {
            link: `</v1/readers/${name}/state?page=${page.next}>; rel="next"`,
          }),
        };
        return { status: 200, headers, body: new TextEncoder().encode(JSON.stringify(page.rows)) };
      } catch (error) {
        if (!(error instanceof BaselineUnderWay)) throw error;
        return problem(503, `${error.message} Its state is not complete yet.`, { 'retry-after': '10' });
      }
    }),
  );

  /** For `readers list`: how far a reader is, at most once a minute. */
  async function note(name: string, { readAt = 0 }: Reader, lastOffset: string | undefined): Promise<void> {
    const now = clock.now();
    if (lastOffset === undefined || Math.abs(now - readAt) < NOTE_EVERY) return;
    await store.readers.change(name, (reader) => ({ ...reader, lastOffset, readAt: now }));
  }

  return app;
}

function send({ status, headers, body }: ReadAnswer): Response {
  return new Response(body, { status, headers });
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
