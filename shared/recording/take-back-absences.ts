// If walks do not find a group, its snapshot has a note of that (comparing/group-absence.ts). Any row that shows the
// group removes the note.

import { keyOf } from '../comparing/change-set.ts';
import { absentSince, takeBackAbsence } from '../comparing/group-absence.ts';
import { entitiesOf, type Reading, type Snapshot } from '../comparing/snapshot.ts';
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
  readings: readonly Reading[],
): Promise<Loaded> {
  const shown = new Map(
    readings.map(({ projection }) => [projection.group.id, new Set(entitiesOf(projection).map(keyOf))]),
  );
  const saves = [...loaded.values()].flatMap((each) => {
    const taken = withoutShown(takeBackAbsence(each), shown.get(each.groupId) ?? new Set());
    const isSame = Object.keys(taken.absences).length === Object.keys(each.absences).length;
    return isSame ? [] : [{ expectedVersion: each.version, snapshot: taken }];
  });
  if (saves.length === 0) return loaded;
  const results = await store.saveAll(source, saves);
  // If another process saved a group first, its reading must conflict as well.
  const saved = saves.filter((_, index) => results[index] === 'saved');
  return new Map([...loaded, ...saved.map(({ snapshot }) => [snapshot.groupId, snapshot] as const)]);
}

/** An entity that a row shows is not missing, even if the row may be stale: then its removal only comes later. */
function withoutShown(snapshot: Snapshot, shown: ReadonlySet<string>): Snapshot {
  const absences = Object.entries(snapshot.absences).filter(([key]) => !shown.has(key));
  return { ...snapshot, absences: Object.fromEntries(absences) };
}

/** When the group was found absent, if it was. */
export function absenceOf(id: number | undefined, loaded: Loaded): Instant | undefined {
  const snapshot = id === undefined ? undefined : loaded.get(id);
  return snapshot && absentSince(snapshot);
}
