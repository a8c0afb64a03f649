// Runs a conforming implementation of the returns data service on a local port, for tests and for trying out the feed.
// Read this file first:
// - store/: the returns (store.ts), their random changes (life.ts), and what queries see (view.ts)
// - service/: answers requests without sockets: parameters, rate limit, token, faults (service.ts)
// - showing/: groups as rows of an answer
// - http/: this server's requests to the API and to the control interface
// - knobs.ts: each question that the document leaves open, as a setting

import { startServer } from './http/server.ts';
import {
  createInProcessService,
  type InProcessService,
  type InProcessServiceOptions,
} from './in-process-service.ts';

export interface ReferenceServiceOptions extends InProcessServiceOptions {
  /** 0 picks a free port. @default 0 */
  readonly port?: number | undefined;
}

export interface ReferenceService extends InProcessService {
  /** The base URL of the API. */
  readonly url: string;
  /** Closes the server immediately, even with unfinished answers. */
  close(): Promise<void>;
}

const CATCH_UP_MS = 1_000;

/** Starts the service on 127.0.0.1. It answers requests once the promise resolves. */
export async function createReferenceService(
  options: ReferenceServiceOptions = {},
): Promise<ReferenceService> {
  const inProcess = createInProcessService(options);
  const server = await startServer(inProcess, options.port);
  // Make changes without requests too: otherwise the first request after a long pause would have to make them all.
  const living = setInterval(() => inProcess.store.catchUp(), CATCH_UP_MS).unref();
  return {
    ...inProcess,
    url: server.url,
    async close() {
      clearInterval(living);
      await server.close();
    },
  };
}
