// One request and its answer, before any socket: a simulation can take these as they are, the HTTP server turns
// them into bytes and broken connections.

export interface ServiceRequest {
  /** Below the base URL, for instance `/v2/return-groups`. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly token: string | undefined;
}

/**
 * - `whole`: as it should be.
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
  /** How long the service takes before it sends anything. */
  readonly afterMs: number;
  readonly delivery: Delivery;
  /** Rows of a list, where it is one. */
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
