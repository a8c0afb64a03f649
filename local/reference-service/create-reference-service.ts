// A conforming implementation of the returns data service on a port of this machine, for tests and for trying the
// feed out. Every question that the document leaves open is a knob (knobs.ts).

import { startServer } from './http/server.ts';
import {
  createInProcessService,
  type InProcessService,
  type InProcessServiceOptions,
} from './in-process-service.ts';

export interface ReferenceServiceOptions extends InProcessServiceOptions {
  /** 0: any free one. @default 0 */
  readonly port?: number | undefined;
  /** @default '127.0.0.1' */
  readonly host?: string | undefined;
  /** Path of the API root. @default '/api' */
  readonly prefix?: string | undefined;
}

export interface ReferenceService extends InProcessService {
  /** The base URL, its path prefix included. */
  readonly url: string;
  /** Ends at once, whatever is still being answered. */
  close(): Promise<void>;
}

const LIFE_EVERY_MS = 1_000;

/** Starts the service; it answers when the promise resolves. */
export async function createReferenceService(
  options: ReferenceServiceOptions = {},
): Promise<ReferenceService> {
  const { port = 0, host = '127.0.0.1', prefix = '/api' } = options;
  const inProcess = createInProcessService(options);
  const server = await startServer(inProcess, { port, host, prefix });
  // Nobody has to ask for life to go on; a long silence would else be made up for by the first to break it.
  const living = setInterval(() => inProcess.store.catchUp(), LIFE_EVERY_MS).unref();
  return {
    ...inProcess,
    url: server.url,
    async close() {
      clearInterval(living);
      await server.close();
    },
  };
}
