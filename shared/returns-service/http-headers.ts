// The headers of an answer that hold a time. They may contain anything: an unreadable value is undefined.
import { type Instant, MILLISECOND, SECOND } from '../instant.ts';

/** The cap of Retry-After: a service that asks for a day has made a mistake, and gets a request after an hour. */
export const MAX_RETRY_AFTER_MS = 60 * 60 * 1_000;

// The only form that may be sent (RFC 9110, 5.6.7). The obsolete forms are left out: one of them has no zone.
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (?:[A-Z][a-z]{2}) \d{4} \d{2}:\d{2}:\d{2} GMT$/;

export function parseHttpDate(text: string | undefined): Instant | undefined {
  if (text === undefined || !HTTP_DATE.test(text)) return undefined;
  const milliseconds = Date.parse(text);
  return Number.isNaN(milliseconds) ? undefined : milliseconds * MILLISECOND;
}

/**
 * How long a cache has kept an answer (RFC 9111, 5.1). Its Date is not compared: some caches rewrite that.
 *
 * @returns a duration in whole seconds, cut off; of several values the first
 */
export function parseAge(text: string | undefined): number | undefined {
  const [, seconds] = /^\s*(\d{1,10})\s*(?:,|$)/.exec(text ?? '') ?? [];
  return seconds === undefined ? undefined : Number(seconds) * SECOND;
}

/**
 * The wait that Retry-After asks for: seconds, or a date. A date counts from the answer's own Date, because no other
 * clock is known to agree with it; without one only the date is known.
 *
 * @returns milliseconds, 0 to {@link MAX_RETRY_AFTER_MS}, or the date; undefined if it can't be read
 */
export function parseRetryAfter(
  text: string | undefined,
  answerDate: Instant | undefined,
): { readonly ms?: number; readonly at?: Instant } | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,15}(?:\.\d{1,9})?$/.test(text)) return { ms: bounded(Number(text) * 1_000) };
  const until = parseHttpDate(text);
  if (until === undefined) return undefined;
  return answerDate === undefined ? { at: until } : { ms: bounded((until - answerDate) / MILLISECOND) };
}

function bounded(milliseconds: number): number {
  return Math.ceil(Math.min(Math.max(milliseconds, 0), MAX_RETRY_AFTER_MS));
}
