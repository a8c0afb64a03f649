// Removes a group that the service no longer has: one event, and a tombstone that keeps the group's numbers
// permanently. A group that returns under the same id continues from them as created.
import type { Save } from '../ports.ts';
import { asPublished } from './change-set.ts';
import { makeEvent } from './make-event.ts';
import { lastShownAt, type SaveOptions } from './make-save.ts';
import type { Reading, Snapshot } from './snapshot.ts';
import { isSettled } from './stale-reads.ts';
import { makeTombstone } from './tombstone.ts';

/** The last of the look-ups by id that found nothing and together prove the removal. */
export type VainLookUp = Pick<Reading, 'sentAt' | 'receivedAt' | 'through'>;

/**
 * Returns the save that publishes a group as removed. The caller has proved it: two look-ups, `settle` apart, found
 * nothing.
 *
 * @returns undefined if the look-up may be too stale to contradict the snapshot: try again later
 * @throws RangeError for a tombstone
 */
export function removeGroup(snapshot: Snapshot, lookUp: VainLookUp, options: SaveOptions): Save | undefined {
  const { groupId, removedAt } = snapshot;
  if (removedAt !== undefined)
    throw new RangeError(`Group ${groupId} has only a tombstone: it was removed or forgotten.`);
  if (!isSettled(lookUp.sentAt, snapshot.receivedAt, options.settle)) return undefined;
  const { group } = snapshot.projection;
  const event = makeEvent({ verb: 'removed', object: asPublished(group, snapshot) }, snapshot.sequence + 1, {
    source: options.source,
    generation: options.generation,
    projection: snapshot.projection,
    time: lookUp.receivedAt,
    after: lastShownAt(snapshot, options) - options.settle,
    reading: { receivedAt: lookUp.receivedAt, through: lookUp.through },
  });
  return { expectedVersion: snapshot.version, events: [event], snapshot: bury(snapshot, lookUp) };
}

function bury(snapshot: Snapshot, { sentAt, receivedAt }: VainLookUp): Snapshot {
  const { sequence, updatedAt, createdAt, projection } = snapshot;
  const { group } = projection;
  const kept = { group, updatedAt, createdAt, sentAt, receivedAt };
  return makeTombstone(snapshot, { ...kept, sequence: sequence + 1, removedAt: receivedAt });
}
