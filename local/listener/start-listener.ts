// What a running `watch` answers over HTTP: the pull feed, its health and metrics. Off unless asked for, and on this
// machine alone unless told.
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import type { Log } from '../../shared/ports.ts';
import { problem } from '../../shared/pulling/answer-read.ts';
import { isLoopback } from '../../shared/returns-service/base-url.ts';
import { UsageError } from '../cli/failures.ts';
import { type FeedHealth, healthRoutes } from './health-routes.ts';
import type { ListenAt } from './parse-listen-at.ts';
import { type PullRoutesOptions, pullRoutes } from './pull-routes.ts';

export interface Listening {
  /** For instance `http://127.0.0.1:8091`. */
  readonly url: string;
  close(): Promise<void>;
}

export interface ListenerOptions extends Omit<PullRoutesOptions, 'signal'> {
  readonly log: Log;
  readonly health: FeedHealth;
}

/** @throws UsageError if the port can't be used */
export async function startListener(
  { host, port }: ListenAt,
  { log, health, ...options }: ListenerOptions,
): Promise<Listening> {
  const ending = new AbortController();
  const app = new Hono();
  app.route('/', pullRoutes({ ...options, signal: ending.signal }));
  app.route('/', healthRoutes(health));
  const { body, ...notFound } = problem(404, 'Nothing is here.');
  app.notFound(() => new Response(body, notFound));
  app.onError((error) => {
    log.error('A request could not be answered.', { error });
    const { body: text, ...failed } = problem(503, 'The feed could not answer.', { 'retry-after': '5' });
    return new Response(text, failed);
  });
  const server = createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) =>
      reject(
        new UsageError(`--listen ${host}:${port} can't be used: ${cause.code ?? cause.message}.`, { cause }),
      ),
    );
    server.listen(port, host, resolve);
  });
  const address = server.address() as { readonly port: number };
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`;
  log.info(`listening at ${url}`);
  if (!isLoopback(host))
    log.warn(
      `Answers at ${url} are not encrypted: put a proxy with TLS before it outside of your own network.`,
    );
  return {
    url,
    async close() {
      ending.abort();
      const closed = new Promise((resolve) => server.close(resolve));
      if ('closeIdleConnections' in server) server.closeIdleConnections();
      const impatient = setTimeout(
        () => 'closeAllConnections' in server && server.closeAllConnections(),
        1_000,
      );
      await closed;
      clearTimeout(impatient);
    },
  };
}
