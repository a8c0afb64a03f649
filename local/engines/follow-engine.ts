// Sends a request of the SDK to the engine that has the tables now. If the connection fails, the engine has ended or
// another process has the tables: the request looks again where they are.
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode } from '../../test/engines/engine-error.ts';
import type { SharedEngine } from './shared-engine.ts';

/** An engine ends and another one starts within this time, also on a busy machine. */
const PATIENCE_MS = 20_000;
const PAUSE_MS = 100;
const GONE: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE']);

/** The part of the SDK's request that names the server. */
interface Addressed {
  hostname: string;
  port?: number | undefined;
}

/** @throws the last error of the connection, if no engine answers in time */
export async function followEngine<Args extends { readonly request: unknown }, Output>(
  engine: Pick<SharedEngine, 'endpoint' | 'lost'>,
  send: (args: Args) => Promise<Output>,
  args: Args,
): Promise<Output> {
  for (let waited = 0; ; waited += PAUSE_MS) {
    const endpoint = await engine.endpoint();
    const { hostname, port } = new URL(endpoint);
    Object.assign(args.request as Addressed, { hostname, port: Number(port) });
    try {
      return await send(args);
    } catch (error) {
      if (!GONE.has(errorCode(error)) || waited >= PATIENCE_MS) throw error;
    }
    engine.lost(endpoint);
    await sleep(PAUSE_MS);
  }
}
