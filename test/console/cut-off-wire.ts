// A proxy between a console and its tables that counts requests and can be disconnected.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface CutOffWire {
  readonly url: string;
  /** The operations of all requests so far, for instance `GetItem`. */
  readonly operations: readonly string[];
  /** Breaks all connections until `mend` is called. */
  cut(): void;
  mend(): void;
  close(): Promise<void>;
}

export async function startCutOffWire(engine: string): Promise<CutOffWire> {
  const operations: string[] = [];
  let isCut = false;

  function handle(request: IncomingMessage, response: ServerResponse): void {
    operations.push(String(request.headers['x-amz-target']).split('.').at(-1) ?? '');
    if (isCut) return void request.socket.destroy();
    const { method, headers } = request;
    const onward = send(engine, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => request.socket.destroy());
    request.pipe(onward);
  }

  const server = createServer(handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    operations,
    cut() {
      isCut = true;
    },
    mend() {
      isCut = false;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
