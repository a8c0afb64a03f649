// Makes answers fail: at random with a rate, or the next ones on request. Seeded, so that a run can be repeated.

import { HOUR, type Instant, SECOND } from '../../../shared/instant.ts';
import type { Knobs } from '../knobs.ts';
import type { Random } from '../store/seeded-random.ts';
import { type Answer, answerOf, htmlAnswer, httpDate, jsonAnswer } from './answer.ts';
import type { FaultKind } from './fault-kinds.ts';

/** The error of the Date in a fault. */
export const WRONG_DATE_BY = 7 * HOUR;

export interface Faults {
  /** The fault of the next answer, if any. */
  next(knobs: Knobs): FaultKind | undefined;
  /** Makes further answers fail, after those already queued. */
  failNext(kind: FaultKind, count: number): void;
}

export function createFaults(random: Random): Faults {
  const queued: FaultKind[] = [];
  return {
    next({ faultRate, faultKinds }) {
      const kind = queued.shift();
      if (kind !== undefined) return kind;
      return faultKinds.length > 0 && random.chance(faultRate) ? random.pick(faultKinds) : undefined;
    },
    failNext(kind, count) {
      for (let added = 0; added < count; added += 1) queued.push(kind);
    },
  };
}

/** The faulty answer. Calls `honest` only if the fault needs the correct answer. */
export function faultyAnswer(kind: FaultKind, honest: () => Answer, now: Instant, knobs: Knobs): Answer {
  const pause = { 'retry-after': String(knobs.pauseSeconds) };
  const busy = { detail: 'Too many requests' };
  switch (kind) {
    case '500-json':
      return jsonAnswer(500, { detail: 'Internal Server Error' });
    case '500-html':
      return htmlAnswer(500, '500 Internal Server Error');
    case '502-html':
      return htmlAnswer(502, '502 Bad Gateway');
    case '503-json':
      return jsonAnswer(503, { message: 'Service Unavailable' });
    case '503-retry-after':
      return htmlAnswer(503, '503 Service Unavailable', pause);
    case '429':
      return jsonAnswer(429, busy);
    case '429-retry-after':
      return jsonAnswer(429, busy, pause);
    case '429-date': {
      // Computed from the same clock as the answer's Date.
      const seconds = knobs.pauseSeconds + 1 + knobs.dateSkewSeconds;
      return jsonAnswer(429, busy, { 'retry-after': httpDate(now + seconds * SECOND) });
    }
    case 'reset':
    case 'hang':
      return { ...answerOf(200, '', 'application/json'), delivery: kind };
    case 'reset-midway':
      return { ...honest(), delivery: 'cut' };
    case 'slow':
      return { ...honest(), afterMs: knobs.slowSeconds * 1_000 };
    case 'truncated':
      return truncated(honest());
    case 'not-json':
      return answerOf(200, 'upstream connect error or disconnect/reset before headers', 'application/json');
    case 'html':
      return htmlAnswer(200, 'Down for maintenance');
    case 'empty':
      return answerOf(200, '', 'application/json');
    case 'date-missing':
      return dated(honest(), undefined);
    case 'date-skewed':
      return dated(honest(), now + (knobs.dateSkewSeconds === 0 ? WRONG_DATE_BY : -WRONG_DATE_BY));
  }
}

/** Half the body with a matching Content-Length, as a cache or proxy returns after a broken connection. */
function truncated(answer: Answer): Answer {
  return { ...answer, body: answer.body.slice(0, Math.max(1, Math.floor(answer.body.length / 2))) };
}

/** The answer with this Date header; undefined removes the header. */
function dated(answer: Answer, date: Instant | undefined): Answer {
  return { ...answer, headers: { ...answer.headers, date: date === undefined ? '' : httpDate(date) } };
}
