import type { Instant } from '../instant.ts';
import type { SourceState } from '../source/source-state.ts';
import { setBack } from './position.ts';

/** Returns the state whose polls read from a stamp again; a round under way, which began later, begins anew. */
export function setBackPolls(state: SourceState, to: Instant, now: Instant): SourceState {
  const { late } = state.lanes;
  return {
    ...state,
    position: setBack(state.position, to, now),
    lanes: { ...state.lanes, late: { ...late, round: undefined } },
  };
}
