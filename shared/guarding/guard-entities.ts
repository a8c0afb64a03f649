// How many entities may be missing, or be told as removed, in the time of a cycle. More look like answers that leave
// them out. As a removal takes two readings that lack the entity, too many show with the first, before any is told.
// What is held is only that: the entities stay known as missing, and all else of their groups is told as ever.
import type { Instant } from '../instant.ts';
import { mostRemovals } from '../source/reconciliation-plan.ts';
import type { SourceState } from '../source/source-state.ts';
import { findHold, findPermit, holdBack, needPermit, usePermit } from './holds.ts';
import type { Absences } from './reading-guard.ts';

const GUARD = 'entities_removed';
/** Polls and all walks meet them; only a walk over everything can show that there are none. */
const TIER = 'all';

export interface MetAbsences extends Absences {
  readonly now: Instant;
  /** A cycle's length, in the unit of Instant. */
  readonly cycle: number;
  /** Polls meet the same ones again and again: they count what is held only where they are the first to. */
  readonly through: 'poll' | 'reconciliation' | 'baseline';
}

/** Whether entities may be told as removed, and the state that remembers what was met. */
export function admitAbsences(
  state: SourceState,
  met: MetAbsences,
): { readonly state: SourceState; readonly isAdmitted: boolean } {
  const { removed, missing, now, through } = met;
  if (findHold(state, GUARD) !== undefined) {
    const suspects = through === 'poll' ? 0 : removed + missing;
    return { state: holdBack(state, { guard: GUARD, tier: TIER, suspects }, now), isAdmitted: false };
  }
  const permit = findPermit(state, GUARD, TIER);
  if (permit !== undefined && permit.suspects >= removed) {
    return { state: usePermit(state, permit, removed), isAdmitted: true };
  }
  const counted = countIn(state.guarding.entities, met);
  const most = Math.max(counted.removed, counted.missing);
  if (most > mostRemovals(state)) {
    return { state: holdBack(state, { guard: GUARD, tier: TIER, suspects: most }, now), isAdmitted: false };
  }
  return { state: { ...state, guarding: { ...state.guarding, entities: counted } }, isAdmitted: true };
}

type Counted = SourceState['guarding']['entities'];

function countIn(known: Counted, { removed, missing, now, cycle }: MetAbsences): Counted {
  // A moment ahead of now was noted by a clock that was wrong.
  const isOver = now >= known.since + cycle || known.since > now;
  if (isOver) return { since: now, removed, missing };
  return { since: known.since, removed: known.removed + removed, missing: known.missing + missing };
}

/** Entities that a group still lacks: as long as there are such, what is held is not mended, and what was released is needed. */
export function noteStillMissing(
  state: SourceState,
  met: Pick<MetAbsences, 'missing' | 'now' | 'through'>,
): SourceState {
  if (findHold(state, GUARD) === undefined) return needPermit(state, GUARD, TIER);
  const suspects = met.through === 'poll' ? 0 : met.missing;
  return holdBack(state, { guard: GUARD, tier: TIER, suspects }, met.now);
}
