// Servers on free ports of this machine, which a test closes after it.
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Socket,
  type Server as TcpServer,
} from 'node:net';

const opened: { close(): void }[] = [];

/** Closes what was opened. For `afterEach`. */
export function closeAll(): void {
  for (const one of opened.splice(0)) one.close();
}

/** Has it closed by {@link closeAll}. */
export function closing<It extends { close(): void }>(one: It): It {
  opened.push(one);
  return one;
}

/** @returns its address */
export async function listen(server: Server | TcpServer, protocol = 'http'): Promise<string> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing({
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  });
  return `${protocol}://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export const serve = (listener: RequestListener) => listen(createServer(listener));

/** Answers each connection with these bytes, regardless of the request, and ends it. */
export function serveBytes(bytes: string): Promise<string> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(bytes));
  });
  return listen(server);
}
