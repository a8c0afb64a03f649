// Looks for an entity by its id in the snapshots of the groups that were created last. No table is indexed by entities,
// and the service has no filter for them, so this search is bounded and says where it ended.
import { keyOf } from '../../shared/comparing/change-set.ts';
import { entitiesOf, type Snapshot } from '../../shared/comparing/snapshot.ts';
import { chunked } from '../../shared/in-parallel.ts';
import type { SourceState } from '../../shared/source/source-state.ts';
import type { OpenFeed } from './open-feed.ts';

const MOST_GROUPS = 2_000;
/** Snapshots read at once. */
const READ_GROUPS = 100;

/**
 * @param text an entity's id, or its kind and id, for instance `shipment/77120`
 * @param most groups that are searched
 * @returns the entities, how many groups were searched, and whether these were all
 */
export async function findEntity(
  { lists, store }: Pick<OpenFeed, 'lists' | 'store'>,
  state: Pick<SourceState, 'source' | 'generation'>,
  text: string,
  most = MOST_GROUPS,
) {
  const ids = await lists.latestGroups(state, most);
  const isWhole = ids.length < most;
  let groups = 0;
  for (const some of chunked(ids, READ_GROUPS)) {
    const snapshots = await store.load(state, some);
    groups += snapshots.size;
    const found = [...snapshots.values()].flatMap((snapshot) => entitiesNamed(snapshot, text));
    if (found.length > 0) return { found, groups, isWhole };
  }
  return { found: [], groups, isWhole };
}

function entitiesNamed({ groupId, projection }: Snapshot, text: string) {
  return entitiesOf(projection)
    .filter((entity) => text === String(entity.id) || text === keyOf(entity))
    .map((entity) => ({ returnGroupId: groupId, entity: keyOf(entity) }));
}
