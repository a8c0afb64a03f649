// R7: the walk that finds what polls can't, whatever a group's stamps say. A range that was read to its proved end
// also tells which known groups are not in it any more.
import { MAX_WALK_PAGES } from '../limits.ts';
import type { FetchPage, Page } from '../reading/page.ts';
import { type WalkStep, walkOn } from '../reading/walk.ts';
import {
  beginCycle,
  dueTier,
  fitsCycle,
  isHeld,
  pauseAfterRange,
  type Tier,
} from '../reconciliation-plan.ts';
import type { CycleState } from '../source-state.ts';
import { lookForMissing } from './look-for-missing.ts';
import { forgetVanished } from './set-aside.ts';
import type { TickRun } from './tick-run.ts';

/** Reads the ranges that are due; what there is no time for shows as DeadlineReached. */
export async function reconcile(
  run: TickRun,
  fetch: FetchPage,
  pollWhenDue: () => Promise<void>,
): Promise<void> {
  const { settings, serviceClock } = run.session;
  for (;;) {
    const now = serviceClock.now().atLeast;
    const tier = dueTier(run.state, settings, now);
    if (tier === undefined) return;
    if (!run.state.reconciliation[tier].isUnderWay) {
      setCycle(run, tier, beginCycle(run.state.reconciliation[tier], tier, now));
      // R1: a short page may only end a poll if this cycle showed that the service gives longer ones.
      if (tier === 'all') run.state = { ...run.state, fullPageSeen: false };
    }
    await reconcileRange(run, tier, fetch, pollWhenDue);
    await run.save();
  }
}

async function reconcileRange(run: TickRun, tier: Tier, fetch: FetchPage, pollWhenDue: () => Promise<void>) {
  const { serviceClock } = run.session;
  const recorder = run.recorder('reconciliation');
  const seen = new Set<number>();
  const before = run.requestsSent('reconciliation');
  const { coveredThrough, rangeWidth } = run.state.reconciliation[tier];
  run.unfinished = tier;
  const take = (page: Page) => {
    for (const id of idsOf(page)) seen.add(id);
    return recorder.take(page);
  };
  const step = await walkOn(
    { coveredThrough, rangeWidth },
    {
      fetch,
      take,
      maxPages: MAX_WALK_PAGES,
      stamps: () => run.stamps,
      now: () => serviceClock.now().atLeast,
    },
  );
  run.unfinished = undefined;
  if (step.covered !== undefined) {
    const gone = await lookForMissing(run, { tier, range: step.covered, seen, recorder, pollWhenDue });
    const cycle = run.state.reconciliation[tier];
    setCycle(run, tier, { ...cycle, removals: cycle.removals + gone });
  }
  advance(run, tier, step, run.requestsSent('reconciliation') - before);
}

function advance(run: TickRun, tier: Tier, step: WalkStep, sent: number): void {
  const { settings, serviceClock } = run.session;
  const now = serviceClock.now().atLeast;
  const cycle = run.state.reconciliation[tier];
  const requests = cycle.requests + sent;
  const isSlow = tier === 'all' && !fitsCycle(run.state, settings);
  setCycle(run, tier, {
    ...cycle,
    ...step.position,
    requests,
    pausedUntil: isSlow ? now + pauseAfterRange(sent, settings) : cycle.pausedUntil,
    ...(step.isDone ? { isUnderWay: false, lastRequests: requests, lastCompletedAt: now } : {}),
  });
  if (!step.isDone) return;
  run.isUnheld = !isHeld(run.state);
  if (tier === 'all') run.state = forgetVanished(run.state, cycle.startedAt);
}

function setCycle(run: TickRun, tier: Tier, cycle: CycleState): void {
  run.state = { ...run.state, reconciliation: { ...run.state.reconciliation, [tier]: cycle } };
}

function idsOf({ rows }: Page): number[] {
  return rows.flatMap((row) =>
    row.kind === 'readable' ? [row.group.id] : row.id === undefined ? [] : [row.id],
  );
}
