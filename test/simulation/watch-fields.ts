// Records until when the feed may fill in a field without an event: a service that omits nulls may show it for the first
// time at any moment. Derived from stored snapshots and ended walks, not from the feed's own record.
import { GROUP_ARRAYS } from '../../shared/comparing/snapshot.ts';
import { type Instant, MILLISECOND } from '../../shared/instant.ts';
import { onSnapshotSaved, onStateSaved } from './world/watch-saves.ts';
import type { World } from './world/world.ts';

interface Entity {
  readonly type: string;
}

export interface FieldsWatched {
  /**
   * When the first full walk ended that began `settle` after a field, such as `shipment.carrier`, was first stored with
   * a value; undefined if none did. An answer may be `settle` old, and lack the field.
   */
  knownBy(source: string, field: string): Instant | undefined;
}

export function watchFields({ stores, time, plan }: World): FieldsWatched {
  const settle = plan.settings.settleMs * MILLISECOND;
  const firstStored = new Map<string, Instant>();
  const walksEnded = new Map<string, Instant[]>();
  onSnapshotSaved(stores, (source, { projection }) => {
    const entities: readonly Entity[] = [
      projection.group,
      ...GROUP_ARRAYS.flatMap((name): readonly Entity[] => projection[name] ?? []),
    ];
    for (const entity of entities) {
      for (const [field, value] of Object.entries(entity)) {
        const name = `${source} ${entity.type}.${field}`;
        // A list of ids is stored as empty if the field was omitted.
        const isShown =
          value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0);
        if (isShown && !firstStored.has(name)) firstStored.set(name, time.now());
      }
    }
  });
  const lastCompleted = new Map<string, unknown>();
  onStateSaved(stores, ({ source, reconciliation }) => {
    const { lastCompletedAt } = reconciliation.all;
    if (lastCompletedAt === undefined || lastCompleted.get(source) === lastCompletedAt) return;
    lastCompleted.set(source, lastCompletedAt);
    walksEnded.set(source, [...(walksEnded.get(source) ?? []), time.now()]);
  });
  return {
    knownBy(source, field) {
      const first = firstStored.get(`${source} ${field}`);
      const walks = walksEnded.get(source) ?? [];
      // A walk begins after the one before it has ended.
      const place = first === undefined ? -1 : walks.findIndex((endedAt) => endedAt >= first + settle);
      return place === -1 ? undefined : walks[place + 1];
    },
  };
}
