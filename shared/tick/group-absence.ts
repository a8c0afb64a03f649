// The absence of a whole group. The first look-up that does not find it is noted in its snapshot, for the second one. A
// reading that shows the group clears the note; a row that cannot be read shows the group as well.
import type { Snapshot } from '../comparing/snapshot.ts';
import type { Instant } from '../instant.ts';
import type { Page } from '../reading/page.ts';
import type { TickRun } from './tick-run.ts';

/** When a look-up first did not find the group; undefined if it was shown since. */
export function absentSince({ absences, groupId }: Snapshot): Instant | undefined {
  return absences[absenceKey(groupId)];
}

/** Returns the snapshot with a note of the first look-up that did not find the group. */
export function noteAbsence(snapshot: Snapshot, { receivedAt }: Page): Snapshot {
  const absences = { ...snapshot.absences, [absenceKey(snapshot.groupId)]: receivedAt };
  return { ...snapshot, version: snapshot.version + 1, absences };
}

/** Clears the absence of a group that the page shows as unreadable; the recorder does so for readable rows. */
export async function takeBackAbsence(run: TickRun, groupId: number, page: Page): Promise<void> {
  if (isReadable(page)) return;
  const { store, settings, memory } = run.session;
  const source = { source: settings.name, generation: run.state.generation };
  const snapshot = (await store.load(source, [groupId])).get(groupId);
  if (snapshot === undefined || absentSince(snapshot) === undefined) return;
  const { [absenceKey(groupId)]: _, ...absences } = snapshot.absences;
  const shown = { ...snapshot, version: snapshot.version + 1, absences };
  await store.saveAll(source, [{ expectedVersion: snapshot.version, snapshot: shown }]);
  memory.forget(groupId);
}

/** Whether the page of a look-up shows the group in a readable row. */
export function isReadable({ rows }: Page): boolean {
  return rows.some(({ kind }) => kind === 'readable');
}

function absenceKey(groupId: number): string {
  return `return_group/${groupId}`;
}
