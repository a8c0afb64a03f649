// Turns the changes of one reading into one save: the next snapshot with all its events.
import type { Instant } from '../instant.ts';
import type { Save } from '../ports.ts';
import type { ChangeSet } from './change-set.ts';
import { digestOf } from './digest.ts';
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

/** @param snapshot the stored snapshot; undefined for a new group */
export function makeSave(
  snapshot: Snapshot | undefined,
  { changes, next }: ChangeSet,
  reading: Reading,
  options: SaveOptions,
): Save {
  const sequence = snapshot?.sequence ?? 0;
  const context = { ...contextOf(snapshot, reading, options), projection: next.projection };
  const isWhole = Object.keys(next.absences).length === 0;
  const showsAll = isWhole && !(snapshot && leavesOut(snapshot, reading));
  return {
    expectedVersion: snapshot?.version ?? 0,
    events: changes.map((change, index) => makeEvent(change, sequence + index + 1, context)),
    snapshot: {
      groupId: reading.projection.group.id,
      version: (snapshot?.version ?? 0) + 1,
      sequence: sequence + changes.length,
      projectionVersion: PROJECTION,
      updatedAt: reading.updatedAt,
      createdAt: reading.createdAt,
      sentAt: snapshot === undefined || showsAll ? reading.sentAt : lastShownAt(snapshot, options),
      receivedAt: reading.receivedAt,
      ...(isWhole ? { digest: digestOf(reading.projection) } : {}),
      ...next,
    },
  };
}

/** When the request was sent that last showed a group as its snapshot has it. */
export function lastShownAt(snapshot: Snapshot, { lastSeenAt }: Pick<SaveOptions, 'lastSeenAt'>): Instant {
  return Math.max(snapshot.sentAt, lastSeenAt ?? snapshot.sentAt);
}

/** Whether a reading says nothing of something that the snapshot knows: of a list, an entity or a value. */
export function leavesOut(
  { projection: known }: Pick<Snapshot, 'projection'>,
  { projection: now }: Pick<Reading, 'projection'>,
): boolean {
  return (
    GROUP_ARRAYS.some((name) => known[name] && hasGap(known[name], now[name])) ||
    hasGap(known.group, now.group)
  );
}

function hasGap(known: unknown, seen: unknown): boolean {
  if (seen === undefined) return known !== null && known !== undefined;
  if (typeof seen !== 'object' || seen === null) return false;
  if (!Array.isArray(seen)) {
    const values = (known ?? {}) as Readonly<Record<string, unknown>>;
    return Object.entries(seen).some(([name, value]) => hasGap(values[name], value));
  }
  if (seen.includes(undefined)) return true;
  const byId = new Map(
    (known as { readonly id?: unknown }[] | undefined)?.map((entity) => [entity.id, entity]),
  );
  return seen.some((entity: { readonly id?: unknown }) => hasGap(byId.get(entity.id), entity));
}

function contextOf(
  snapshot: Snapshot | undefined,
  reading: Reading,
  options: SaveOptions,
): Omit<EventContext, 'projection'> {
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
 * that follows another by less than `settle` may be the older of the two. Then only the saved reading is certain to be
 * older than the change.
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
