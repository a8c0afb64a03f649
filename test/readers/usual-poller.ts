// The poller that every consumer of such a service writes first: at each poll it asks for what was updated since the
// newest stamp that it has seen.

import { createKnownStates, statesOfRow } from './known-states.ts';
import type { AskPage, ReaderClock } from './paced-client.ts';
import { readPages } from './pages.ts';
import type { PollingReader } from './reader.ts';

export interface PollerOptions {
  /** How far before the newest stamp each poll begins. */
  readonly lookbackMs: number;
  /** Reads the whole list at the start and again after this time; undefined to begin with what changes from now on. */
  readonly wholeEveryMs?: number;
}

export function createUsualPoller(
  ask: AskPage,
  clock: ReaderClock,
  { lookbackMs, wholeEveryMs }: PollerOptions,
): PollingReader {
  const known = createKnownStates();
  let newest = clock.now();
  let wholeAt: number | undefined;

  return {
    learnt: known.learnt,
    async poll() {
      const now = clock.now();
      const isWhole = wholeEveryMs !== undefined && (wholeAt === undefined || now - wholeAt >= wholeEveryMs);
      if (isWhole) wholeAt = now;
      const since = new Date(newest - lookbackMs).toISOString();
      let seen = newest;
      await readPages(ask, isWhole ? {} : { min_updated_at: since }, (rows) => {
        for (const row of rows) {
          seen = Math.max(seen, Date.parse(String(row.updated_at)));
          for (const [subject, state] of statesOfRow(row)) known.learn(subject, state, clock.now());
        }
      });
      newest = seen;
    },
  };
}
