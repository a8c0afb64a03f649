// Groups that were created before the feed began and are seen for the first time after the baseline has read their part:
// they were imported, hidden or unreadable. Each is published as backfill, but many at once are held: a token may show
// more than before. Held groups are not stored, so every walk finds them again.
import type { Reading } from '../comparing/snapshot.ts';
import { type Instant, SECOND } from '../instant.ts';
import { walkedAt } from '../position/position.ts';
import { EARLIEST, LATEST, type Range } from '../reading/range.ts';
import type { SourceState } from '../source/source-state.ts';
import type { ComparedReading } from './compared-reading.ts';
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

/** Whether the baseline has read the part in which a group was created: then its first sight is news. */
export function isReadByBaseline({ baselineAt, lanes }: SourceState, { createdAt }: Reading): boolean {
  if (baselineAt !== undefined) return true;
  const { round } = lanes.recent;
  // Bounds are sent a second wider.
  const isIn = ({ from = EARLIEST, to = LATEST }: Range) =>
    createdAt >= from - SECOND && createdAt < to + SECOND;
  return round !== undefined && !round.stack.some(isIn);
}

/** Whether a group that was created before the feed began is seen for the first time after the baseline. */
export function isFirstSeenLate({ snapshot, reading }: ComparedReading, state: SourceState): boolean {
  const { origin = Number.NEGATIVE_INFINITY } = state.position;
  return snapshot === undefined && reading.createdAt <= origin && isReadByBaseline(state, reading);
}

/** Returns the state after a walk: the hold is over once walks over all groups have shown none of what it held. */
export function endBackfillHold(state: SourceState): SourceState {
  const hold = findHold(state, 'backfill');
  const isGone = hold?.phase === 'holding' && (walkedAt(state.position) ?? 0) > hold.phaseSince;
  return isGone ? endHold(state, 'backfill') : state;
}
