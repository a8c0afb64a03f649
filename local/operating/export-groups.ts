// Each known return group as it was last published, for a consumer that starts with the present state.
import { asPublished } from '../../shared/comparing/change-set.ts';
import { entitiesOf, type Snapshot } from '../../shared/comparing/snapshot.ts';
import type { SnapshotStore } from '../../shared/ports.ts';

/** Snapshots read at once. */
const READ_GROUPS = 100;
/** All groups that were not removed, by their creation. */
export async function* exportGroups(
  store: Pick<SnapshotStore, 'load' | 'knownCreatedBetween'>,
  source: Parameters<SnapshotStore['load']>[0],
) {
  let portion: number[] = [];
  const [from, to] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  for await (const { groupId } of store.knownCreatedBetween(source, from, to)) {
    portion.push(groupId);
    if (portion.length < READ_GROUPS) continue;
    yield* exportSome(store, source, portion);
    portion = [];
  }
  yield* exportSome(store, source, portion);
}

async function* exportSome(
  store: Pick<SnapshotStore, 'load'>,
  source: Parameters<SnapshotStore['load']>[0],
  groups: readonly number[],
) {
  const snapshots = await store.load(source, groups);
  for (const group of groups) {
    const snapshot = snapshots.get(group);
    // A group may be removed or forgotten after it was listed.
    if (snapshot !== undefined && snapshot.removedAt === undefined)
      yield exportGroup(source.generation, snapshot);
  }
}

/**
 * `entities` are as in the events with the same fields; `sequence` is the number of the last one, 0 before the first.
 */
function exportGroup(generation: string, snapshot: Snapshot) {
  const { projection, sequence } = snapshot;
  const { group, refund_transactions } = projection;
  const watched = entitiesOf(projection);
  return {
    return_group: asPublished(group, snapshot),
    entities: [...watched.map((entity) => asPublished(entity, snapshot)), ...(refund_transactions ?? [])],
    generation,
    sequence,
  };
}
