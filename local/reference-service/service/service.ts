// Answers requests, without sockets. Checks for a fault first, then the rate limit, the token and the route. Logs each
// request without its token.

import { type Instant, MINUTE, SECOND } from '../../../shared/instant.ts';
import type { FaultKind, Knobs } from '../knobs.ts';
import { createRowWriters } from '../showing/row-writer.ts';
import type { Random } from '../store/seeded-random.ts';
import type { Store } from '../store/store.ts';
import type { GroupQuery } from '../store/view.ts';
import { type Answer, answerOf, htmlAnswer, httpDate, jsonAnswer, type ServiceRequest } from './answer.ts';
import { createFaults, FAULTY_ANSWERS } from './faults.ts';
import { answerReturnGroups } from './return-groups.ts';

interface ServiceOptions {
  readonly store: Store;
  readonly token: string;
  readonly now: () => Instant;
  readonly knobs: () => Knobs;
  readonly random: Random;
}

export interface LoggedRequest {
  /** When it was received. */
  readonly at: Instant;
  readonly path: string;
  /** Without its `?`. */
  readonly query: string;
  /** The answer's status; 200 for an answer that was never sent. */
  readonly status: number;
  readonly rows: number;
  readonly fault: FaultKind | undefined;
}

export interface Service {
  answer(request: ServiceRequest): Answer;
  failNext(kind: FaultKind, count: number): void;
  /** The latest requests, oldest first. */
  requests(): readonly LoggedRequest[];
}

/** Enough for hours of testing; above it the older half is dropped. */
const REQUESTS_KEPT = 200_000;

export function createService(options: ServiceOptions): Service {
  const { store, token, now, knobs, random } = options;
  const faults = createFaults(random);
  const requests = new Map<string, Instant[]>();
  const rowWriter = createRowWriters(random);
  let log: LoggedRequest[] = [];

  const returnGroups = (query: URLSearchParams): Answer => {
    const from = random.chance(knobs().staleShare) ? 'replica' : 'primary';
    const select = (asked: GroupQuery) => store.select(asked, from);
    return answerReturnGroups(query, { knobs: knobs(), writeRow: rowWriter(knobs()), select });
  };

  /** Requests per minute and token ("Limits"), in a sliding window: the strictest meaning of "a minute". */
  const refusal = (by: string): Answer | undefined => {
    const { rateLimit } = knobs();
    const recent = (requests.get(by) ?? []).filter((at) => at > now() - MINUTE);
    requests.set(by, recent);
    const blocking = recent[recent.length - rateLimit];
    if (rateLimit > 0 && recent.length >= rateLimit && blocking !== undefined)
      return tooManyRequests(blocking + MINUTE, now(), knobs());
    recent.push(now());
    return undefined;
  };

  const honest = (request: ServiceRequest): Answer => {
    const refused = refusal(request.token ?? '');
    if (refused !== undefined) return refused;
    if (request.token !== token) return BAD_TOKEN[knobs().badToken];
    if (request.path === '/v2/return-groups') return returnGroups(request.query);
    return jsonAnswer(404, { detail: 'Not Found' });
  };

  return {
    answer(request) {
      const at = now();
      store.catchUp();
      const fault = faults.next(knobs());
      const plain =
        fault === undefined ? honest(request) : FAULTY_ANSWERS[fault](() => honest(request), now());
      const answer = finished(plain, at, knobs(), random);
      if (log.length >= REQUESTS_KEPT) log = log.slice(REQUESTS_KEPT / 2);
      const { status, rows = 0 } = answer;
      log.push({ at, path: request.path, query: request.query.toString(), status, rows, fault });
      return answer;
    },
    failNext: faults.failNext,
    requests: () => log,
  };
}

/** The answer with the Date and the latency that the knobs set. */
function finished(
  answer: Answer,
  now: Instant,
  { latencyMs, dateSkewSeconds }: Knobs,
  random: Random,
): Answer {
  const own = dateSkewSeconds === 'no Date' ? '' : httpDate(now + dateSkewSeconds * SECOND);
  const { date = own, ...headers } = answer.headers;
  const latency = latencyMs.least + (latencyMs.most - latencyMs.least) * random.fraction();
  return {
    ...answer,
    headers: date === '' ? headers : { ...headers, date },
    afterMs: answer.afterMs + Math.round(latency),
  };
}

/** @param freeAt when the next request is possible */
function tooManyRequests(freeAt: Instant, now: Instant, { rateLimit, retryAfter }: Knobs): Answer {
  if (retryAfter === 'none') return answerOf(429, '', 'text/plain');
  if (retryAfter === 'date')
    return htmlAnswer(429, '429 Too Many Requests', { 'retry-after': httpDate(freeAt + SECOND) });
  const seconds = Math.max(1, Math.ceil((freeAt - now) / SECOND));
  const detail = `Rate limit exceeded: ${rateLimit} per 1 minute`;
  return jsonAnswer(429, { detail }, { 'retry-after': String(seconds) });
}

const BAD_TOKEN: Readonly<Record<Knobs['badToken'], Answer>> = {
  401: jsonAnswer(401, { detail: 'Invalid or missing API token' }),
  403: jsonAnswer(403, { detail: 'Not authenticated' }),
  404: jsonAnswer(404, { detail: 'Not Found' }),
  500: answerOf(500, 'Internal Server Error', 'text/plain'),
  empty: jsonAnswer(200, []),
  html: htmlAnswer(200, 'Log in'),
};
