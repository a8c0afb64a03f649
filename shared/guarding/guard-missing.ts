// Whether groups that are missing from a range may count as removed, or look like a fault: too many at once, or all
// known groups of a range.
import type { Instant } from '../instant.ts';
import { FEWEST_OF_EMPTY_RANGE } from '../limits.ts';
import { mostRemovals } from '../source/reconciliation-plan.ts';
import type { SourceState, Tier } from '../source/source-state.ts';
import type { HoldSample } from './guarding-state.ts';
import { findHold, findPermit, holdBack, needPermit, usePermit } from './holds.ts';

const GUARDS = ['groups_removed', 'known_range_empty'] as const;

export interface Missing {
  readonly tier: Tier;
  /** Where the range begins. */
  readonly from: Instant | undefined;
  /** How many groups are known of the range, and how many of them it lacked. */
  readonly known: number;
  readonly missing: number;
  /**
   * How many of these the cycle has counted before, in a tick that was cut off.
   *
   * @default 0
   */
  readonly counted?: number;
  readonly samples?: readonly HoldSample[];
}

/** Whether a range with known groups showed none of them. */
export function isKnownRangeEmpty({ known, missing }: Pick<Missing, 'known' | 'missing'>): boolean {
  return known >= FEWEST_OF_EMPTY_RANGE && missing === known;
}

/** Returns whether missing groups may be looked up, and the state that remembers what was found. */
export function admitMissing(
  state: SourceState,
  found: Missing,
  now: Instant,
): { readonly state: SourceState; readonly isAdmitted: boolean } {
  const { tier, missing: suspects, counted = 0, from, samples } = found;
  const standing = GUARDS.map((guard) => findHold(state, guard, tier)).find((hold) => hold !== undefined);
  const permitted = permittedRemovals(state, tier);
  const met = suspects + (standing?.met ?? 0);
  const isEmpty = isKnownRangeEmpty(found) && suspects > permitted;
  // A later walk may read what is hidden together with groups that are shown.
  const isStillHidden = standing?.guard === 'known_range_empty' && met >= FEWEST_OF_EMPTY_RANGE;
  const room = mostRemovals(state) + permitted - state.reconciliation[tier].removals;
  const isOverThreshold = isEmpty || isStillHidden || met - counted > room;
  if (standing !== undefined || isOverThreshold) {
    // While a hold stands, a few are held as well, but do not renew it.
    const guard = standing?.guard ?? (isEmpty ? 'known_range_empty' : 'groups_removed');
    const suspicion = { guard, tier, suspects, isOverThreshold, from, samples };
    return { state: holdBack(state, suspicion, now), isAdmitted: false };
  }
  // Another tier's walk holds removals: perhaps these.
  if (areRemovalsHeld(state)) return { state, isAdmitted: false };
  return { state: GUARDS.reduce((next, guard) => needPermit(next, guard, tier), state), isAdmitted: true };
}

/** Whether removals of groups are held, whichever walk found them. */
export function areRemovalsHeld(state: SourceState): boolean {
  return GUARDS.some((guard) => findHold(state, guard) !== undefined);
}

/** How many groups may be published as removed because a hold was released. */
export function permittedRemovals(state: SourceState, tier: Tier): number {
  return GUARDS.reduce((sum, guard) => sum + (findPermit(state, guard, tier)?.suspects ?? 0), 0);
}

/** Returns the state with one of the permitted removals used. */
export function useRemovalPermit(state: SourceState, tier: Tier): SourceState {
  const permits = GUARDS.map((guard) => findPermit(state, guard, tier));
  const permit = permits.find((found) => found !== undefined && found.suspects > 0);
  return permit === undefined ? state : usePermit(state, permit, 1);
}
