// The absence of a whole group. The first look-up that does not find it is noted in its snapshot, for the second one. A
// saved reading clears the note, as with absent entities. Whatever else shows the group must clear it as well: a row that
// can't be read, or a reading that a guard keeps back.
import type { Instant } from '../instant.ts';
import type { Snapshot } from './snapshot.ts';

/** When a look-up first did not find the group; undefined if it was shown since. */
export function absentSince({
  absences,
  groupId,
}: Pick<Snapshot, 'absences' | 'groupId'>): Instant | undefined {
  return absences[absenceKey(groupId)];
}

/** Returns the snapshot with a note of the first look-up that did not find the group. */
export function noteAbsence(snapshot: Snapshot, receivedAt: Instant): Snapshot {
  const absences = { ...snapshot.absences, [absenceKey(snapshot.groupId)]: receivedAt };
  return { ...snapshot, version: snapshot.version + 1, absences };
}

/** Returns the snapshot without the note: the group was shown. */
export function takeBackAbsence(snapshot: Snapshot): Snapshot {
  const { [absenceKey(snapshot.groupId)]: _, ...absences } = snapshot.absences;
  return { ...snapshot, version: snapshot.version + 1, absences };
}

function absenceKey(groupId: number): string {
  return `return_group/${groupId}`;
}
