// The first step from a group's published state to the next one: all that needs no event. Whether something is filled in
// depends on when the group was last read, so it is part of the first save: a process that finds the group half saved
// would otherwise publish it.
import { type ChangeSet, ENTITY_ARRAYS, type KnownState, keyOf } from './change-set.ts';
import type { Change, WatchedEntity } from './changes.ts';
import type { EntityKey, GroupProjection } from './snapshot.ts';

type Pending = ReadonlyMap<EntityKey, Change>;

/** Returns the published state with all of the next state that needs no event. */
export function fillIn(published: KnownState, { changes, next }: ChangeSet): KnownState {
  const pending = pendingOf(changes);
  const [before, after] = [published.projection, next.projection];
  const arrays = ENTITY_ARRAYS.map((name) => [name, fillInArray(before[name], after[name], pending)]);
  const groupChange = pending.get(keyOf(after.group));
  const hasRefunds = changes.some(({ object }) => object.type === 'refund_transaction');
  return {
    projection: {
      ...Object.fromEntries(arrays),
      group: groupChange === undefined ? after.group : fillInEntity(before.group, groupChange),
      refund_transactions: (hasRefunds ? before : after).refund_transactions,
    } as GroupProjection,
    absences: { ...next.absences, ...absencesOfRemoved(published, pending) },
    unpublished: { ...next.unpublished, ...unpublishedOf(published, pending) },
  };
}

function pendingOf(changes: readonly Change[]): Pending {
  return new Map(
    changes.flatMap((change) =>
      change.object.type === 'refund_transaction' ? [] : [[keyOf(change.object), change] as const],
    ),
  );
}

function fillInArray(
  before: readonly WatchedEntity[] | undefined,
  after: readonly WatchedEntity[] | undefined,
  pending: Pending,
): readonly WatchedEntity[] | undefined {
  const isPending = (entity: WatchedEntity) => pending.has(keyOf(entity));
  // The events of these entities show the array for the first time. It stays unknown until they are published.
  if (before === undefined && after?.some(isPending) === true) return undefined;
  const waiting = before?.flatMap((entity) => {
    const change = pending.get(keyOf(entity));
    return change === undefined ? [] : [fillInEntity(entity, change)];
  });
  return after && [...after.filter((entity) => !isPending(entity)), ...(waiting ?? [])];
}

function fillInEntity(entity: WatchedEntity, change: Change): WatchedEntity {
  const values = Object.entries(change.object).filter(([field]) => field in filledBy(change));
  return { ...entity, ...Object.fromEntries(values) };
}

function filledBy(change: Change): Readonly<Record<string, unknown>> {
  return 'filled' in change ? change.filled : {};
}

/** Only a removed entity keeps its absence: one that changed was shown again. */
function absencesOfRemoved({ absences }: KnownState, pending: Pending): KnownState['absences'] {
  return Object.fromEntries(Object.entries(absences).filter(([key]) => pending.get(key)?.verb === 'removed'));
}

function unpublishedOf({ unpublished }: KnownState, pending: Pending): KnownState['unpublished'] {
  const notes = [...pending].map(
    ([key, change]) => [key, { ...unpublished[key], ...filledBy(change) }] as const,
  );
  return Object.fromEntries(notes.filter(([, fields]) => Object.keys(fields).length > 0));
}
