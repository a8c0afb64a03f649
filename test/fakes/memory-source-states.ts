// Source states in memory.
import type { SourceStates } from '../../shared/ports.ts';
import type { SourceState } from '../../shared/source/source-state.ts';

export interface MemorySourceStates extends SourceStates {
  /** Acts like a restore into other tables, with these states from the backup. */
  moveTo(identity: string, backup?: readonly SourceState[]): void;
}

export function createMemorySourceStates(identity = 'memory'): MemorySourceStates {
  const states = new Map<string, SourceState>();
  let place = identity;
  return {
    load: async (source) => states.get(source),
    async save(state, expectedVersion) {
      if (state.version !== expectedVersion + 1) throw new RangeError(`State ${state.version} can't follow.`);
      if ((states.get(state.source)?.version ?? 0) !== expectedVersion) return 'conflict';
      states.set(state.source, state);
      return 'saved';
    },
    identity: async () => place,
    moveTo(identity, backup = []) {
      place = identity;
      for (const state of backup) states.set(state.source, state);
    },
  };
}
