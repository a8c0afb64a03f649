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
  destroy(): unknown;
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
    const { read, rest } = await toWebRequest(request);
    const answered = await receiver(read);
    response.writeHead(answered.status, Object.fromEntries(answered.headers));
    response.end(await answered.text());
    rest?.dropAndEnd();
  };
}

/** The part of a body that the receiver did not read. */
interface Rest {
  /** Reads on for a moment, so that the answer reaches the sender, and then ends the connection if the body has no end. */
  dropAndEnd(): void;
}

/** A closed connection takes the answer with it, if the sender still writes. */
const MAX_DROPPED_BYTES = 64 * 1024;
const MAX_DROPPED_MS = 1_000;

/** The receiver ignores the address. */
const ADDRESS = 'http://receiver.invalid/';

async function toWebRequest(request: NodeRequest): Promise<{ readonly read: Request; readonly rest?: Rest }> {
  const headers = toHeaders(request);
  // A web request can't have each of Node's methods; the receiver rejects all others alike.
  if (request.method !== 'POST') return { read: new Request(ADDRESS) };
  if (!request.readableDidRead) {
    const { stream: body, ...rest } = toStream(request);
    return { read: new Request(ADDRESS, { method: 'POST', headers, body, duplex: 'half' }), rest };
  }
  // A body parser has read the request. The receiver's answer explains what to do.
  const read = new Request(ADDRESS, { method: 'POST', headers, body: 'read' });
  await read.text();
  return { read };
}

function toHeaders({ headers }: NodeRequest): Headers {
  const converted = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    // HTTP/2 has pseudo-headers, such as `:path`.
    if (value !== undefined && !name.startsWith(':')) converted.set(name, String(value));
  }
  return converted;
}

function toStream(request: NodeRequest): Rest & { readonly stream: ReadableStream<Uint8Array> } {
  let isOpen = true;
  let hasEnded = false;
  let dropped = 0;
  let isAnswered = false;
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      request.on('data', (chunk) => {
        if (isOpen) controller.enqueue(new Uint8Array(chunk));
        else dropped += chunk.byteLength;
        if (isAnswered && dropped > MAX_DROPPED_BYTES) request.destroy();
      });
      request.on('end', () => {
        hasEnded = true;
        if (isOpen) controller.close();
      });
      request.on('error', (error) => {
        hasEnded = true;
        if (isOpen) controller.error(error);
      });
    },
    cancel() {
      isOpen = false;
    },
  });
  return {
    stream,
    dropAndEnd() {
      if (hasEnded) return;
      isAnswered = true;
      const timer = setTimeout(() => request.destroy(), MAX_DROPPED_MS);
      request.on('end', () => clearTimeout(timer));
      request.on('error', () => clearTimeout(timer));
    },
  };
}
