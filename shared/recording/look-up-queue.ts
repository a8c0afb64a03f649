// The groups to be looked up by their ids: those that a walk missed, those of which a reading was left as possibly stale,
// `settle` later, and those that answers show with a stamp before the known one. Pure; look-ups.ts is the lane.
import { MOST_LOOK_UPS } from '../guarding/removals.ts';
import type { Instant } from '../instant.ts';
import type { LookUp, SourceState } from '../source/source-state.ts';

/** Returns the state with a look-up of the group, unless there is no room. One that is known keeps its time. */
export function noteLookUp(state: SourceState, next: LookUp): SourceState {
  const { groupId, olderSince } = next;
  const known = state.lookUps.find((each) => each.groupId === groupId);
  if (known === undefined)
    return state.lookUps.length >= MOST_LOOK_UPS ? state : { ...state, lookUps: [...state.lookUps, next] };
  if (olderSince === undefined || known.olderSince !== undefined) return state;
  return {
    ...state,
    lookUps: state.lookUps.map((each) => (each === known ? { ...each, olderSince } : each)),
  };
}

/** Returns the state with the next look-up of a group whose last one decided nothing. */
export function noteLookUpAgain(state: SourceState, next: LookUp): SourceState {
  return { ...state, lookUps: [...state.lookUps.filter(({ groupId }) => groupId !== next.groupId), next] };
}

/** Since when answers show a group with a stamp before the known one, as far as it is looked up for that. */
export function olderSinceOf({ lookUps }: Pick<SourceState, 'lookUps'>, id: number): Instant | undefined {
  return lookUps.find(({ groupId }) => groupId === id)?.olderSince;
}

interface Shown {
  /** The groups that an answer shows: they are not absent. */
  readonly shown: ReadonlySet<number>;
  /** Those that it shows with the known stamp or a newer one. */
  readonly known: ReadonlySet<number>;
  /** The answer's time. */
  readonly at: Instant;
}

/** Returns the state after an answer. */
export function noteShown(state: SourceState, { shown, known, at }: Shown): SourceState {
  const isFound = ({ groupId, absentSince }: LookUp) => absentSince !== undefined && shown.has(groupId);
  const isBack = ({ groupId, olderSince = Number.POSITIVE_INFINITY }: LookUp) =>
    olderSince <= at && known.has(groupId);
  if (!state.lookUps.some((each) => isFound(each) || isBack(each))) return state;
  const lookUps = state.lookUps
    .filter((each) => !isBack(each))
    .map((each) => (isFound(each) ? { ...each, absentSince: undefined } : each));
  return { ...state, lookUps };
}
