// Builds the message of a whole return. After a removal only the changes are left to tell, and after a `forget` only that.
import { isForgotten } from '../comparing/forget-group.ts';
import { makeEnvelope } from '../comparing/make-event.ts';
import type { Snapshot } from '../comparing/snapshot.ts';
import { wholeReturn } from '../comparing/whole-return.ts';
import type { FeedEvent } from '../contract/event.ts';
import { formatReturnId } from '../contract/event-id.ts';
import { type ChangeInShort, RETURN_CHANGED, type ReturnChanged } from '../contract/return-message.ts';
import type { GroupKey } from '../ports.ts';

/** The changes since the mark, or since a page begins. */
export interface ChangesSince {
  /** The newest ones. */
  readonly newest: readonly FeedEvent[];
  /** Whether there were more. */
  readonly isCut: boolean;
  readonly isNew: boolean;
}

/** A larger message is built without `previous_attributes`, and if that is not enough without `changes`. */
const MAX_MESSAGE_BYTES = 1024 * 1024;

export function makeReturnMessage(
  { source, generation }: Pick<GroupKey, 'source' | 'generation'>,
  snapshot: Snapshot,
  since: ChangesSince,
): ReturnChanged {
  const { groupId: group, sequence, removedAt, updatedAt } = snapshot;
  const known = isForgotten(snapshot)
    ? since.newest.filter(({ type }) => type === 'return_group.forgotten')
    : since.newest;
  const parts = { source, generation, group, sequence };
  const envelope = makeEnvelope(RETURN_CHANGED, `return-groups/${group}`, sequence, {
    ...parts,
    time: updatedAt,
  });
  const changes = known.map(inShort);
  const message: ReturnChanged = {
    ...envelope,
    id: formatReturnId(parts),
    type: RETURN_CHANGED,
    time: changes.at(-1)?.time ?? envelope.time,
    data: {
      generation,
      sequence,
      return_group: { id: group },
      return: removedAt === undefined ? wholeReturn(generation, snapshot) : null,
      is_new: since.isNew,
      changes,
      ...(since.isCut && { changes_cut: true }),
    },
  };
  return isTooLarge(message) ? cutToSize(message) : message;
}

function cutToSize(message: ReturnChanged): ReturnChanged {
  const changes = message.data.changes.map(({ previous_attributes: _, ...change }) => change);
  const shorter: ReturnChanged = { ...message, data: { ...message.data, changes, previous_cut: true } };
  if (!isTooLarge(shorter)) return shorter;
  return { ...shorter, data: { ...shorter.data, changes: [], changes_cut: true } };
}

function isTooLarge(message: ReturnChanged): boolean {
  return Buffer.byteLength(JSON.stringify(message)) > MAX_MESSAGE_BYTES;
}

function inShort({ id, type, time, data }: FeedEvent): ChangeInShort {
  const { id: objectId, platform_id: platformId } = data.object as Partial<Record<string, unknown>>;
  const named = objectId ?? platformId;
  return {
    ...{ id, type, time },
    object_id: named === undefined || named === null ? null : String(named),
    ...('changed' in data && { changed: data.changed, previous_attributes: data.previous_attributes }),
  };
}
