// Each known return group as it was last published, for a consumer that starts with the present state.
import { asPublished } from '../../shared/comparing/change-set.ts';
import { entitiesOf, type Snapshot } from '../../shared/comparing/snapshot.ts';
import { formatInstant, type Instant } from '../../shared/instant.ts';
import type { SnapshotStore } from '../../shared/ports.ts';

/** Snapshots read at once. */
const READ_GROUPS = 100;

export const EXPORTED_KINDS = [
  ...(['return_line_item', 'shipment', 'exchange_line_item', 'refund_transaction'] as const),
];

/** Conditions of an export. Without any, it has everything; with `types` or `statuses`, only entities that meet them. */
export interface ExportFilter {
  /** Only groups whose `updated_at` is not before. */
  readonly since?: Instant | undefined;
  readonly types?: readonly string[] | undefined;
  readonly statuses?: readonly string[] | undefined;
}

export type ExportedGroup = ReturnType<typeof exportGroup>;

/** The groups of a source by their creation, without the removed ones. */
export async function* exportGroups(
  store: Pick<SnapshotStore, 'load' | 'knownCreatedBetween'>,
  source: Parameters<SnapshotStore['load']>[0],
  filter: ExportFilter = {},
): AsyncGenerator<ExportedGroup> {
  let portion: number[] = [];
  const [from, to] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  for await (const { groupId } of store.knownCreatedBetween(source, from, to)) {
    portion.push(groupId);
    if (portion.length < READ_GROUPS) continue;
    yield* exportSome(store, source, portion, filter);
    portion = [];
  }
  yield* exportSome(store, source, portion, filter);
}

async function* exportSome(
  store: Pick<SnapshotStore, 'load'>,
  source: Parameters<SnapshotStore['load']>[0],
  groups: readonly number[],
  { since = Number.NEGATIVE_INFINITY, types, statuses }: ExportFilter,
) {
  const snapshots = await store.load(source, groups);
  for (const id of groups) {
    const snapshot = snapshots.get(id);
    // A group may be removed or forgotten after it was listed.
    if (snapshot === undefined || snapshot.removedAt !== undefined || snapshot.updatedAt < since) continue;
    const group = exportGroup(source.generation, snapshot);
    const entities = group.entities.filter(
      (entity) =>
        (types === undefined || types.includes(entity.type)) &&
        (statuses === undefined || ('status' in entity && statuses.includes(String(entity.status)))),
    );
    const isFiltered = types !== undefined || statuses !== undefined;
    if (!isFiltered || entities.length > 0) yield { ...group, entities };
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
    updated_at: formatInstant(snapshot.updatedAt),
    entities: [...watched.map((entity) => asPublished(entity, snapshot)), ...(refund_transactions ?? [])],
    generation,
    sequence,
  };
}
