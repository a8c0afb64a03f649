// The groups to be looked up by their ids: those that a walk missed, and those of which a reading was left as possibly
// stale, `settle` later. Pure; look-ups.ts is the lane.
import { MOST_LOOK_UPS } from '../guarding/removals.ts';
import type { LookUp, SourceState } from '../source/source-state.ts';

/** Returns the state with a look-up of the group, unless there is one or no room. */
export function noteLookUp(
  state: SourceState,
  { groupId, dueAt, isMissing }: Pick<LookUp, 'groupId' | 'dueAt' | 'isMissing'>,
): SourceState {
  const isKnown = state.lookUps.some((lookUp) => lookUp.groupId === groupId);
  if (isKnown || state.lookUps.length >= MOST_LOOK_UPS) return state;
  return { ...state, lookUps: [...state.lookUps, { groupId, dueAt, isMissing }] };
}

/** Returns the state after an answer that shows these groups: they are not absent. */
export function noteShown(state: SourceState, shown: ReadonlySet<number>): SourceState {
  const isRefuted = ({ groupId, absentSince }: SourceState['lookUps'][number]) =>
    absentSince !== undefined && shown.has(groupId);
  if (!state.lookUps.some(isRefuted)) return state;
  const lookUps = state.lookUps.map((each) => (isRefuted(each) ? { ...each, absentSince: undefined } : each));
  return { ...state, lookUps };
}
