// Forgets a group: only a tombstone with its version and its last number stays. So a group that returns continues from
// there as created, and no number is ever used twice.
import { formatInstant, type Instant } from '../instant.ts';
import type { Snapshot } from './snapshot.ts';
import { makeTombstone } from './tombstone.ts';

/**
 * Returns the tombstone that replaces a snapshot.
 *
 * @param now by the local clock: an answer requested less than `settle` later does not bring the group back
 */
export function forgetGroup(snapshot: Snapshot, now: Instant): Snapshot {
  // The times of creation and update are forgotten as well: only a later update is newer than the tombstone.
  const stamp = formatInstant(now);
  return makeTombstone(snapshot, {
    sequence: snapshot.sequence,
    updatedAt: now,
    createdAt: now,
    sentAt: now,
    receivedAt: Math.max(now, snapshot.receivedAt),
    removedAt: now,
    group: {
      type: 'return_group',
      id: snapshot.groupId,
      created_at: stamp,
      updated_at: stamp,
      return_outcome: null,
      credit_method: null,
      return_method: null,
      order: { id: null, name: null, platform_id: null },
    },
  });
}

/** Whether only its numbers are left. A group that was merely removed keeps its time of creation. */
export function isForgotten({ removedAt, createdAt }: Snapshot): boolean {
  return createdAt === removedAt;
}
