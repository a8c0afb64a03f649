// Saves compared readings: those without events in batches, the others each in a transaction with its events.
import type { Reading, Snapshot } from '../comparing/snapshot.ts';
import { type ComparedReading, hasEvents } from '../guarding/reading-guard.ts';
import { inParallel } from '../in-parallel.ts';
import { SAVES_AT_ONCE } from '../limits.ts';
import type { Save, SaveResult, SnapshotStore } from '../ports.ts';
import { TooLargeToStoreError } from './store-errors.ts';

export interface SaverOptions {
  readonly source: string;
  readonly generation: string;
  readonly store: Pick<SnapshotStore, 'save' | 'saveAll'>;
  readonly onSaved: (reading: Reading, snapshot: Snapshot | undefined) => void;
  /** Called before differences are saved. If it throws, none is. */
  readonly beforeSaves?: (() => Promise<void>) | undefined;
  /** Another process saved the group first. */
  readonly onOvertaken: (reading: Reading) => void;
  readonly onTooLarge: (error: TooLargeToStoreError) => void;
  readonly onEvents: (count: number) => void;
}

/** Returns a function that saves them; it resolves when no save is under way any more. */
export function createSaver(options: SaverOptions): (compared: readonly ComparedReading[]) => Promise<void> {
  const { store, source, generation, onSaved, onOvertaken, onTooLarge, onEvents } = options;

  async function saveSilent(all: readonly ComparedReading[]): Promise<void> {
    const silent = all.flatMap(({ reading, compared }) => {
      const only =
        compared.verdict === 'differs' && compared.saves.length === 1 ? compared.saves[0] : undefined;
      return only !== undefined && only.events.length === 0 ? [{ reading, save: only }] : [];
    });
    if (silent.length === 0) return;
    const results = await saveAll(silent.map(({ save }) => save));
    for (const { reading, save } of silent) {
      const result = results.get(save.snapshot.groupId);
      if (result === 'saved') onSaved(reading, save.snapshot);
      if (result === 'conflict') onOvertaken(reading);
    }
  }

  /** @returns the results by group, without those that are too large to store */
  async function saveAll(saves: readonly Omit<Save, 'events'>[]): Promise<Map<number, SaveResult>> {
    try {
      const results = await store.saveAll({ source, generation }, saves);
      return new Map(results.map((result, index) => [saves[index]?.snapshot.groupId ?? Number.NaN, result]));
    } catch (error) {
      if (!(error instanceof TooLargeToStoreError)) throw error;
      onTooLarge(error);
      const others = saves.filter(({ snapshot }) => snapshot.groupId !== error.groupId);
      if (others.length === saves.length) throw error;
      return others.length === 0 ? new Map() : saveAll(others);
    }
  }

  async function saveWithEvents({ reading, compared }: ComparedReading): Promise<void> {
    if (compared.verdict !== 'differs') return;
    const key = { source, generation, group: reading.projection.group.id };
    try {
      for (const save of compared.saves) {
        if ((await store.save(key, save)) === 'conflict') return onOvertaken(reading);
        onEvents(save.events.length);
      }
    } catch (error) {
      if (!(error instanceof TooLargeToStoreError)) throw error;
      return onTooLarge(error);
    }
    onSaved(reading, compared.saves.at(-1)?.snapshot);
  }

  return async (all) => {
    if (all.some(({ compared }) => compared.verdict === 'differs')) await options.beforeSaves?.();
    await saveSilent(all);
    const withEvents = all.filter(({ compared }) => hasEvents(compared));
    await inParallel(withEvents, SAVES_AT_ONCE, saveWithEvents);
  };
}
