// Whether each walk makes progress: one that does must not hide another that does not.
import { MILLISECOND } from '../instant.ts';
import { type Tier, withCycle } from '../source/cycle-state.ts';
import {
  hasWork,
  isPaused,
  keepsToShare,
  longestPause,
  plannedTiers,
} from '../source/reconciliation-plan.ts';
import type { TickRun } from './tick-run.ts';

/** Records which walks made progress in this tick. @returns whether each did, had nothing to do or pauses as planned */
export function noteWalks(run: TickRun): boolean {
  if (run.state.baseline.status === 'running') return run.walked.has('baseline');
  const { settings } = run.session;
  // Walks that ended in this tick count as well, even if they are no longer planned.
  const tiers = new Set([...plannedTiers(run.state, settings), ...run.walked].filter(isTier));
  return [...tiers].map((tier) => noteProgress(run, tier)).every(Boolean);
}

function isTier(walk: 'baseline' | Tier): walk is Tier {
  return walk !== 'baseline';
}

function noteProgress(run: TickRun, tier: Tier): boolean {
  const { settings, serviceClock } = run.session;
  const { reconciliation, lastSlot } = run.state;
  const cycle = reconciliation[tier];
  const now = lastSlot * MILLISECOND;
  const service = serviceClock.now().atLeast;
  const isNoted =
    run.walked.has(tier) || cycle.progressedAt === undefined || !hasWork(tier, run.state, settings, service);
  // A moment in the future comes from a wrong clock.
  const progressedAt = isNoted ? now : Math.min(cycle.progressedAt ?? now, now);
  run.update((state) => withCycle(state, tier, { ...cycle, progressedAt }));
  if (progressedAt === now) return true;
  const mayPause = keepsToShare(run.state, settings, tier) && isPaused(cycle, tier, settings, service);
  return mayPause && now - progressedAt <= longestPause(tier, settings);
}
