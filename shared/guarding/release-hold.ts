// Releases a hold: its findings are right and may be published. A hold is named by its number, so that an old command
// never releases a later hold, nor one that has grown to more than twice its size since. A second release changes
// nothing.
import type { Instant } from '../instant.ts';
import { NO_LEASE } from '../pacing/lease.ts';
import type { CycleState } from '../source/cycle-state.ts';
import type { SourceState } from '../source/source-state.ts';
import type { Hold } from './guarding-state.ts';
import { findPermit, replaceHold } from './holds.ts';

export type Release =
  /** The state to save, on condition that no other was saved since. */
  | { readonly outcome: 'released'; readonly hold: Hold; readonly state: SourceState }
  | { readonly outcome: 'released_before'; readonly hold: Hold }
  /** It ended by itself, was released and is no longer needed, or got another number. */
  | { readonly outcome: 'over' }
  /** There never was a hold with this number. */
  | { readonly outcome: 'unknown' };

export function releaseHold(state: SourceState, number: number, now: Instant): Release {
  const { guarding } = state;
  const hold = guarding.holds.find((known) => known.number === number);
  if (hold === undefined) return { outcome: number <= guarding.lastNumber ? 'over' : 'unknown' };
  if (hold.releasedAt !== undefined) return { outcome: 'released_before', hold };
  return { outcome: 'released', hold, state: actAtOnce(permit(state, hold, now), hold) };
}

function permit(state: SourceState, hold: Hold, now: Instant): SourceState {
  const before = findPermit(state, hold.guard, hold.tier);
  const without = before === undefined ? state : replaceHold(state, before, undefined);
  if (hold.guard === 'known_group_not_found') {
    const trusting = { ...without, guarding: { ...without.guarding, seenWith: hold.tokenHash } };
    return replaceHold(trusting, hold, { ...hold, releasedAt: now, isOverThreshold: true });
  }
  const suspects = hold.suspects + (before?.suspects ?? 0);
  return replaceHold(without, hold, { ...hold, suspects, releasedAt: now, isOverThreshold: true });
}

/** Makes the next tick act at once: it overtakes a tick under way, and the cycle begins or goes back. */
function actAtOnce(state: SourceState, { guard, tier, from }: Hold): SourceState {
  const lease = { ...state.lease, expiresAt: NO_LEASE.expiresAt };
  if (guard === 'known_group_not_found') return { ...state, lease };
  const cycle: CycleState = state.reconciliation[tier];
  const { isUnderWay, coveredThrough } = cycle;
  const beginsAnew = from === undefined || coveredThrough === undefined;
  const backTo = beginsAnew ? undefined : Math.min(coveredThrough, from);
  const goesOnFrom = isUnderWay ? backTo : coveredThrough;
  const asked: CycleState = {
    ...cycle,
    isAsked: true,
    isMovedBack: cycle.isMovedBack || goesOnFrom !== coveredThrough,
    pausedUntil: 0,
    removals: 0,
    compared: 0,
    unstamped: 0,
    coveredThrough: goesOnFrom,
  };
  return { ...state, lease, reconciliation: { ...state.reconciliation, [tier]: asked } };
}
