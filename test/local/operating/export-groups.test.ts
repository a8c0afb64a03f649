// What `export` lists while groups reopen and close.
import { expect, test } from 'vitest';
import { exportGroups } from '../../../local/operating/export-groups.ts';
import type { KnownGroup, SnapshotStore } from '../../../shared/ports.ts';
import { ACME, aKey, aSmallSnapshot } from '../../contract/sample-saves.ts';
import { createMemoryLedger } from '../../fakes/memory-ledger.ts';
import { createMemorySnapshotStore } from '../../fakes/memory-snapshot-store.ts';

test('a group that moves behind the place that is read is exported, and none is exported twice', async () => {
  const store = createMemorySnapshotStore(createMemoryLedger());
  for (const id of [1, 2, 3])
    store.commit(aKey(id), { snapshot: aSmallSnapshot(id, 1), expectedVersion: 0, events: [] });
  let passes = 0;
  async function* knownCreatedBetween(
    ...range: Parameters<SnapshotStore['knownCreatedBetween']>
  ): AsyncGenerator<KnownGroup> {
    passes += 1;
    for await (const known of store.knownCreatedBetween(...range))
      if (passes > 1 || known.groupId !== 2) yield known;
  }

  const exported: number[] = [];
  for await (const { return_group } of exportGroups({ ...store, knownCreatedBetween }, ACME))
    exported.push(return_group.id);

  expect(exported).toEqual([1, 3, 2]);
});
