// How many entities may be missing, or be published as removed, in the time of a cycle. With more, the service probably
// leaves them out of its answers. A removal takes two readings that lack the entity, so the guard sees too many at the
// first reading, before any is published. Only removals are held: the entities stay known as missing, and other changes
// of their groups are published.
import type { Instant } from '../instant.ts';
import type { SourceState } from '../source/source-state.ts';
import { countForPermit, findHold, findPermit, holdBack, usePermit } from './holds.ts';
import { mostRemovals } from './most-removals.ts';
import type { Absences } from './reading-guard.ts';

const GUARD = 'entities_removed';
/** Polls and all walks find missing entities; only a walk over all groups can show that there are none. */
const TIER = 'all';

export interface MetAbsences extends Absences {
  readonly now: Instant;
  /** A cycle's length, in the unit of Instant. */
  readonly cycle: number;
  /** Polls find the same entities repeatedly, so they add none to a hold that stands. */
  readonly through: 'poll' | 'reconciliation' | 'baseline';
}

/** Returns whether entities may be published as removed, and the state that remembers what was found. */
export function admitAbsences(
  state: SourceState,
  found: MetAbsences,
): { readonly state: SourceState; readonly isAdmitted: boolean } {
  const { removed, missing, now, through, samples } = found;
  if (findHold(state, GUARD) !== undefined) {
    const suspects = through === 'poll' ? 0 : removed + missing;
    return {
      state: holdBack(state, { guard: GUARD, tier: TIER, suspects, samples }, now),
      isAdmitted: false,
    };
  }
  const permit = findPermit(state, GUARD, TIER);
  if (permit !== undefined && permit.suspects >= removed) {
    return { state: usePermit(state, permit, removed), isAdmitted: true };
  }
  const counted = countIn(state.guarding.entities, found);
  const most = Math.max(counted.removed, counted.missing);
  if (most > mostRemovals(state)) {
    const suspicion = { guard: GUARD, tier: TIER, suspects: most, samples } as const;
    return { state: holdBack(state, suspicion, now), isAdmitted: false };
  }
  return { state: { ...state, guarding: { ...state.guarding, entities: counted } }, isAdmitted: true };
}

type Counted = SourceState['guarding']['entities'];

function countIn(known: Counted, { removed, missing, now, cycle }: MetAbsences): Counted {
  // A moment in the future comes from a wrong clock.
  const isOver = now >= known.since + cycle || known.since > now;
  if (isOver) return { since: now, removed, missing };
  return { since: known.since, removed: known.removed + removed, missing: known.missing + missing };
}

/**
 * Notes entities that a group still lacks: while there are any, a hold stands, and while there are too many, a permit
 * stays needed.
 */
export function noteStillMissing(
  state: SourceState,
  found: Pick<MetAbsences, 'missing' | 'now' | 'through' | 'samples'>,
): SourceState {
  const suspects = found.through === 'poll' ? 0 : found.missing;
  const suspicion = { guard: GUARD, tier: TIER, suspects, samples: found.samples } as const;
  if (findHold(state, GUARD) === undefined) return countForPermit(state, suspicion, mostRemovals(state));
  return holdBack(state, suspicion, found.now);
}
