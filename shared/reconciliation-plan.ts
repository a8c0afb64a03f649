// Which walk is due. Where a walk over all groups fits a cycle, that is all there is to it. Else the lately created
// are walked in every cycle, and all groups in a share of the budget, however long that takes.
import { type Instant, MILLISECOND, MINUTE } from './instant.ts';
import { MAX_REMOVAL_SHARE, MAX_REMOVALS, RECENT, SLOW_WALK_SHARE, WHOLE_WALK_SHARE } from './limits.ts';
import type { SourceSettings } from './source-settings.ts';
import type { CycleState, SourceState } from './source-state.ts';

export type Tier = 'recent' | 'all';

type Planned = Pick<SourceState, 'baseline' | 'reconciliation'>;
type Pace = Pick<SourceSettings, 'reconcileMs' | 'requestsPerMinute'>;

/** @returns the tier whose next range is to be read now, if any */
export function dueTier(state: Planned, settings: Pace, now: Instant): Tier | undefined {
  const { recent, all } = state.reconciliation;
  if (fitsCycle(state, settings)) return isDue(all, settings, now) ? 'all' : undefined;
  if (isDue(recent, settings, now)) return 'recent';
  return now >= all.pausedUntil ? 'all' : undefined;
}

/** Whether a walk over all groups is short enough to be done in every cycle. */
export function fitsCycle({ baseline, reconciliation: { all } }: Planned, settings: Pace): boolean {
  const requests = all.lastRequests ?? baseline.requests;
  const affordable = (settings.requestsPerMinute * settings.reconcileMs * MILLISECOND) / MINUTE;
  return requests <= Math.max(affordable * WHOLE_WALK_SHARE, SMALLEST_WALK);
}

/** A store this small is walked as a whole in any case. */
const SMALLEST_WALK = 50;

function isDue(cycle: CycleState, { reconcileMs }: Pace, now: Instant): boolean {
  return cycle.isUnderWay || cycle.isAsked || now >= cycle.startedAt + reconcileMs * MILLISECOND;
}

/** A cycle as it begins. */
export function beginCycle(cycle: CycleState, tier: Tier, now: Instant): CycleState {
  const coveredThrough = tier === 'recent' ? now - RECENT : undefined;
  return {
    ...cycle,
    isUnderWay: true,
    isAsked: false,
    startedAt: now,
    previousStartedAt: cycle.lastCompletedAt === undefined ? undefined : cycle.startedAt,
    coveredThrough,
    requests: 0,
    removals: 0,
    compared: 0,
    unstamped: 0,
  };
}

/** How many groups of one cycle may be gone before that looks like another store. */
export function mostRemovals({ baseline }: Pick<Planned, 'baseline'>): number {
  return Math.max(MAX_REMOVALS, Math.floor(baseline.groups * MAX_REMOVAL_SHARE));
}

/** How long the walk over all groups pauses after so many requests, to keep to its share. */
export function pauseAfterRange(requests: number, { requestsPerMinute }: Pace): number {
  return Math.floor((requests * MINUTE) / (requestsPerMinute * SLOW_WALK_SHARE));
}
