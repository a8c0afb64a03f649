// From a reading and a snapshot to what must be saved: nothing, a snapshot alone, or a snapshot with its events.
// A change set that is too large for one transaction goes out as several, each of them a true state: the old one
// plus exactly what its events tell. So a crash in between leaves an ordinary difference.
import type { Instant } from '../instant.ts';
import { MAX_EVENTS_PER_SAVE } from '../limits.ts';
import type { Save } from '../ports.ts';
import { applyChanges } from './apply-changes.ts';
import { announceGroup, type Comparison, findChanges, type KnownState } from './change-set.ts';
import type { Change } from './changes.ts';
import { type EventContext, makeEvent } from './make-event.ts';
import { saysTheSame } from './says-the-same.ts';
import { GROUP_ARRAYS, type GroupProjection, PROJECTION, type Reading, type Snapshot } from './snapshot.ts';
import { isNews, isSettled } from './take-reading.ts';

export interface CompareOptions extends Comparison {
  readonly source: string;
  readonly generation: string;
  /**
   * When the request was sent that last showed the group whole and unchanged, if that is remembered; never before
   * the snapshot's own reading.
   */
  readonly lastSeenAt?: Instant | undefined;
}

export type Compared =
  | { readonly verdict: 'unchanged' }
  /** Differs, but may be stale: to be read again later. */
  | { readonly verdict: 'left' }
  /** To be saved one after the other; the group is done with the last. */
  | { readonly verdict: 'differs'; readonly saves: readonly Save[] };

/** Compares a reading with the snapshot, which must have been loaded for this comparison. */
export function compareReading(
  snapshot: Snapshot | undefined,
  reading: Reading,
  options: CompareOptions,
): Compared {
  if (snapshot === undefined || snapshot.removedAt !== undefined)
    return meetGroup(snapshot, reading, options);
  // Most readings are no news, and this tells so in a fraction of the time.
  const asRead: KnownState = { projection: reading.projection, absences: {}, untold: {} };
  if (isSameState(snapshot, asRead, reading)) return { verdict: 'unchanged' };
  const { changes, next } = findChanges(snapshot, reading, options);
  if (isSameState(snapshot, next, reading)) return { verdict: 'unchanged' };
  if (!isNews(reading, snapshot, options.settle)) return { verdict: 'left' };
  const { projection, absences, untold } = snapshot;
  const told: KnownState = { projection, absences, untold };
  return { verdict: 'differs', saves: makeSaves(snapshot, told, changes, next, reading, options) };
}

/** A group that was never seen, or was told as removed and is back. */
function meetGroup(tombstone: Snapshot | undefined, reading: Reading, options: CompareOptions): Compared {
  // A newer stamp proves nothing here: the group may have got it, unseen, before it was removed.
  if (tombstone !== undefined && !isSettled(reading.sentAt, tombstone.receivedAt, options.settle))
    return { verdict: 'left' };
  const next: KnownState = { projection: reading.projection, absences: {}, untold: {} };
  const isAnnounced = tombstone !== undefined || options.announces(reading);
  const changes = isAnnounced ? announceGroup(reading.projection) : [];
  const nothingYet: KnownState = { projection: emptied(reading.projection), absences: {}, untold: {} };
  return { verdict: 'differs', saves: makeSaves(tombstone, nothingYet, changes, next, reading, options) };
}

/** Whether a save would change nothing that a later comparison looks at. */
function isSameState(snapshot: Snapshot, next: KnownState, reading: Reading): boolean {
  return (
    // An older stamp alone is no reason to go back.
    reading.updatedAt <= snapshot.updatedAt &&
    snapshot.projectionVersion === PROJECTION &&
    saysTheSame(snapshot.absences, next.absences) &&
    saysTheSame(next.absences, snapshot.absences) &&
    saysTheSame(snapshot.projection, withStampOf(snapshot.projection, next.projection))
  );
}

function withStampOf(
  { group: { updated_at } }: GroupProjection,
  projection: GroupProjection,
): GroupProjection {
  return { ...projection, group: { ...projection.group, updated_at } };
}

function makeSaves(
  snapshot: Snapshot | undefined,
  told: KnownState,
  changes: readonly Change[],
  next: KnownState,
  reading: Reading,
  options: CompareOptions,
): Save[] {
  const lastShown = snapshot && lastShownAt(snapshot, options.lastSeenAt);
  const context = contextOf(snapshot, lastShown, reading, options);
  const isWhole = showsAll(reading, told, next);
  const saves: Save[] = [];
  let version = snapshot?.version ?? 0;
  let sequence = snapshot?.sequence ?? 0;
  let state = told;
  for (let start = 0; start === 0 || start < changes.length; start += MAX_EVENTS_PER_SAVE) {
    const chunk = changes.slice(start, start + MAX_EVENTS_PER_SAVE);
    const isLast = start + MAX_EVENTS_PER_SAVE >= changes.length;
    state = isLast ? next : applyChanges(state, chunk);
    const from = sequence;
    const events = chunk.map((change, index) => makeEvent(change, from + index + 1, context));
    sequence += chunk.length;
    // What is left for later may have changed long before this was asked for, but not before there was a group.
    const sentAt =
      isLast && isWhole ? reading.sentAt : (lastShown ?? Math.min(reading.sentAt, reading.createdAt));
    saves.push({
      expectedVersion: version,
      events,
      snapshot: { ...makeSnapshot(version + 1, sequence, state, reading), sentAt },
    });
    version += 1;
  }
  return saves;
}

function makeSnapshot(version: number, sequence: number, state: KnownState, reading: Reading): Snapshot {
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
  lastShown: Instant | undefined,
  reading: Reading,
  { source, generation, settle }: CompareOptions,
): EventContext {
  const isFirstSight = snapshot === undefined || snapshot.removedAt !== undefined;
  const hasMoved = isFirstSight || reading.updatedAt > snapshot.updatedAt;
  return {
    source,
    generation,
    group: reading.projection.group,
    time: hasMoved ? reading.updatedAt : reading.receivedAt,
    after: isFirstSight || lastShown === undefined ? undefined : lastShown - settle,
    reading,
  };
}

/** Whether a reading has every array that was known before, and none of them lacks an entity. */
function showsAll(reading: Reading, told: KnownState, next: KnownState): boolean {
  const isLeftOut = (name: (typeof GROUP_ARRAYS)[number]) =>
    told.projection[name] !== undefined && reading.projection[name] === undefined;
  return Object.keys(next.absences).length === 0 && !GROUP_ARRAYS.some(isLeftOut);
}

/** When the request was sent that last showed a group as its snapshot tells. */
export function lastShownAt(snapshot: Snapshot, lastSeenAt: Instant | undefined): Instant {
  return Math.max(snapshot.sentAt, lastSeenAt ?? snapshot.sentAt);
}

/** The group's own fields with none of its entities told yet. */
function emptied(projection: GroupProjection): GroupProjection {
  const { group, ...arrays } = projection;
  return {
    group,
    return_line_items: arrays.return_line_items && [],
    shipments: arrays.shipments && [],
    exchange_line_items: arrays.exchange_line_items && [],
    refund_transactions: arrays.refund_transactions && [],
  };
}
