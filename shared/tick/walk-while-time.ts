// The walks over all groups, in the time that a tick's polls leave: first the baseline, then reconciliation when due.

import { createFetchBetweenPolls } from './between-polls.ts';
import { createRangeRoom } from './range-room.ts';
import { reconcile } from './reconcile.ts';
import type { SweepOn } from './sweep.ts';
import type { TickRun } from './tick-run.ts';
import { walkBaseline } from './walk-baseline.ts';

/** Walks until nothing is left to walk or there is no time for another range. */
export async function walkWhileTime(
  run: TickRun,
  pollWhenDue: () => Promise<void>,
  sweepOn: SweepOn,
): Promise<void> {
  const fetch = createFetchBetweenPolls(run, pollWhenDue, sweepOn);
  const room = createRangeRoom(run);
  await walkBaseline(run, fetch, room);
  await reconcile(run, { fetch, pollWhenDue, room });
}
