// Requests to a console over plain HTTP. The system may not resolve names below `localhost`, as browsers do by themselves.
import { type IncomingMessage, request } from 'node:http';
import type { LookupFunction } from 'node:net';
import type { Console } from '../../local/console/console-server.ts';

export interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The address that the name stands for. @default '127.0.0.1' */
  readonly at?: '127.0.0.1' | '::1';
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** Sends a request and returns its response; for a stream, the first part of it. */
export async function ask(url: string | URL, asked: Asked = {}): Promise<Answer> {
  const answer = await begin(url, asked);
  let body = '';
  for await (const part of answer.setEncoding('utf8')) {
    body += part;
    // Leaving the loop closes the connection.
    if (answer.headers['content-type'] === 'text/event-stream') break;
  }
  return { status: answer.statusCode ?? 0, headers: answer.headers, body };
}

/** Sends a request. The response's body is not read yet. */
export function begin(
  url: string | URL,
  { method = 'GET', headers = {}, body, at = '127.0.0.1' }: Asked = {},
): Promise<IncomingMessage> {
  const family = at === '::1' ? 6 : 4;
  const lookup: LookupFunction = (_, { all }, found) =>
    all ? found(null, [{ address: at, family }]) : found(null, at, family);
  return new Promise((resolve, reject) => {
    request(url, { method, headers, lookup }, resolve).on('error', reject).end(body);
  });
}

/** Opens the console's address as a browser does, and returns the cookie that it gets. */
export async function openAddress({ url }: Pick<Console, 'url'>): Promise<{ readonly cookie: string }> {
  const { headers } = await ask(url);
  const [cookie = ''] = String(headers['set-cookie']).split(';');
  return { cookie };
}
