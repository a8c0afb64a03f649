// Acknowledging a hold: what it holds is right, and is to be told. It names the hold by its number, so that an old
// command never releases what came later, nor what has grown to another size since. Doing it twice does nothing more.
import type { Instant } from '../instant.ts';
import { NO_LEASE } from '../pacing/lease.ts';
import type { CycleState, Hold, SourceState } from '../source/source-state.ts';
import { findPermit, replaceHold } from './holds.ts';

export type Release =
  /** The state to be saved, on the condition that nobody saved another one since. */
  | { readonly outcome: 'released'; readonly hold: Hold; readonly state: SourceState }
  | { readonly outcome: 'released_before'; readonly hold: Hold }
  /** It has ended by itself, was released and is over, or has become another one. */
  | { readonly outcome: 'over' }
  /** There never was a hold of that number. */
  | { readonly outcome: 'unknown' };

export function releaseHold(state: SourceState, number: number, now: Instant): Release {
  const { guarding } = state;
  const hold = guarding.holds.find((known) => known.number === number);
  if (hold === undefined) return { outcome: number <= guarding.lastNumber ? 'over' : 'unknown' };
  if (hold.releasedAt !== undefined) return { outcome: 'released_before', hold };
  return { outcome: 'released', hold, state: goOn(permit(state, hold, now), hold) };
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

/** The next tick is to go on at once: whoever is at work now is overtaken, and the cycle begins, or goes back. */
function goOn(state: SourceState, { guard, tier, from }: Hold): SourceState {
  const lease = { ...state.lease, expiresAt: NO_LEASE.expiresAt };
  if (guard === 'known_group_not_found') return { ...state, lease };
  const cycle: CycleState = state.reconciliation[tier];
  const { isUnderWay, coveredThrough } = cycle;
  const isBehind = from === undefined || coveredThrough === undefined;
  const asked: CycleState = {
    ...cycle,
    isAsked: true,
    pausedUntil: 0,
    removals: 0,
    compared: 0,
    unstamped: 0,
    coveredThrough: !isUnderWay ? coveredThrough : isBehind ? undefined : Math.min(coveredThrough, from),
  };
  return { ...state, lease, reconciliation: { ...state.reconciliation, [tier]: asked } };
}
