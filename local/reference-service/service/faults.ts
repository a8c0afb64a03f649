// Answers that fail: at random with a rate, the next ones on request, or each answer with a certain row. Seeded, so that a
// run can be repeated.

import { HOUR, type Instant, SECOND } from '../../../shared/instant.ts';
import type { FAILING_WAYS, FaultKind, Knobs } from '../knobs.ts';
import type { Random } from '../store/seeded-random.ts';
import { type Answer, answerOf, htmlAnswer, httpDate, jsonAnswer } from './answer.ts';

const SLOW_MS = 3_000;
const PAUSE_SECONDS = 5;
/** The error of the Date in a fault. */
const WRONG_DATE_BY = 7 * HOUR;

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
    failNext: (kind, count) => void queued.push(...Array.from({ length: count }, () => kind)),
  };
}

const PAUSE = { 'retry-after': String(PAUSE_SECONDS) };
const BUSY = { detail: 'Too many requests' };

/** The answer with each fault. It takes the correct answer only if it needs it. */
export const FAULTY_ANSWERS: Readonly<Record<FaultKind, (honest: () => Answer, now: Instant) => Answer>> = {
  '500-json': () => jsonAnswer(500, { detail: 'Internal Server Error' }),
  '500-html': () => htmlAnswer(500, '500 Internal Server Error'),
  '502-html': () => htmlAnswer(502, '502 Bad Gateway'),
  '503-json': () => jsonAnswer(503, { message: 'Service Unavailable' }),
  '503-retry-after': () => htmlAnswer(503, '503 Service Unavailable', PAUSE),
  429: () => jsonAnswer(429, BUSY),
  '429-retry-after': () => jsonAnswer(429, BUSY, PAUSE),
  '429-date': (_, now) =>
    jsonAnswer(429, BUSY, { 'retry-after': httpDate(now + (PAUSE_SECONDS + 1) * SECOND) }),
  reset: () => ({ ...answerOf(200, '', 'application/json'), delivery: 'reset' }),
  hang: () => ({ ...answerOf(200, '', 'application/json'), delivery: 'hang' }),
  'reset-midway': (honest) => ({ ...honest(), delivery: 'cut' }),
  slow: (honest) => ({ ...honest(), afterMs: SLOW_MS }),
  truncated: (honest) => truncated(honest()),
  'not-json': () =>
    answerOf(200, 'upstream connect error or disconnect/reset before headers', 'application/json'),
  html: () => htmlAnswer(200, 'Down for maintenance'),
  empty: () => answerOf(200, '', 'application/json'),
  404: () => htmlAnswer(404, '404 Not Found'),
  'date-missing': (honest) => dated(honest(), ''),
  'date-skewed': (honest, now) => dated(honest(), httpDate(now + WRONG_DATE_BY)),
};

/** Half the body with a matching Content-Length, as a cache or proxy returns after a broken connection. */
function truncated(answer: Answer): Answer {
  return { ...answer, body: answer.body.slice(0, Math.max(1, Math.floor(answer.body.length / 2))) };
}

function dated(answer: Answer, date: string): Answer {
  return { ...answer, headers: { ...answer.headers, date } };
}

/**
 * The answer with a row that makes every answer with it fail, for instance because the service can't serialize a value.
 *
 * @param rows the number of rows in the answer
 */
export function answerWithFailingRow(how: (typeof FAILING_WAYS)[number], rows: number): Answer {
  if (how === '500') return answerOf(500, 'Internal Server Error', 'text/plain');
  if (how !== 'nan') return { ...answerOf(200, '[', 'application/json'), delivery: how };
  return answerOf(200, `[${Array.from({ length: rows }, () => 'NaN').join(',')}]`, 'application/json');
}
