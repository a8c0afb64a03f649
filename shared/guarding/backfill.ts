// Groups that were created before the feed began and are seen for the first time after the baseline has read their part:
// they were imported, hidden or unreadable. Each is published as backfill, but many at once are held: a token may show
// more than before. Held groups are not stored, so every walk finds them again.

import type { Instant } from '../instant.ts';
import { walkedAt } from '../position/position.ts';
import type { SourceState } from '../source/source-state.ts';
import { endHold, findHold, holdBack } from './holds.ts';
import { isTooMany } from './removals.ts';

/**
 * Returns whether so many more groups are admitted, and the state that counts them.
 *
 * @param isCounted whether they count: polls find the same ones again and again while they are held
 */
export function admitBackfill(
  state: SourceState,
  count: number,
  isCounted: boolean,
  now: Instant,
): { readonly state: SourceState; readonly isAdmitted: boolean } {
  const hold = findHold(state, 'backfill');
  const isHolding = hold?.phase === 'holding';
  const backfilled = state.backfilled + (isCounted || !isHolding ? count : 0);
  const next = { ...state, backfilled };
  if (hold !== undefined && !isHolding) return { state: next, isAdmitted: true };
  if (!isHolding && !isTooMany(state, backfilled)) return { state: next, isAdmitted: true };
  return { state: holdBack(next, { kind: 'backfill', count }, now), isAdmitted: false };
}

/** Returns the state after a walk: the hold is over once walks over all groups have shown none of what it held. */
export function endBackfillHold(state: SourceState): SourceState {
  const hold = findHold(state, 'backfill');
  const isGone = hold?.phase === 'holding' && (walkedAt(state.position) ?? 0) > hold.phaseSince;
  return isGone ? endHold(state, 'backfill') : state;
}
