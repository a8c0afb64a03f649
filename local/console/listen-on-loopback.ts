// Listens on 127.0.0.1 and on ::1: browsers connect to either for a name below `localhost`, and a program of another
// user that listens on the other one would get the console's token.
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';

/** How often a free port of 127.0.0.1 may be taken on ::1. */
const MAX_TRIES = 10;

export interface Listening {
  readonly port: number;
  close(): Promise<void>;
}

/** @param port 0 for a free one @throws Error if the port can't be used */
export async function listenOnLoopback(onRequest: RequestListener, port: number): Promise<Listening> {
  for (let tries = 1; ; tries += 1) {
    const first = await listen(onRequest, '127.0.0.1', port);
    const { port: taken } = first.address() as { readonly port: number };
    try {
      const servers = [first, await listen(onRequest, '::1', taken)];
      return { port: taken, close: async () => void (await Promise.all(servers.map(close))) };
    } catch (error) {
      // Without IPv6 nobody else can listen there either.
      if (!isTaken(error)) return { port: taken, close: () => close(first) };
      await close(first);
      if (port !== 0 || tries === MAX_TRIES) throw error;
    }
  }
}

async function listen(onRequest: RequestListener, host: string, port: number): Promise<Server> {
  const server = createServer(onRequest).listen({ host, port });
  await once(server, 'listening');
  return server;
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

function isTaken(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
}
