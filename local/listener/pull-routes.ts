// The pull feed on the listener of `watch`.
import { Hono } from 'hono';
import { hashToken } from '../../functions/adapters/token-hash.ts';
import type { Clock } from '../../shared/ports.ts';
import { createPullAnswers } from '../../shared/pulling/answer-pull.ts';
import type { LocalStore } from '../store/open-store.ts';

export interface PullRoutesOptions {
  readonly store: Pick<LocalStore, 'positions' | 'readers' | 'ledger' | 'snapshots' | 'states' | 'sources'>;
  readonly clock: Clock;
  /** Ends waiting requests. */
  readonly signal: AbortSignal;
}

export function pullRoutes({ store, clock, signal }: PullRoutesOptions): Hono {
  const app = new Hono();
  const answer = createPullAnswers({ ...store, clock, hashToken });
  app.all('/v1/readers/*', async ({ req }) => {
    const { pathname, searchParams: query } = new URL(req.url);
    const { body, ...rest } = await answer({
      ...{ method: req.method, path: pathname, query },
      authorization: req.header('authorization'),
      ifNoneMatch: req.header('if-none-match'),
      signal: AbortSignal.any([signal, req.raw.signal]),
    });
    return new Response(body, rest);
  });
  return app;
}
