// A snapshot has notes of what was missing: the group, if a look-up did not find it, and entities that a reading
// lacked. Any row that shows the group removes the note of the group, and the notes of the entities that it shows.
import { keyOf } from '../comparing/change-set.ts';
import { absentSince, takeBackAbsence } from '../comparing/group-absence.ts';
import { entitiesOf, type Reading, type Snapshot } from '../comparing/snapshot.ts';
import type { Instant } from '../instant.ts';
import type { SnapshotStore } from '../ports.ts';

type Loaded = ReadonlyMap<number, Snapshot>;

/**
 * Saves what is shown, before anything else is decided: the row may be unreadable, the reading too stale to count, or a
 * guard may keep it back.
 *
 * @returns the snapshots after the saves; those of groups that another process saved first, as they were loaded
 */
export async function takeBackAbsences(
  loaded: Loaded,
  store: Pick<SnapshotStore, 'saveAll'>,
  source: Parameters<SnapshotStore['saveAll']>[0],
  readings: readonly Reading[],
): Promise<Loaded> {
  const noted = [...loaded.values()].filter(({ absences }) => Object.keys(absences).length > 0);
  if (noted.length === 0) return loaded;
  const byGroup = new Map(readings.map((reading) => [reading.projection.group.id, reading]));
  const saves = noted.flatMap((each) => {
    const snapshot = withoutShown(takeBackAbsence(each), byGroup.get(each.groupId));
    const isSame = Object.keys(snapshot.absences).length === Object.keys(each.absences).length;
    return isSame ? [] : [{ expectedVersion: each.version, snapshot }];
  });
  if (saves.length === 0) return loaded;
  const results = await store.saveAll(source, saves);
  // If another process saved a group first, its reading must conflict as well.
  const saved = saves.filter((_, index) => results[index] === 'saved');
  return new Map([...loaded, ...saved.map(({ snapshot }) => [snapshot.groupId, snapshot] as const)]);
}

/** A row that shows an entity may be stale: then its removal only comes later. */
function withoutShown(snapshot: Snapshot, reading: Reading | undefined): Snapshot {
  if (reading === undefined) return snapshot;
  const shown = new Set<string>(entitiesOf(reading.projection).map(keyOf));
  const absences = Object.entries(snapshot.absences).filter(([key]) => !shown.has(key));
  return { ...snapshot, absences: Object.fromEntries(absences) };
}

/** When the group was found absent, if it was. */
export function absenceOf(id: number | undefined, loaded: Loaded): Instant | undefined {
  const snapshot = id === undefined ? undefined : loaded.get(id);
  return snapshot && absentSince(snapshot);
}
