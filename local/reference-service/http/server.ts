// The HTTP server on 127.0.0.1: the API below /api, the control interface below /_control. It refuses requests from
// web pages and with a foreign `Host`. It sends answers, or breaks the connection if they say so.

import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { findForeign, hostsOfThisMachine } from '../../http/foreign-request.ts';
import type { InProcessService } from '../in-process-service.ts';
import { type Answer, jsonAnswer } from '../service/answer.ts';
import { controlRoutes } from './control-routes.ts';

/** The path of the API. */
const ROOT = '/api';

/** @returns the base URL of the API, and a function that ends the server */
export async function startServer(
  { service, control }: InProcessService,
  port = 0,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const delayed = new Set<NodeJS.Timeout>();
  const sendLater = (answer: Answer, response: ServerResponse): void => {
    const timer = setTimeout(() => {
      delayed.delete(timer);
      send(answer, response);
    }, answer.afterMs);
    delayed.add(timer);
  };
  const app = new Hono<{ Bindings: HttpBindings }>();
  app.use(async ({ env: { incoming }, text }, next) => {
    const foreign = findForeign(incoming.headers, hostsOfThisMachine(incoming.socket.localPort ?? 0));
    return foreign === undefined ? next() : text(`${foreign}\n`, 403);
  });
  app.all(`${ROOT}/*`, ({ env, req }) => {
    const { pathname, searchParams } = new URL(req.url);
    const token = req.header('x-service-api-token');
    const answer =
      req.method === 'GET'
        ? service.answer({ path: pathname.slice(ROOT.length), query: searchParams, token })
        : jsonAnswer(405, { detail: 'Method Not Allowed' }, { allow: 'GET' });
    if (answer.afterMs === 0) send(answer, env.outgoing);
    else sendLater(answer, env.outgoing);
    // `RESPONSE_ALREADY_SENT` would end an answer that has to wait, if a server of this process replaced `Response`.
    return new Promise<Response>(() => undefined);
  });
  app.route('/_control', controlRoutes(control));
  app.notFound(({ json }) => json({ detail: 'Not Found' }, 404));

  const server = createAdaptorServer({
    fetch: app.fetch,
    overrideGlobalObjects: false,
    serverOptions: { keepAliveTimeout: 65_000 },
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: Error) =>
      reject(new Error(`Port ${port} of this machine can't be used: ${reasonOf(cause)}.`, { cause })),
    );
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${ROOT}`,
    close: () =>
      new Promise((resolve) => {
        for (const timer of delayed) clearTimeout(timer);
        server.close(() => resolve());
        if ('closeAllConnections' in server) server.closeAllConnections();
      }),
  };
}

function reasonOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return 'another process has it. Choose another port, or 0 for any free one';
  if (code === 'EACCES')
    return 'ports below 1024 need special rights. Choose a higher port, or 0 for any free one';
  return error.message;
}

function send(answer: Answer, response: ServerResponse): void {
  const { socket } = response;
  if (answer.delivery === 'hang') return;
  if (answer.delivery === 'reset') {
    socket?.resetAndDestroy();
    return;
  }
  const body = Buffer.from(answer.body);
  // The answer has its own Date, skewed or missing: Node must not add another.
  response.sendDate = false;
  response.writeHead(answer.status, { ...answer.headers, 'content-length': body.length });
  if (answer.delivery === 'whole') response.end(body);
  else response.write(body.subarray(0, Math.floor(body.length / 2)), () => socket?.resetAndDestroy());
}
