// Whether a reading shows something new, and what must be saved then.
import type { Save } from '../ports.ts';
import { announceGroup, atFirstSight, type Comparison, findChanges, type KnownState } from './change-set.ts';
import { makeSave, type SaveOptions } from './make-save.ts';
import { saysTheSame } from './says-the-same.ts';
import {
  type GroupProjection,
  PROJECTION,
  type Reading,
  type ShownProjection,
  type Snapshot,
} from './snapshot.ts';
import { isNews, isOlder, isSettled } from './stale-reads.ts';

export interface CompareOptions extends Comparison, SaveOptions {
  /** Whether a stamp before the known one is proved to be news. @default false */
  readonly acceptsOlder?: boolean;
}

export type Compared =
  | { readonly verdict: 'unchanged' }
  /** Differs, but may be stale: a later read decides. */
  | { readonly verdict: 'left' }
  /** Differs, with a stamp before the known one: time decides. */
  | { readonly verdict: 'older'; readonly save: Save }
  | { readonly verdict: 'differs'; readonly save: Save };

/** Compares a reading with the snapshot, which must have been loaded for this comparison. */
export function compareReading(
  snapshot: Snapshot | undefined,
  reading: Reading,
  options: CompareOptions,
): Compared {
  if (snapshot === undefined || snapshot.removedAt !== undefined)
    return compareNewGroup(snapshot, reading, options);
  // Most readings show nothing new; this check finds that in a fraction of the time.
  if (isSameState(snapshot, { projection: reading.projection, absences: {} }, reading))
    return { verdict: 'unchanged' };
  const found = findChanges(snapshot, reading, options);
  if (isSameState(snapshot, found.next, reading)) return { verdict: 'unchanged' };
  if (isOlder(reading, snapshot) && !options.acceptsOlder)
    return { verdict: 'older', save: makeSave(snapshot, found, reading, options) };
  if (!isNews(reading, snapshot, options.settle)) return { verdict: 'left' };
  return { verdict: 'differs', save: makeSave(snapshot, found, reading, options) };
}

/** Compares a group that was never seen, or that is back after it was published as removed. */
function compareNewGroup(
  tombstone: Snapshot | undefined,
  reading: Reading,
  options: CompareOptions,
): Compared {
  // A newer stamp proves nothing here: the group may have got it, unseen, before it was removed.
  if (tombstone !== undefined && !isSettled(reading.sentAt, tombstone.receivedAt, options.settle))
    return { verdict: 'left' };
  const projection = atFirstSight(reading);
  const next: KnownState = { projection, absences: {}, unpublished: {} };
  // A group that is back came into being again.
  const isOld = tombstone === undefined && options.isOld(reading);
  const changes = isOld && !(options.announcesOld ?? options.emits) ? [] : announceGroup(projection, isOld);
  return { verdict: 'differs', save: makeSave(tombstone, { changes, next }, reading, options) };
}

/** Whether a save would change nothing that a later comparison looks at. */
function isSameState(
  snapshot: Snapshot,
  next: Pick<Reading, 'projection'> & Pick<KnownState, 'absences'>,
  reading: Reading,
): boolean {
  return (
    // An older stamp alone is no difference.
    reading.updatedAt <= snapshot.updatedAt &&
    snapshot.projectionVersion === PROJECTION &&
    saysTheSame(snapshot.absences, next.absences) &&
    saysTheSame(next.absences, snapshot.absences) &&
    saysTheSame(snapshot.projection, withStampOf(snapshot.projection, next.projection))
  );
}

function withStampOf(
  { group: { updated_at } }: GroupProjection,
  projection: ShownProjection,
): ShownProjection {
  return { ...projection, group: { ...projection.group, updated_at } };
}
