// Answers requests, without sockets. Checks for a fault first, then the rate limit, the token and the route. Logs each
// request without its token.

import { type Instant, SECOND } from '../../../shared/instant.ts';
import type { Knobs } from '../knobs.ts';
import { createRowWriters } from '../showing/row-writer.ts';
import type { Random } from '../store/seeded-random.ts';
import type { Store } from '../store/store.ts';
import { answerAllowlistItems } from './allowlist.ts';
import { type Answer, answerOf, htmlAnswer, httpDate, jsonAnswer, type ServiceRequest } from './answer.ts';
import type { FaultKind } from './fault-kinds.ts';
import { createFaults, faultyAnswer } from './faults.ts';
import { describeService } from './openapi.ts';
import { createRateLimit, tooManyRequests } from './rate-limit.ts';
import { createRequestLog, type LoggedRequest } from './request-log.ts';
import { answerReturnGroups } from './return-groups.ts';

export interface ServiceOptions {
  readonly store: Store;
  /** The store for the value `other` of the knob `tokenSees`; created on its first use. */
  readonly otherStore: () => Store;
  readonly token: string;
  readonly now: () => Instant;
  readonly knobs: () => Knobs;
  readonly random: Random;
}

export interface Service {
  answer(request: ServiceRequest): Answer;
  failNext(kind: FaultKind, count: number): void;
  /** The latest requests, oldest first. */
  requests(): readonly LoggedRequest[];
}

export function createService(options: ServiceOptions): Service {
  const { store, token, now, knobs, random } = options;
  const openedAt = now();
  const faults = createFaults(random);
  const rateLimit = createRateLimit();
  const log = createRequestLog();
  const rowWriter = createRowWriters(random);

  const returnGroups = (query: URLSearchParams): Answer => {
    const { tokenSees, staleShare } = knobs();
    const source = tokenSees === 'other' ? options.otherStore() : store;
    const from = random.chance(staleShare) ? 'replica' : 'primary';
    return answerReturnGroups(query, {
      knobs: knobs(),
      age: now() - openedAt,
      writeRow: rowWriter(knobs()),
      select: (asked) => (tokenSees === 'empty' ? [] : source.select(asked, from)),
    });
  };

  const route = ({ path, query }: ServiceRequest): Answer => {
    switch (path) {
      case '/v2/return-groups':
        return returnGroups(query);
      case '/v2/allowlist-items':
        return answerAllowlistItems(query, { knobs: knobs(), age: now() - openedAt, openedAt });
      default:
        return jsonAnswer(404, { detail: 'Not Found' });
    }
  };

  const honest = (request: ServiceRequest): Answer => {
    // The description needs no token, like most generated descriptions.
    if (request.path === '/openapi.json') return jsonAnswer(200, describeService());
    const freeAt = rateLimit.count(request.token ?? '', now(), knobs().rateLimit);
    if (freeAt !== undefined) return tooManyRequests(freeAt, now(), knobs());
    return request.token === token ? route(request) : badTokenAnswer(knobs().badToken);
  };

  return {
    answer(request) {
      const at = now();
      store.catchUp();
      const fault = faults.next(knobs());
      const plain =
        fault === undefined ? honest(request) : faultyAnswer(fault, () => honest(request), now(), knobs());
      const answer = finished(plain, at, knobs(), random);
      log.add({
        at,
        path: request.path,
        query: request.query.toString(),
        status: answer.status,
        rows: answer.rows ?? 0,
        ...(fault && { fault }),
      });
      return answer;
    },
    failNext: faults.failNext,
    requests: log.all,
  };
}

/** The answer with the Date and the latency that the knobs set. */
function finished(answer: Answer, now: Instant, knobs: Knobs, random: Random): Answer {
  const { latencyMs, dateSkewSeconds } = knobs;
  const { date = httpDate(now + dateSkewSeconds * SECOND), ...headers } = answer.headers;
  const isDated = knobs.date === 'present' && date !== '';
  const latency = latencyMs.least + (latencyMs.most - latencyMs.least) * random.fraction();
  return {
    ...answer,
    headers: isDated ? { ...headers, date } : headers,
    afterMs: answer.afterMs + Math.round(latency),
  };
}

function badTokenAnswer(kind: Knobs['badToken']): Answer {
  switch (kind) {
    case '401':
      return jsonAnswer(401, { detail: 'Invalid or missing API token' });
    case '403':
      return jsonAnswer(403, { detail: 'Not authenticated' });
    case '404':
      return jsonAnswer(404, { detail: 'Not Found' });
    case '500':
      return answerOf(500, 'Internal Server Error', 'text/plain');
    case 'empty':
      return { ...jsonAnswer(200, []), rows: 0 };
    case 'html':
      return htmlAnswer(200, 'Log in');
  }
}
