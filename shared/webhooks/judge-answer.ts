// Judges whether an answer concerns the event or the endpoint. Only a rejection of the content concerns the event; every
// other failure concerns the endpoint, and the event is posted again.
import { type Instant, MILLISECOND } from '../instant.ts';
import { parseHttpDate } from '../returns-service/http-headers.ts';
import type { Answer } from './webhook-ports.ts';

export type Verdict =
  | { readonly kind: 'accepted' }
  /** 400, 413, 415 or 422: the endpoint works and rejects this event. */
  | { readonly kind: 'content'; readonly reason: string; readonly askedMs: number }
  | {
      readonly kind: 'failure';
      readonly reason: string;
      /** The pause that Retry-After requests; 0 without one. */
      readonly askedMs: number;
      /** Whether it concerns every event: 429 and 503. */
      readonly isForAll: boolean;
    };

const ABOUT_CONTENT: ReadonlySet<number> = new Set([400, 413, 415, 422]);
const ABOUT_LOAD: ReadonlySet<number> = new Set([429, 503]);

/** @param now by the clock of this machine, against which a date in Retry-After counts */
export function judgeAnswer(answer: Answer, now: Instant): Verdict {
  if ('failure' in answer) return { kind: 'failure', reason: answer.failure, askedMs: 0, isForAll: false };
  const { status, retryAfter } = answer;
  if (status >= 200 && status < 300) return { kind: 'accepted' };
  const reason = `answered ${status}`;
  const askedMs = askedBy(retryAfter, now);
  if (ABOUT_CONTENT.has(status)) return { kind: 'content', reason, askedMs };
  return { kind: 'failure', reason, askedMs, isForAll: ABOUT_LOAD.has(status) };
}

/** Seconds or a date; anything else, and a moment that has passed, asks for nothing. */
function askedBy(retryAfter: string | undefined, now: Instant): number {
  if (retryAfter === undefined) return 0;
  if (/^\d{1,15}$/.test(retryAfter)) return Number(retryAfter) * 1_000;
  const until = parseHttpDate(retryAfter);
  return until === undefined ? 0 : Math.max(0, (until - now) / MILLISECOND);
}
