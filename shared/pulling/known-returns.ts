// The present state of the known returns of a source, in the order of their creation.

import type { Snapshot } from '../comparing/snapshot.ts';
import { wholeReturn } from '../comparing/whole-return.ts';
import type { WholeReturn } from '../contract/return-message.ts';
import type { Instant } from '../instant.ts';
import type { GroupKey, SnapshotStore } from '../ports.ts';

/** Snapshots read at once. */
export const READ_GROUPS = 100;

type Store = Pick<SnapshotStore, 'load' | 'knownCreatedBetween'>;
type Source = Pick<GroupKey, 'source' | 'generation'>;

/** A place in the order of the returns: behind this group. */
export interface ReturnPlace {
  readonly createdAt: Instant;
  readonly groupId: number;
}

/**
 * @param after undefined for the first page
 * @returns at most {@link READ_GROUPS} groups, each with its place; `next` is where to go on, undefined at the end
 */
export async function readReturns(
  store: Store,
  source: Source,
  after: ReturnPlace | undefined,
): Promise<{
  readonly groups: (ReturnPlace & { readonly whole: WholeReturn })[];
  readonly next?: ReturnPlace;
}> {
  const portion: ReturnPlace[] = [];
  const [from, to] = [after?.createdAt ?? Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  for await (const { createdAt, groupId } of store.knownCreatedBetween(source, from, to)) {
    if (after !== undefined && createdAt === from && groupId <= after.groupId) continue;
    portion.push({ createdAt, groupId });
    if (portion.length === READ_GROUPS) break;
  }
  const snapshots = await loadPresent(
    store,
    source,
    portion.map(({ groupId }) => groupId),
  );
  const places = new Map(portion.map((place) => [place.groupId, place]));
  const groups = snapshots.flatMap((snapshot) => {
    const place = places.get(snapshot.groupId);
    return place === undefined ? [] : [{ ...place, whole: wholeReturn(source.generation, snapshot) }];
  });
  const last = portion.at(-1);
  return { groups, ...(portion.length === READ_GROUPS && last !== undefined && { next: last }) };
}

/** The snapshots in the order given, without those of groups that were removed or forgotten since they were listed. */
export async function loadPresent(
  store: Pick<SnapshotStore, 'load'>,
  source: Source,
  groups: readonly number[],
): Promise<Snapshot[]> {
  const snapshots = await store.load(source, groups);
  return groups.flatMap((id) => {
    const snapshot = snapshots.get(id);
    return snapshot === undefined || snapshot.removedAt !== undefined ? [] : [snapshot];
  });
}
