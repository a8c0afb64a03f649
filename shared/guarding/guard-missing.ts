// Whether groups that are missing from a range may count as removed, or look like a fault: too many at once, or all
// known groups of a range.
import type { Instant } from '../instant.ts';
import { FEWEST_OF_EMPTY_RANGE } from '../limits.ts';
import type { Tier } from '../source/cycle-state.ts';
import type { SourceState } from '../source/source-state.ts';
import type { HoldSample } from './guarding-state.ts';
import { countForPermit, findHold, findPermit, holdBack, usePermit } from './holds.ts';
import { mostRemovals } from './most-removals.ts';

const GUARDS = ['groups_removed', 'known_range_empty'] as const;

export interface Missing {
  readonly tier: Tier;
  /** Where the range begins. */
  readonly from: Instant | undefined;
  /** How many known groups the range lacked. */
  readonly missing: number;
  /** Whether lists seem to hide the range, or the known groups after it. */
  readonly isHidden: boolean;
  readonly samples?: readonly HoldSample[];
}

/** Whether a range with known groups showed none of them. */
export function isKnownRangeEmpty({
  known,
  missing,
}: {
  readonly known: number;
  readonly missing: number;
}): boolean {
  return known >= FEWEST_OF_EMPTY_RANGE && missing === known;
}

/** Returns whether missing groups may be looked up, and the state that remembers what was found. */
export function admitMissing(
  state: SourceState,
  found: Missing,
  now: Instant,
): { readonly state: SourceState; readonly isAdmitted: boolean } {
  const { tier, missing: suspects, isHidden, from, samples } = found;
  const held = (guard: (typeof GUARDS)[number]) => {
    return { state: holdBack(state, { guard, tier, suspects, from, samples }, now), isAdmitted: false };
  };
  const standing = GUARDS.find((guard) => findHold(state, guard, tier) !== undefined);
  if (standing !== undefined) return held(standing);
  const permitted = permittedRemovals(state, tier);
  if (isHidden && suspects > permitted) return held('known_range_empty');
  const most = mostRemovals(state);
  if (suspects > most + permitted - state.reconciliation[tier].removals) return held('groups_removed');
  const mostOf = { groups_removed: most, known_range_empty: FEWEST_OF_EMPTY_RANGE - 1 };
  const counted = GUARDS.reduce(
    (next, guard) => countForPermit(next, { guard, tier, suspects }, isHidden ? 0 : mostOf[guard]),
    state,
  );
  // Another tier's walk may hold the same removals.
  return { state: counted, isAdmitted: !areRemovalsHeld(state) };
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
