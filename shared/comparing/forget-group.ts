// Forgets a group: only a tombstone with its version and its last number stays. So a group that returns continues from
// there as created, and no number is ever used twice. One event, which has only the group's id, lets subscribers erase
// the group as well.
import type { EventOf } from '../contract/event.ts';
import { formatInstant, type Instant } from '../instant.ts';
import type { GroupKey, Save } from '../ports.ts';
import { makeEnvelope } from './make-event.ts';
import type { Snapshot } from './snapshot.ts';
import { makeTombstone } from './tombstone.ts';

/**
 * Returns the save that replaces a snapshot by a tombstone.
 *
 * @param now by the local clock: an answer requested less than `settle` later does not bring the group back
 * @param publishes whether with an event
 */
export function forgetGroup(
  snapshot: Snapshot,
  { source, generation }: Pick<GroupKey, 'source' | 'generation'>,
  now: Instant,
  publishes: boolean,
): Save {
  const { version, groupId, sequence } = snapshot;
  const tombstone = forgottenSnapshot(snapshot, now);
  if (!publishes) return { expectedVersion: version, events: [], snapshot: tombstone };
  const next = sequence + 1;
  const context = { source, generation, group: groupId, time: now };
  const event: EventOf<typeof FORGOTTEN> = {
    ...makeEnvelope(FORGOTTEN, `return-groups/${groupId}`, next, context),
    type: FORGOTTEN,
    data: {
      generation,
      sequence: next,
      return_group: { id: groupId },
      object: { type: 'return_group', id: groupId },
      observed: { after: null, by: formatInstant(now), through: 'command' },
    },
  };
  return { expectedVersion: version, events: [event], snapshot: { ...tombstone, sequence: next } };
}

export const FORGOTTEN = 'return_group.forgotten';

function forgottenSnapshot(snapshot: Snapshot, now: Instant): Snapshot {
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
