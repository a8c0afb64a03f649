// The simplest reader of all: it reads the whole list at every poll.

import { createKnownStates, statesOfRow } from './known-states.ts';
import type { AskPage, ReaderClock } from './paced-client.ts';
import { readPages } from './pages.ts';
import type { PollingReader } from './reader.ts';

export function createWholeListReader(ask: AskPage, clock: ReaderClock): PollingReader {
  const known = createKnownStates();
  return {
    learnt: known.learnt,
    poll: () =>
      readPages(ask, {}, (rows) => {
        for (const row of rows)
          for (const [subject, state] of statesOfRow(row)) known.learn(subject, state, clock.now());
      }),
  };
}
