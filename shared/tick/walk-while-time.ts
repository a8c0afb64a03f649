// The walks over all groups, in what time a tick has beside its polls: first the baseline, then reconciliation as it
// is due.

import { createFetchBetweenPolls, createPollWhenDue } from './between-polls.ts';
import { createRangeRoom } from './range-room.ts';
import { reconcile } from './reconcile.ts';
import type { TickRun } from './tick-run.ts';
import { walkBaseline } from './walk-baseline.ts';

/** Walks on until there is nothing left to walk, or no time for another range. */
export async function walkWhileTime(run: TickRun): Promise<void> {
  const pollWhenDue = createPollWhenDue(run);
  const fetch = createFetchBetweenPolls(run, pollWhenDue);
  const room = createRangeRoom(run);
  await walkBaseline(run, fetch, room);
  await reconcile(run, { fetch, pollWhenDue, room });
}
