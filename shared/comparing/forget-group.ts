// A group of which nothing may be kept: what is left is a tombstone with its version and its last number, so that a
// group that returns goes on from there as created, and no number is ever given out twice.
import { formatInstant, type Instant } from '../instant.ts';
import type { Snapshot } from './snapshot.ts';
import { makeTombstone } from './tombstone.ts';

/** @param now by the local clock: what was asked for less than `settle` later does not bring the group back */
export function forgetGroup(snapshot: Snapshot, now: Instant): Snapshot {
  // When it was created and updated is forgotten as well; an update is news if it comes after this.
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

/** Whether nothing is left of it but its numbers: what was only removed keeps when it was created. */
export function isForgotten({ removedAt, createdAt }: Snapshot): boolean {
  return createdAt === removedAt;
}
