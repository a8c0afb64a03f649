// The process's memory of what the service last showed of each group, so that an unchanged group is not loaded again.
import { lastShownAt, leavesOut } from '../comparing/make-saves.ts';
import { fingerprintOf, type Memory, type Remembered } from '../comparing/memory.ts';
import type { Reading, Snapshot } from '../comparing/snapshot.ts';
import type { Instant } from '../instant.ts';

export interface ShownGroups {
  recall(groupId: number): Remembered | undefined;
  /** Whether the memory shows that the reading differs in nothing; then notes when it was read. */
  isUnchanged(reading: Reading): boolean;
  /** Remembers a reading that was saved as this snapshot. */
  remember(reading: Reading, snapshot: Snapshot | undefined): void;
  /** Keeps the memory of an unchanged group. */
  rememberAgain(reading: Reading, snapshot: Snapshot | undefined): void;
  forget(groupId: number): void;
}

/** @param isTrusted if false, it recalls nothing, but still forgets the groups that are saved */
export function createShownGroups(memory: Memory, isTrusted: boolean): ShownGroups {
  const recall = (groupId: number) => (isTrusted ? memory.recall(groupId) : undefined);

  function note(reading: Reading, snapshot: Snapshot | undefined, lastSeenAt: Instant | undefined): void {
    if (snapshot === undefined) return;
    const hasMissing = Object.keys(snapshot.absences).length > 0;
    const { id } = reading.projection.group;
    // The memory keeps what the service showed; the snapshot may keep an entity that this reading lacks.
    if (hasMissing || !isTrusted) {
      memory.forget(id);
      return;
    }
    const showsAll = !leavesOut(snapshot, reading);
    const sentAt = showsAll ? reading.sentAt : lastShownAt(snapshot, { lastSeenAt });
    memory.remember(id, { fingerprint: fingerprintOf(reading.projection), sentAt, showsAll });
  }

  return {
    recall,
    isUnchanged({ projection, sentAt }) {
      const known = recall(projection.group.id);
      if (known === undefined || known.fingerprint !== fingerprintOf(projection)) return false;
      memory.remember(projection.group.id, known.showsAll ? { ...known, sentAt } : known);
      return true;
    },
    remember: (reading, snapshot) => note(reading, snapshot, undefined),
    rememberAgain: (reading, snapshot) =>
      note(reading, snapshot, recall(reading.projection.group.id)?.sentAt),
    forget: (groupId) => memory.forget(groupId),
  };
}
