// Records when the feed first stored the content of each array. Derived from stored snapshots, not from the feed's own
// record of when the service began to send it, which may be wrong.
import { GROUP_ARRAYS } from '../../shared/comparing/snapshot.ts';
import type { Instant } from '../../shared/instant.ts';
import { onSnapshotSaved } from './world/watch-saves.ts';
import type { World } from './world/world.ts';

/** The time of the first stored group with each array, by source and then by the kind of the array's entities. */
export type ArraysStored = ReadonlyMap<string, ReadonlyMap<string, Instant>>;

export function watchArrays({ stores, time }: World): ArraysStored {
  const from = new Map<string, Map<string, Instant>>();
  onSnapshotSaved(stores, (source, { projection }) => {
    const known = from.get(source) ?? new Map<string, Instant>();
    from.set(source, known);
    for (const name of GROUP_ARRAYS) {
      const kind = name.slice(0, -1);
      if (projection[name] !== undefined && !known.has(kind)) known.set(kind, time.now());
    }
  });
  return from;
}
