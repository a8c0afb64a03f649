// The network to the reference service: an HttpTransport without sockets, on virtual time. Requests take time in both
// directions, connections break, and the service can be unreachable.

import type { InProcessService } from '../../../local/reference-service/in-process-service.ts';
import type { Answer } from '../../../local/reference-service/service/answer.ts';
import { type Instant, MILLISECOND, SECOND } from '../../../shared/instant.ts';
import {
  type HttpAnswer,
  type HttpRequest,
  type HttpTransport,
  TransportFailure,
} from '../../../shared/returns-service/http-transport.ts';
import type { VirtualClock } from '../../fakes/virtual-clock.ts';
import type { Trace } from '../../simulation-frame/trace.ts';
import type { Outage, Period, Plan } from '../plan.ts';
import type { SimulatedProcess } from './process.ts';

/** A token and the store that it gives access to. */
export interface Access {
  readonly token: string;
  readonly sees: 'own' | 'empty' | 'other';
}

export const BASE_URL = 'https://returns.example/api';
/** The same service. */
export const SECOND_URL = 'https://returns.example/eu/api';
/** Another service that accepts the same token. */
export const OTHER_URL = 'https://returns-of-others.example/api';

export interface SentRequest {
  readonly at: Instant;
  readonly token: string;
  /** The process. */
  readonly by: string;
  /** By which stamps it asks. */
  readonly axis: 'updated' | 'created' | 'both' | 'none';
  /** Rows of the answer, once there was one. */
  rows: number;
}

/** A pause that an answer requested, from its arrival. */
export interface AskedPause extends Pick<SentRequest, 'at' | 'token' | 'by'> {
  readonly until: Instant;
}

export interface Network {
  /** Every request that a process sent. */
  readonly sent: readonly SentRequest[];
  readonly askedPauses: readonly AskedPause[];
  transport(process: SimulatedProcess): HttpTransport;
}

export interface NetworkOptions {
  readonly time: VirtualClock;
  /** The service whose store an access sees. */
  readonly serviceOf: (sees: Access['sees']) => InProcessService;
  /** From 0 to below 1. */
  readonly fraction: () => number;
  /** The token that the service accepts at this moment, with its store. */
  readonly access: () => Access;
  readonly outage: () => Outage | undefined;
  readonly isCalm: () => boolean;
  readonly cache: Plan['cache'];
  readonly trace: Trace;
}

const encoder = new TextEncoder();

