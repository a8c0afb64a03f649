// Node's own requests and answers as web-standard ones, for `node:http` and Express:
//
//   app.post('/hook', toNodeHandler(receiver));
import type { WebhookReceiver } from './webhook-receiver.ts';

/** The needed part of `http.IncomingMessage`, so that a worker needs none of Node's types. */
export interface NodeRequest {
  readonly method?: string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly readableDidRead: boolean;
  on(event: 'data', listener: (chunk: Uint8Array) => void): unknown;
  on(event: 'end', listener: () => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** The needed part of `http.ServerResponse`. */
export interface NodeResponse {
  writeHead(status: number, headers: Record<string, string>): unknown;
  end(body: string): unknown;
}

/** It reads the raw body itself, so it must run before any body parser. */
export function toNodeHandler(
  receiver: WebhookReceiver,
): (request: NodeRequest, response: NodeResponse) => Promise<void> {
  return async (request, response) => {
    const answered = await receiver(await toWebRequest(request));
    response.writeHead(answered.status, Object.fromEntries(answered.headers));
    response.end(await answered.text());
  };
}

/** The receiver ignores the address. */
const ADDRESS = 'http://receiver.invalid/';

async function toWebRequest(request: NodeRequest): Promise<Request> {
  const headers = toHeaders(request);
  // A web request can't have each of Node's methods; the receiver rejects all others alike.
  if (request.method !== 'POST') return new Request(ADDRESS);
  if (!request.readableDidRead)
    return new Request(ADDRESS, { method: 'POST', headers, body: toStream(request), duplex: 'half' });
  // A body parser has read the request. The receiver's answer explains what to do.
  const read = new Request(ADDRESS, { method: 'POST', headers, body: 'read' });
  await read.text();
  return read;
}

function toHeaders({ headers }: NodeRequest): Headers {
  const converted = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    // HTTP/2 has pseudo-headers, such as `:path`.
    if (value !== undefined && !name.startsWith(':')) converted.set(name, String(value));
  }
  return converted;
}

/** Drops the rest of a body that the receiver stopped reading, so that its answer reaches the sender. */
function toStream(request: NodeRequest): ReadableStream<Uint8Array> {
  let isOpen = true;
  return new ReadableStream({
    start(controller) {
      request.on('data', (chunk) => {
        if (isOpen) controller.enqueue(new Uint8Array(chunk));
      });
      request.on('end', () => {
        if (isOpen) controller.close();
      });
      request.on('error', (error) => {
        if (isOpen) controller.error(error);
      });
    },
    cancel() {
      isOpen = false;
    },
  });
}
