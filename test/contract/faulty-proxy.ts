// A proxy between the SDK and an engine that use JSON over HTTP. It injects faults that a local engine does not produce:
// unprocessed keys, conflicts with another transaction, throttling, lost answers.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

// biome-ignore lint/suspicious/noExplicitAny: any JSON of the service
export type Json = any;

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json;
}

interface Exchange {
  /** The operation, for instance `TransactWriteItems`. */
  readonly operation: string;
  readonly body: Json;
  /** Forwards the request to the engine, with `body` instead of its own if given. */
  forward(body?: Json): Promise<Answer>;
}

/** Handles a request. Undefined breaks the connection without an answer. */
export type Fault = (exchange: Exchange) => Promise<Answer | undefined>;

export interface FaultyProxy {
  readonly endpoint: string;
  /** The operations requested so far, in order, including those whose answer was lost. */
  readonly operations: string[];
  /** Applies the fault to the next requests of an operation. */
  next(operation: string, fault: Fault, times?: number): void;
  close(): Promise<void>;
}

export async function startFaultyProxy(engine: string): Promise<FaultyProxy> {
  const operations: string[] = [];
  const planned: { operation: string; fault: Fault; times: number }[] = [];

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const operation = String(request.headers['x-amz-target']).split('.').at(-1) ?? '';
    const text = await textOf(request);
    operations.push(operation);
    const plan = planned.find((candidate) => candidate.operation === operation && candidate.times > 0);
    if (plan !== undefined) plan.times -= 1;
    const fault = plan?.fault ?? passOn;
    const body = JSON.parse(text);
    const answer = await fault({
      operation,
      body,
      forward: (changed = body) => forward(engine, request, JSON.stringify(changed)),
    });
    if (answer === undefined) {
      request.socket.destroy();
      return;
    }
    response.sendDate = false;
    response.writeHead(answer.status, answer.headers);
    response.end(JSON.stringify(answer.body));
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    operations,
    next(operation, fault, times = 1) {
      planned.push({ operation, fault, times });
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const passOn: Fault = ({ forward }) => forward();

/** Executes the request, and loses the answer. */
export const loseAnswer: Fault = async ({ forward }) => {
  await forward();
  return undefined;
};

/** Answers with an error of the service instead of forwarding the request. */
export function refuse(type: string, details: Json = {}, status = 400): Fault {
  const headers = { 'content-type': 'application/x-amz-json-1.0' };
  return async () => ({
    status,
    headers,
    body: { __type: type, message: `${type} by the proxy`, ...details },
  });
}

/** Forwards the request and rewrites the answer. */
export function rewriting(rewrite: (answer: Answer) => Answer): Fault {
  return async ({ forward }) => rewrite(await forward());
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** Removes lengths and checksums, which would not match a rewritten body. */
async function forward(engine: string, request: IncomingMessage, body: string): Promise<Answer> {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (!['host', 'connection', 'content-length'].includes(name)) headers.set(name, String(value));
  }
  const answer = await fetch(engine, { method: 'POST', headers, body });
  const kept = ['content-type', 'date'].flatMap((name) => {
    const value = answer.headers.get(name);
    return value === null ? [] : [[name, value]];
  });
  return { status: answer.status, headers: Object.fromEntries(kept), body: await answer.json() };
}
