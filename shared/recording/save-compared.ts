// Saves compared readings: those without events in batches, the others each in a transaction with its events.
import { type ComparedReading, hasEvents } from '../guarding/compared-reading.ts';
import { inParallel } from '../in-parallel.ts';
import { SAVES_AT_ONCE } from '../limits.ts';
import type { GroupKey, Save, SaveResult, SnapshotStore } from '../ports.ts';
import { TooLargeToStoreError } from './store-errors.ts';

export type SaveOutcome = SaveResult | TooLargeToStoreError;

/** Saves the readings that differ. @returns the outcome of each, by group */
export async function saveCompared(
  store: Pick<SnapshotStore, 'save' | 'saveAll'>,
  source: Pick<GroupKey, 'source' | 'generation'>,
  all: readonly ComparedReading[],
): Promise<Map<number, SaveOutcome>> {
  const outcomes = new Map<number, SaveOutcome>();
  const saves = all.flatMap(({ compared }) => (compared.verdict === 'differs' ? [compared] : []));
  await saveSilent(saves.filter((each) => !hasEvents(each)).map(({ save }) => save));
  const withEvents = saves.filter(hasEvents).map(({ save }) => save);
  await inParallel(withEvents, SAVES_AT_ONCE, async (save) => {
    const group = save.snapshot.groupId;
    outcomes.set(group, await store.save({ ...source, group }, save).catch(onTooLarge));
  });
  return outcomes;

  async function saveSilent(silent: readonly Save[]): Promise<void> {
    if (silent.length === 0) return;
    const results = await store.saveAll(source, silent).catch(onTooLarge);
    if (!(results instanceof TooLargeToStoreError)) {
      for (const [index, save] of silent.entries())
        outcomes.set(save.snapshot.groupId, results[index] ?? 'conflict');
      return;
    }
    const others = silent.filter(({ snapshot }) => snapshot.groupId !== results.groupId);
    if (others.length === silent.length) throw results;
    outcomes.set(results.groupId, results);
    await saveSilent(others);
  }
}

function onTooLarge(error: unknown): TooLargeToStoreError {
  if (error instanceof TooLargeToStoreError) return error;
  throw error;
}
