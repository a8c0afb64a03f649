// How many groups and entities may be removed in the time of a walk. With more, the service probably leaves them out of
// its answers: their removals are held until they are shown again, or an operator releases the hold.
import type { Instant } from '../instant.ts';
import type { SourceState } from '../source/source-state.ts';
import type { HoldSample } from './hold.ts';
import { endHold, findHold, holdBack } from './holds.ts';

const MOST_AT_ONCE = 20;
const MOST_SHARE = 0.01;
/** Groups that wait to be looked up. */
export const MOST_LOOK_UPS = 500;

/** How many groups are known, by the last walks. */
export function knownGroups({ lanes }: Pick<SourceState, 'lanes'>): number {
  return lanes.recent.groups + lanes.older.groups;
}

/** Whether so many groups or entities are too many to be removed, or to come into being, in the time of a walk. */
export function isTooMany(state: Pick<SourceState, 'lanes'>, count: number): boolean {
  return count > Math.max(MOST_AT_ONCE, MOST_SHARE * knownGroups(state));
}

/**
 * Returns whether so many more removals are admitted, and the state that counts them.
 *
 * @param total removals in the time of this walk, these included
 */
export function admitRemovals(
  state: SourceState,
  total: number,
  samples: readonly HoldSample[],
  now: Instant,
): { readonly state: SourceState; readonly isAdmitted: boolean } {
  const hold = findHold(state, 'removals');
  if (hold !== undefined && hold.phase !== 'holding') return { state, isAdmitted: true };
  // More can't be looked up.
  if (hold === undefined && !isTooMany(state, total) && total <= MOST_LOOK_UPS)
    return { state, isAdmitted: true };
  return { state: holdBack(state, { kind: 'removals', count: total, samples }, now), isAdmitted: false };
}

/** Returns the state after a walk: if it and the other lane's walks missed few groups, the others are shown again. */
export function endRemovalsHold(state: SourceState): SourceState {
  const hold = findHold(state, 'removals');
  const { recent, older } = state.lanes;
  const missing = missingOf(recent) + missingOf(older) + state.removals;
  return hold?.phase === 'holding' && !isTooMany(state, missing) ? endHold(state, 'removals') : state;
}

/** Of the last walk, or of the present one if that already misses more. */
function missingOf({ missing, round }: SourceState['lanes']['recent']): number {
  return Math.max(missing, round?.missing ?? 0);
}
