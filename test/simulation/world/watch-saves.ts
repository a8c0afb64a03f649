// Calls observers after each save that the store accepted.
import type { Snapshot } from '../../../shared/comparing/snapshot.ts';
import type { SourceState } from '../../../shared/source/source-state.ts';
import type { Stores } from './stores.ts';

export function onSnapshotSaved(
  { snapshots }: Stores,
  note: (source: string, snapshot: Snapshot) => void,
): void {
  const { save, saveAll } = snapshots;
  snapshots.save = async (key, saved) => {
    const result = await save(key, saved);
    if (result === 'saved') note(key.source, saved.snapshot);
    return result;
  };
  snapshots.saveAll = async (source, saves) => {
    const results = await saveAll(source, saves);
    for (const [index, { snapshot }] of saves.entries()) {
      if (results[index] === 'saved') note(source.source, snapshot);
    }
    return results;
  };
}

export function onStateSaved({ states }: Stores, note: (state: SourceState) => void): void {
  const { save } = states;
  states.save = async (state, expectedVersion) => {
    const result = await save(state, expectedVersion);
    if (result === 'saved') note(state);
    return result;
  };
}
