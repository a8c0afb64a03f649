// How many entities may be told as removed in the time of a cycle. More look like answers that leave them out. What
// is held is only that: the entities stay known as missing, and all else of their groups is told as ever.
import type { Instant } from '../instant.ts';
import { mostRemovals } from '../reconciliation-plan.ts';
import type { SourceState } from '../source-state.ts';
import { findHold, findPermit, holdBack, usePermit } from './holds.ts';

const GUARD = 'entities_removed';
/** Polls and all walks meet them; only a walk over everything can show that there are none. */
const TIER = 'all';

export interface EntityRemovals {
  /** How many entities of one group. */
  readonly entities: number;
  readonly now: Instant;
  /** A cycle's length, in the unit of Instant. */
  readonly cycle: number;
  /** Polls meet the same ones again and again: they count what is held only when they are the first to. */
  readonly through: 'poll' | 'reconciliation' | 'baseline';
}

/** Whether they may be told, and the state that remembers it. */
export function admitRemovals(
  state: SourceState,
  { entities, now, cycle, through }: EntityRemovals,
): { readonly state: SourceState; readonly isAdmitted: boolean } {
  const held = { guard: GUARD, tier: TIER, suspects: entities } as const;
  if (findHold(state, GUARD) !== undefined) {
    const suspects = through === 'poll' ? 0 : entities;
    return { state: holdBack(state, { ...held, suspects }, now), isAdmitted: false };
  }
  const permit = findPermit(state, GUARD, TIER);
  if (permit !== undefined && permit.suspects >= entities) {
    return { state: usePermit(state, permit, entities), isAdmitted: true };
  }
  const { since, removed } = state.guarding.entities;
  // A moment ahead of now was noted by a clock that was wrong.
  const isOver = now >= since + cycle || since > now;
  const count = (isOver ? 0 : removed) + entities;
  if (count > mostRemovals(state)) return { state: holdBack(state, held, now), isAdmitted: false };
  const counted = { since: isOver ? now : since, removed: count };
  return { state: { ...state, guarding: { ...state.guarding, entities: counted } }, isAdmitted: true };
}
