// If walks do not find a group, its snapshot has a note of that (comparing/group-absence.ts). Any row that shows the
// group removes the note.
import { absentSince, takeBackAbsence } from '../comparing/group-absence.ts';
import type { Snapshot } from '../comparing/snapshot.ts';
import type { Instant } from '../instant.ts';
import type { SnapshotStore } from '../ports.ts';

type Loaded = ReadonlyMap<number, Snapshot>;

/**
 * Saves that the groups are shown, before anything else is decided: the row may be unreadable, and a guard may keep the
 * reading back.
 *
 * @returns the snapshots after the saves; those of groups that another process saved first, as they were loaded
 */
export async function takeBackAbsences(
  loaded: Loaded,
  store: Pick<SnapshotStore, 'saveAll'>,
  source: Parameters<SnapshotStore['saveAll']>[0],
): Promise<Loaded> {
  const absent = [...loaded.values()].filter((snapshot) => absentSince(snapshot) !== undefined);
  if (absent.length === 0) return loaded;
  const saves = absent.map((each) => ({ expectedVersion: each.version, snapshot: takeBackAbsence(each) }));
  const results = await store.saveAll(source, saves);
  // If another process saved a group first, its reading must conflict as well.
  const saved = saves.filter((_, index) => results[index] === 'saved');
  return new Map([...loaded, ...saved.map(({ snapshot }) => [snapshot.groupId, snapshot] as const)]);
}

/** When the group was found absent, if it was. */
export function absenceOf(id: number | undefined, loaded: Loaded): Instant | undefined {
  const snapshot = id === undefined ? undefined : loaded.get(id);
  return snapshot && absentSince(snapshot);
}
