// Turns changes into saves. Changes that exceed one transaction become several saves, and each is a true state: the old
// one plus all that needs no event, and exactly the changes of its events. So a crash in between leaves an ordinary
// difference.
import type { Instant } from '../instant.ts';
import { CLOSED_FOR_SURE_AFTER, MAX_EVENTS_PER_SAVE } from '../limits.ts';
import type { Save } from '../ports.ts';
import { applyChanges } from './apply-changes.ts';
import type { ChangeSet, KnownState } from './change-set.ts';
import { fillIn } from './fill-in.ts';
import { type EventContext, makeEvent } from './make-event.ts';
import { GROUP_ARRAYS, PROJECTION, type Reading, type Snapshot } from './snapshot.ts';
import { isSettled } from './stale-reads.ts';

export interface SaveOptions {
  readonly source: string;
  readonly generation: string;
  /** How long a read may be stale, in the unit of Instant. */
  readonly settle: number;
  /**
   * When the request was sent that last showed the group whole and unchanged, if known; never before the snapshot's own
   * reading.
   */
  readonly lastSeenAt?: Instant | undefined;
}

/**
 * The saves that take a group from its published state to the reading, to be made one after the other.
 *
 * @param snapshot the stored snapshot; undefined for a new group
 * @param published the state that its events have published; empty for a group that is new or back
 */
export function makeSaves(
  snapshot: Snapshot | undefined,
  published: KnownState,
  found: ChangeSet,
  reading: Reading,
  options: SaveOptions,
): Save[] {
  const { changes, next } = found;
  const context = { ...contextOf(snapshot, reading, options), group: next.projection.group };
  const shownAt = lastShownWhole(snapshot, published, next, reading, options);
  const saves: Save[] = [];
  let version = snapshot?.version ?? 0;
  let sequence = snapshot?.sequence ?? 0;
  let state = fillIn(published, found);
  for (let start = 0; start === 0 || start < changes.length; start += MAX_EVENTS_PER_SAVE) {
    const chunk = changes.slice(start, start + MAX_EVENTS_PER_SAVE);
    const isLast = start + MAX_EVENTS_PER_SAVE >= changes.length;
    state = isLast ? next : applyChanges(state, chunk);
    const from = sequence;
    const events = chunk.map((change, index) => makeEvent(change, from + index + 1, context));
    sequence += chunk.length;
    saves.push({
      expectedVersion: version,
      events,
      snapshot: {
        ...makeSnapshot(version + 1, sequence, reading, state),
        sentAt: isLast ? shownAt.inTheEnd : shownAt.onTheWay,
      },
    });
    version += 1;
  }
  return saves;
}

/** When the request was sent that last showed a group as its snapshot has it. */
export function lastShownAt(snapshot: Snapshot, { lastSeenAt }: Pick<SaveOptions, 'lastSeenAt'>): Instant {
  return Math.max(snapshot.sentAt, lastSeenAt ?? snapshot.sentAt);
}

/** Whether a reading leaves out a known array, and so shows nothing of its entities. */
export function leavesOut(
  { projection: known }: Pick<Snapshot, 'projection'>,
  { projection: now }: Pick<Reading, 'projection'>,
): boolean {
  return GROUP_ARRAYS.some((name) => known[name] && !now[name]);
}

function makeSnapshot(version: number, sequence: number, reading: Reading, state: KnownState): Snapshot {
  return {
    groupId: reading.projection.group.id,
    version,
    sequence,
    projectionVersion: PROJECTION,
    updatedAt: reading.updatedAt,
    createdAt: reading.createdAt,
    sentAt: reading.sentAt,
    receivedAt: reading.receivedAt,
    ...state,
  };
}

function contextOf(
  snapshot: Snapshot | undefined,
  reading: Reading,
  options: SaveOptions,
): Omit<EventContext, 'group'> {
  const isFirstSight = snapshot === undefined || snapshot.removedAt !== undefined;
  const hasMoved = isFirstSight || reading.updatedAt > snapshot.updatedAt;
  return {
    source: options.source,
    generation: options.generation,
    time: hasMoved ? reading.updatedAt : reading.receivedAt,
    after: isFirstSight ? undefined : surelyBefore(snapshot, reading, options, hasMoved) - options.settle,
    reading,
  };
}

/**
 * When the request was sent that last showed the group as it was before the change. Without a newer stamp, a reading
 * that follows another by less than `settle` may be the older of the two. Then only the
 * saved reading is certain to be older than the change.
 */
function surelyBefore(
  snapshot: Snapshot,
  reading: Reading,
  options: SaveOptions,
  hasMoved: boolean,
): Instant {
  const shownAt = lastShownAt(snapshot, options);
  return hasMoved || isSettled(reading.sentAt, shownAt, options.settle) ? shownAt : snapshot.sentAt;
}

/**
 * When the request was sent that last showed all that a snapshot holds, for the last save and for those before it.
 * Changes that the earlier saves leave unpublished may be older than this reading. They happened after the last reading
 * or, if that lacked an array, after the group's creation.
 */
function lastShownWhole(
  snapshot: Snapshot | undefined,
  published: KnownState,
  next: KnownState,
  reading: Reading,
  options: SaveOptions,
): { readonly inTheEnd: Instant; readonly onTheWay: Instant } {
  const [before, now] = [published.projection, reading.projection];
  const isNew = snapshot === undefined || GROUP_ARRAYS.some((name) => !before[name] && now[name]);
  const shownBefore = snapshot === undefined ? reading.sentAt : lastShownAt(snapshot, options);
  const onTheWay = isNew ? Math.min(shownBefore, existsSince(reading)) : shownBefore;
  const lacksSomething = Object.keys(next.absences).length > 0 || leavesOut(published, reading);
  // After the last save, only what this reading lacks is unpublished, and the snapshot knew it before.
  return { inTheEnd: lacksSomething ? shownBefore : reading.sentAt, onTheWay };
}

/**
 * Since when a group may exist, by the service's Date. Stamps may differ from it by as much as any clock or zone, and an
 * old group does not show how much.
 */
function existsSince({ createdAt, sentAt }: Reading): Instant {
  return Math.min(createdAt, sentAt) - CLOSED_FOR_SURE_AFTER;
}
