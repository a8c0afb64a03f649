// A request and its answer, independent of sockets: a simulation uses them directly, the HTTP server sends them as
// bytes, or breaks the connection.

import { type Instant, MILLISECOND } from '../../../shared/instant.ts';

export interface ServiceRequest {
  /** Below the base URL, for instance `/v2/return-groups`. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly token: string | undefined;
}

/**
 * - `whole`: the complete answer is sent.
 * - `hang`: nothing is ever sent.
 * - `reset`: the connection is reset before anything is sent.
 * - `cut`: head and half of the body are sent, then the connection is reset.
 */
type Delivery = 'whole' | 'hang' | 'reset' | 'cut';

export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Delay before the service sends anything. */
  readonly afterMs: number;
  readonly delivery: Delivery;
  /** Number of rows, for a list. */
  readonly rows?: number;
}

export function answerOf(
  status: number,
  body: string,
  contentType: string,
  headers: Record<string, string> = {},
): Answer {
  const type = body === '' ? {} : { 'content-type': contentType };
  return { status, headers: { ...type, ...headers }, body, afterMs: 0, delivery: 'whole' };
}

export function jsonAnswer(status: number, value: unknown, headers: Record<string, string> = {}): Answer {
  return answerOf(status, JSON.stringify(value), 'application/json', headers);
}

export function htmlAnswer(status: number, title: string, headers: Record<string, string> = {}): Answer {
  const body = `<!doctype html>\n<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>\n`;
  return answerOf(status, body, 'text/html; charset=utf-8', headers);
}

/** The instant as HTTP writes dates (RFC 9110, "Date/Time Formats"); to the second. */
export function httpDate(instant: Instant): string {
  return new Date(Math.floor(instant / MILLISECOND)).toUTCString();
}
