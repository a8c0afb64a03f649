// The absence of a whole group: the first look-up in vain is kept in the group's snapshot, where the second finds it.
// A reading that shows the group takes it back by itself; a row that cannot be read shows the group as well.
import type { Snapshot } from '../comparing/snapshot.ts';
import type { Instant } from '../instant.ts';
import type { Page } from '../reading/page.ts';
import type { TickRun } from './tick-run.ts';

/** When the group was first looked for in vain; undefined where it was shown since. */
export function absentSince({ absences, groupId }: Snapshot): Instant | undefined {
  return absences[absenceKey(groupId)];
}

/** The snapshot with the first look-up in vain. */
export function noteAbsence(snapshot: Snapshot, { receivedAt }: Page): Snapshot {
  const absences = { ...snapshot.absences, [absenceKey(snapshot.groupId)]: receivedAt };
  return { ...snapshot, version: snapshot.version + 1, absences };
}

/** Takes the absence of a looked-up group back if the page shows it unreadable: the recorder only does so for readings. */
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

/** Whether the page of a look-up shows the group so that it can be read. */
export function isReadable({ rows }: Page): boolean {
  return rows.some(({ kind }) => kind === 'readable');
}

function absenceKey(groupId: number): string {
  return `return_group/${groupId}`;
}
