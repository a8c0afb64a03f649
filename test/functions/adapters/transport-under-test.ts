// The transport, and servers that answer it as a test wants.
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { createHttpsTransport, type HttpsTransport } from '../../../functions/adapters/https-transport.ts';
import {
  type HttpAnswer,
  type HttpRequest,
  TransportFailure,
} from '../../../shared/returns-service/http-transport.ts';

export const BODY = JSON.stringify([{ name: 'Rosalind Quimby', text: 'x'.repeat(1_000) }]);

const opened: { close(): void }[] = [];

/** For `afterEach`. */
export function closeAll(): void {
  for (const one of opened.splice(0)) one.close();
}

export function open(): HttpsTransport {
  const transport = createHttpsTransport();
  opened.push(transport);
  return transport;
}

export async function listen(server: Server | TcpServer, protocol = 'http'): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  opened.push({
    close() {
      server.close();
      if ('closeAllConnections' in server) server.closeAllConnections();
    },
  });
  return `${protocol}://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export function serve(listener: RequestListener): Promise<string> {
  return listen(createServer(listener));
}

/** Answers each connection with these bytes, regardless of the request, and ends it. */
export function serveBytes(bytes: string): Promise<string> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(bytes));
  });
  return listen(server);
}

export function request(url: string, more: Partial<HttpRequest> = {}): HttpRequest {
  return { url, headers: { 'X-Service-Api-Token': 'tok_1a2b' }, timeoutMs: 5_000, maxBytes: 10_000, ...more };
}

export async function failureOf(answer: Promise<HttpAnswer>): Promise<TransportFailure> {
  const outcome = await answer.catch((error: unknown) => error);
  if (outcome instanceof TransportFailure) return outcome;
  throw new Error('no TransportFailure was thrown', { cause: outcome });
}

export function textOf({ body }: HttpAnswer): string {
  return new TextDecoder().decode(body);
}
