// The HTTP server: the API below its prefix, the control interface below /_control.

import { fastify } from 'fastify';
import type { InProcessService } from '../in-process-service.ts';
import { jsonAnswer } from '../service/answer.ts';
import { addControlRoutes } from './control-routes.ts';
import { deliver, type Timers } from './deliver.ts';

export interface ServerOptions {
  readonly port: number;
  readonly prefix: string;
}

export interface Server {
  readonly url: string;
  close(): Promise<void>;
}

export async function startServer(inProcess: InProcessService, options: ServerOptions): Promise<Server> {
  const { service } = inProcess;
  const prefix = options.prefix.replace(/\/+$/, '');
  const timers: Timers = new Set();
  const app = fastify({ forceCloseConnections: true, exposeHeadRoutes: false, keepAliveTimeout: 65_000 });

  app.all(`${prefix}/*`, (request, reply) => {
    const [path = '/', query = ''] = (request.raw.url ?? '/').split('?', 2);
    const token = request.headers['x-service-api-token'];
    reply.hijack();
    const answer =
      request.method === 'GET'
        ? service.answer({
            path: path.slice(prefix.length),
            query: new URLSearchParams(query),
            token: Array.isArray(token) ? token[0] : token,
          })
        : jsonAnswer(405, { detail: 'Method Not Allowed' }, { allow: 'GET' });
    deliver(answer, reply.raw, timers);
  });
  await app.register(async (scope) => addControlRoutes(scope, inProcess.control), { prefix: '/_control' });
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ detail: 'Not Found' }));

  const address = await app.listen({ port: options.port, host: '127.0.0.1' }).catch((cause: Error) => {
    throw new Error(`Port ${options.port} of this machine can't be used: ${reasonOf(cause)}.`, { cause });
  });
  return {
    url: `${address}${prefix}`,
    async close() {
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
      await app.close();
    },
  };
}

function reasonOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return 'another process has it. Choose another port, or 0 for any free one';
  if (code === 'EACCES')
    return 'ports below 1024 need special rights. Choose a higher port, or 0 for any free one';
  return error.message;
}
