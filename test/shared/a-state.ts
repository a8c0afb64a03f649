// States of a source for tests: the first one, with changes.
import { type Position, UNKNOWN_POSITION } from '../../shared/position/position.ts';
import { firstState } from '../../shared/source/first-state.ts';
import { sourceSettings } from '../../shared/source/source-settings.ts';
import type { LaneState, SourceState } from '../../shared/source/source-state.ts';
import { VIRTUAL_START } from '../fakes/virtual-clock.ts';

export const SETTINGS = sourceSettings.parse({ name: 'acme', baseUrl: 'https://returns.example/api' });

/** The state of a source that began at {@link VIRTUAL_START}, or later changes of it. */
export function aState(changes: Partial<SourceState> = {}): SourceState {
  const first = firstState({ settings: SETTINGS, mintedIn: 'memory', mintedAt: VIRTUAL_START });
  return { ...first, ...changes };
}

/** A position of which nothing is known, with changes. */
export function aPosition(changes: Partial<Position> = {}): Position {
  return { ...UNKNOWN_POSITION, ...changes };
}

/** The lanes of a state, each with its changes. */
export function lanesWith(
  changes: Partial<Record<keyof SourceState['lanes'], Partial<LaneState>>>,
): SourceState['lanes'] {
  const { late, recent, older } = aState().lanes;
  return {
    late: { ...late, ...changes.late },
    recent: { ...recent, ...changes.recent },
    older: { ...older, ...changes.older },
  };
}
