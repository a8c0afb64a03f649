// Rule R7 of docs/guarantees.md: walks read every group again, whatever its stamps are, range by range, in the time that
// polls leave.
import { dueTier, keepsToShare, pauseAfterRange } from '../source/reconciliation-plan.ts';
import type { RangeRoom } from './range-room.ts';
import { type RangeReading, reconcileRange } from './reconcile-range.ts';
import { advanceCycle, beginDueCycle, pauseCycle } from './reconciliation-cycle.ts';
import type { TickRun } from './tick-run.ts';

export interface Walking extends RangeReading {
  readonly room: RangeRoom;
}

/** Reads the ranges that are due as long as there is time for one. */
export async function reconcile(run: TickRun, walking: Walking): Promise<void> {
  const { settings, serviceClock } = run.session;
  for (;;) {
    const now = serviceClock.now().atLeast;
    const tier = dueTier(run.state, settings, now);
    const maxPages = walking.room.pages();
    if (tier === undefined || maxPages === undefined) return;
    beginDueCycle(run, tier, now);
    // Pause first: a range that the tick's end cuts off has used its share as well.
    const pause = keepsToShare(run.state, settings, tier) ? pauseAfterRange(tier, maxPages, settings) : 0;
    pauseCycle(run, tier, now + pause);
    await walking.room.during(async () =>
      advanceCycle(run, tier, await reconcileRange(run, tier, maxPages, walking)),
    );
    await run.save();
  }
}