export function createNetwork(options: NetworkOptions): Network {
  const { time, fraction, trace } = options;
  const sent: SentRequest[] = [];
  const askedPauses: AskedPause[] = [];
  const sleep = (durationMs: number, signal?: AbortSignal) => time.sleep(durationMs, signal);

  /** A latency, mostly short. Varies by at most the amount that the budget allows for. */
  const transitMs = () =>
    options.isCalm() ? 20 : fraction() < 0.05 ? 20 + 900 * fraction() : 5 + 60 * fraction();

  function answerTo({ url, headers }: HttpRequest): Answer {
    const [path = '', query = ''] = url.slice(url.indexOf('/api/') + '/api'.length).split('?');
    const outage = options.outage();
    const { token, sees: ownSees } = options.access();
    const sees = url.startsWith(OTHER_URL) ? 'other' : ownSees;
    const { service, token: ownToken } = options.serviceOf(sees);
    if (outage?.kind === 'unavailable') service.failNext('503-json', 1);
    if (outage?.kind === 'hanging') service.failNext('hang', 1);
    const isValid = headers['X-Service-Api-Token']?.trim() === token && outage?.kind !== 'refused';
    const accepted = isValid ? ownToken : 'another-token';
    return service.answer({ path, query: new URLSearchParams(query), token: accepted });
  }

  const kept = new Map<string, { readonly at: Instant; readonly answer: Answer }>();

  /** The answer of the cache, or of the service behind it. */
  function answerOrKept(request: HttpRequest): Answer {
    const { cache } = options;
    if (cache === undefined || options.isCalm()) return answerTo(request);
    const key = `${request.url} ${request.headers['X-Service-Api-Token']}`;
    const known = kept.get(key);
    const age = time.now() - (known?.at ?? Number.NEGATIVE_INFINITY);
    const isAllowed = !cache.heedsNoCache || request.headers['cache-control'] !== 'no-cache';
    if (known !== undefined && isAllowed && age < cache.keptMs * MILLISECOND) {
      trace.count('answer of a cache');
      const headers = { ...known.answer.headers, age: String(Math.floor(age / SECOND)) };
      return { ...known.answer, headers };
    }
    const answer = answerTo(request);
    if (answer.status === 200 && answer.delivery === 'whole') kept.set(key, { at: time.now(), answer });
    return answer;
  }

  async function exchange(request: HttpRequest, by: string): Promise<HttpAnswer> {
    const { timeoutMs, signal } = request;
    const there = transitMs();
    const back = transitMs();
    const token = request.headers['X-Service-Api-Token'] ?? '';
    const noted: SentRequest = { at: time.now(), token, by, axis: axisOf(request.url), rows: 0 };
    sent.push(noted);
    await sleep(there, signal);
    throwIfAborted(signal);
    if (options.outage()?.kind === 'unreachable') {
      throw new TransportFailure('connection', 'the connection was refused', { code: 'ECONNREFUSED' });
    }
    const answer = answerOrKept(request);
    noted.rows = answer.rows ?? 0;
    trace.tell('service', () => describeAnswer(request, answer));
    const tookMs = there + answer.afterMs + back;
    if (answer.delivery === 'hang' || tookMs > timeoutMs) {
      await sleep(timeoutMs - there, signal);
      throwIfAborted(signal);
      throw new TransportFailure('timeout', `no answer in ${timeoutMs} ms`);
    }
    await sleep(answer.afterMs + back, signal);
    throwIfAborted(signal);
    const at = time.now();
    const pause = pauseAskedBy(answer);
    if (pause > 0) askedPauses.push({ at, token, by, until: at + pause });
    return received(answer, tookMs);
  }

  return {
    ...{ sent, askedPauses },
    transport: (process) => (request) => process.call('http.get', () => exchange(request, process.name)),
  };
}

function axisOf(url: string): SentRequest['axis'] {
  const isUpdated = url.includes('_updated_at=');
  const isCreated = url.includes('_created_at=');
  if (isUpdated) return isCreated ? 'both' : 'updated';
  return isCreated ? 'created' : 'none';
}

function describeAnswer({ url }: HttpRequest, { status, delivery, body, headers }: Answer): string {
  const rows = [
    ...body.matchAll(/"id":(\d+),"return_method"|"id":(\d+),"created_at":"[^"]+","updated_at":"([^"]+)"/g),
  ];
  const ids = rows.map(([, id, other]) => id ?? other).join(' ');
  const query = decodeURIComponent(url.slice(url.indexOf('?') + 1));
  return `${query} -> ${status} ${delivery} [${ids}] ${headers.date ?? ''}`;
}

/** Returns the requested pause; 0 if there is none, or not in seconds. */
function pauseAskedBy({ status, delivery, headers }: Answer): number {
  const isAsked = (status === 429 || status === 503) && delivery === 'whole';
  return isAsked ? (Number(headers['retry-after']) || 0) * SECOND : 0;
}

function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new TransportFailure('aborted', 'the caller aborted the request');
}

function received({ delivery, status, headers, body }: Answer, requestMs: number): HttpAnswer {
  if (delivery === 'reset') {
    throw new TransportFailure('connection', 'the connection was reset', { code: 'ECONNRESET' });
  }
  if (delivery === 'cut') {
    throw new TransportFailure('truncated', 'the answer ended early', {
      code: 'ECONNRESET',
      status,
      headers,
    });
  }
  return { status, headers, body: encoder.encode(body), requestMs };
}

/** Whether `elapsed` is within the period. */
export function isDuring({ fromMs, forMs }: Period, elapsed: number): boolean {
  const at = elapsed / MILLISECOND;
  return at >= fromMs && at < fromMs + forMs;
}
