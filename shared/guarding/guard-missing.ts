// Whether groups that are missing from a range may count as gone, or look like a fault: too many at once, or all
// that are known of a range.
import type { Instant } from '../instant.ts';
import { FEWEST_OF_EMPTY_RANGE } from '../limits.ts';
import { mostRemovals, type Tier } from '../reconciliation-plan.ts';
import type { SourceState } from '../source-state.ts';
import { findHold, findPermit, holdBack, usePermit } from './holds.ts';

const GUARDS = ['groups_removed', 'known_range_empty'] as const;

export interface Missing {
  readonly tier: Tier;
  /** Where the range begins. */
  readonly from: Instant | undefined;
  /** How many groups are known of the range, and how many of them it lacked. */
  readonly known: number;
  readonly missing: number;
}

/** Whether a range that is known to hold groups answered with none of them. */
export function isKnownRangeEmpty({ known, missing }: Pick<Missing, 'known' | 'missing'>): boolean {
  return known >= FEWEST_OF_EMPTY_RANGE && missing === known;
}

/** The state with what is missing held, where it is too much; the same state where it may be looked for. */
export function holdMissing(state: SourceState, found: Missing, now: Instant): SourceState {
  const { tier, missing: suspects, from } = found;
  const isEmpty = isKnownRangeEmpty(found);
  if (areRemovalsHeld(state, tier)) {
    const guard =
      findHold(state, 'groups_removed', tier) === undefined ? 'known_range_empty' : 'groups_removed';
    return holdBack(state, { guard, tier, suspects, from }, now);
  }
  const permitted = permittedRemovals(state, tier);
  if (isEmpty && suspects > permitted) {
    return holdBack(state, { guard: 'known_range_empty', tier, suspects, from }, now);
  }
  const room = mostRemovals(state) + permitted - state.reconciliation[tier].removals;
  return suspects > room ? holdBack(state, { guard: 'groups_removed', tier, suspects, from }, now) : state;
}

/** Whether no group of a tier may be told as removed. */
export function areRemovalsHeld(state: SourceState, tier: Tier): boolean {
  return GUARDS.some((guard) => findHold(state, guard, tier) !== undefined);
}

/** How many groups may be told as removed because that was released. */
export function permittedRemovals(state: SourceState, tier: Tier): number {
  return GUARDS.reduce((sum, guard) => sum + (findPermit(state, guard, tier)?.suspects ?? 0), 0);
}

/** One of them was told as removed. @returns the state, and whether that took a permit */
export function useRemovalPermit(
  state: SourceState,
  tier: Tier,
): { state: SourceState; isPermitted: boolean } {
  const permit = GUARDS.map((guard) => findPermit(state, guard, tier)).find(
    (found) => found !== undefined && found.suspects > 0,
  );
  if (permit === undefined) return { state, isPermitted: false };
  return { state: usePermit(state, permit, 1), isPermitted: true };
}
