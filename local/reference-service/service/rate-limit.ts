// 300 requests per minute and token ("Limits"), in a sliding window: the strictest meaning of "a minute".

import { type Instant, MINUTE, SECOND } from '../../../shared/instant.ts';
import type { Knobs } from '../knobs.ts';
import { type Answer, answerOf, htmlAnswer, httpDate, jsonAnswer } from './answer.ts';

export interface RateLimit {
  /** Counts a request. @returns undefined within the limit, otherwise when the next request is possible */
  count(token: string, now: Instant, most: number): Instant | undefined;
}

export function createRateLimit(): RateLimit {
  const requests = new Map<string, Instant[]>();
  return {
    count(token, now, most) {
      if (most === 0) return undefined;
      const recent = (requests.get(token) ?? []).filter((at) => at > now - MINUTE);
      requests.set(token, recent);
      if (recent.length < most) {
        recent.push(now);
        return undefined;
      }
      return (recent[recent.length - most] ?? now) + MINUTE;
    },
  };
}

/** @param freeAt when the next request is possible */
export function tooManyRequests(freeAt: Instant, now: Instant, knobs: Knobs): Answer {
  const seconds = Math.max(1, Math.ceil((freeAt - now) / SECOND));
  const date = httpDate(freeAt + SECOND + knobs.dateSkewSeconds * SECOND);
  const headers = retryAfterHeader(knobs.retryAfter, seconds, date);
  const message = `Rate limit exceeded: ${knobs.rateLimit} per 1 minute`;
  switch (knobs.rateBody) {
    case 'json':
      return jsonAnswer(429, { detail: message }, headers);
    case 'text':
      return answerOf(429, message, 'text/plain', headers);
    case 'html':
      return htmlAnswer(429, '429 Too Many Requests', headers);
    case 'empty':
      return answerOf(429, '', 'text/plain', headers);
  }
}

function retryAfterHeader(form: Knobs['retryAfter'], seconds: number, date: string): Record<string, string> {
  if (form === 'none') return {};
  return { 'retry-after': form === 'seconds' ? String(seconds) : date };
}
