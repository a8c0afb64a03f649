// Snapshots in memory, written together with the events of a memory ledger. It keeps references instead of copies,
// because no code changes snapshots.
import { isDeepStrictEqual } from 'node:util';
import type { Snapshot } from '../../shared/comparing/snapshot.ts';
import type { Instant } from '../../shared/instant.ts';
import type { GroupKey, Save, SaveResult, SnapshotStore } from '../../shared/ports.ts';
import { checkSave } from '../../shared/recording/check-save.ts';
import type { MemoryLedger } from './memory-ledger.ts';

export interface MemorySnapshotStore extends SnapshotStore {
  /** Like `save`, but synchronous. */
  commit(key: GroupKey, save: Save): SaveResult;
  /** Changes all stored snapshots of a source. */
  rewrite(source: SourceGeneration, change: (snapshot: Snapshot) => Snapshot): void;
  /** All snapshots of a source, tombstones included. */
  all(source: SourceGeneration): readonly Snapshot[];
}

type SourceGeneration = Pick<GroupKey, 'source' | 'generation'>;

interface Known {
  readonly groupId: number;
  readonly createdAt: Instant;
  readonly digest: string | undefined;
}

interface Shelf {
  readonly snapshots: Map<number, Snapshot>;
  /** In ascending order of creation, without removed groups. */
  readonly known: Known[];
}

export function createMemorySnapshotStore(ledger: MemoryLedger): MemorySnapshotStore {
  const shelves = new Map<string, Shelf>();

  function shelfOf({ source, generation }: SourceGeneration): Shelf {
    const name = `${source}_${generation}`;
    let shelf = shelves.get(name);
    if (shelf === undefined) {
      shelf = { snapshots: new Map(), known: [] };
      shelves.set(name, shelf);
    }
    return shelf;
  }

  function commit(key: GroupKey, save: Save): SaveResult {
    checkSave(key, save);
    const { snapshot, events } = save;
    const shelf = shelfOf(key);
    const stored = shelf.snapshots.get(snapshot.groupId);
    if ((stored?.version ?? 0) !== save.expectedVersion) {
      return isDeepStrictEqual(stored, snapshot) ? 'saved' : 'conflict';
    }
    if (events.some((event) => ledger.has(key, event.data.sequence))) {
      throw new Error(`The ledger holds an event of group ${key.group} that its snapshot does not know of.`);
    }
    updateIndex(shelf.known, stored, snapshot);
    shelf.snapshots.set(snapshot.groupId, snapshot);
    ledger.put(key, events);
    return 'saved';
  }

  function knownBetween(source: SourceGeneration, from: Instant, to: Instant): readonly Known[] {
    const { known } = shelfOf(source);
    return known.slice(placeOf(known, from, 0), placeOf(known, to, Number.POSITIVE_INFINITY));
  }

  return {
    async load(source, groups) {
      const { snapshots } = shelfOf(source);
      const found = new Map<number, Snapshot>();
      for (const group of groups) {
        const snapshot = snapshots.get(group);
        if (snapshot !== undefined) found.set(group, snapshot);
      }
      return found;
    },
    save: async (key, save) => commit(key, save),
    async saveAll(source, saves) {
      return saves.map((save) =>
        commit({ ...source, group: save.snapshot.groupId }, { ...save, events: [] }),
      );
    },
    async *knownCreatedBetween(source, from, to) {
      yield* knownBetween(source, from, to);
    },
    commit,
    rewrite(source, change) {
      const { snapshots } = shelfOf(source);
      for (const [id, snapshot] of snapshots) snapshots.set(id, change(snapshot));
    },
    all: (source) => [...shelfOf(source).snapshots.values()],
  };
}

function updateIndex(known: Known[], before: Snapshot | undefined, now: Snapshot): void {
  const wasIn = before !== undefined && before.removedAt === undefined;
  const isIn = now.removedAt === undefined;
  const isSame = before?.createdAt === now.createdAt && before.digest === now.digest;
  if (wasIn && isIn && isSame) return;
  if (wasIn) known.splice(placeOf(known, before.createdAt, before.groupId), 1);
  if (isIn) {
    known.splice(placeOf(known, now.createdAt, now.groupId), 0, {
      groupId: now.groupId,
      createdAt: now.createdAt,
      digest: now.digest,
    });
  }
}

/** The index of the first group that was not created before this one; groups with equal creation are ordered by id. */
function placeOf(known: readonly Known[], createdAt: Instant, groupId: number): number {
  let low = 0;
  let high = known.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const group = known[middle];
    const isBefore =
      group !== undefined &&
      (group.createdAt < createdAt || (group.createdAt === createdAt && group.groupId < groupId));
    if (isBefore) low = middle + 1;
    else high = middle;
  }
  return low;
}
