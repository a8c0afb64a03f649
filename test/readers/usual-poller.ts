// The poller that most consumers of a service without webhooks write first: each poll requests all groups updated since
// the newest known stamp, and from time to time the whole list.

import type { AskPage, ReaderClock } from './paced-client.ts';
import { readPages } from './pages.ts';

export interface PollerOptions {
  /** How far before the newest stamp each poll begins. */
  readonly lookbackMs: number;
  /**
   * Reads the whole list at the start and again after this time, at every poll if it is 0. If it is undefined, reads
   * only changes from now on.
   */
  readonly wholeEveryMs?: number;
}

/** Reads the whole list at every poll: the simplest reader of all. */
export const WHOLE_LIST: PollerOptions = { lookbackMs: 0, wholeEveryMs: 0 };

/** @returns one poll */
export function createUsualPoller(
  ask: AskPage,
  clock: ReaderClock,
  learn: (subject: string, state: string) => void,
  { lookbackMs, wholeEveryMs }: PollerOptions,
): () => Promise<void> {
  let newest = clock.now();
  let wholeAt = Number.NEGATIVE_INFINITY;

  return async function poll() {
    const now = clock.now();
    const isWhole = wholeEveryMs !== undefined && now - wholeAt >= wholeEveryMs;
    if (isWhole) wholeAt = now;
    const since = new Date(newest - lookbackMs).toISOString();
    let seen = newest;
    await readPages(ask, isWhole ? {} : { min_updated_at: since }, (rows) => {
      for (const { updatedAtMs, states } of rows) {
        seen = Math.max(seen, updatedAtMs);
        for (const [subject, state] of states) learn(subject, state);
      }
    });
    newest = seen;
  };
}
