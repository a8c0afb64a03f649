import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Snapshot } from '../../shared/comparing/snapshot.ts';
import type { SnapshotStore } from '../../shared/ports.ts';
import { aKey, aSave, aSnapshot, newSaves } from './sample-saves.ts';
import { STORES, type Stores } from './stores.ts';

describe.each(STORES)(
  'the known groups of a range of creation times in a snapshot store $name',
  ({ open }) => {
    let stores: Stores;
    const source = { source: 'acme', generation: 'known1' };
    const createdAt = (groupId: number) => aSnapshot(groupId).createdAt;

    beforeAll(async () => {
      stores = await open();
      await stores.snapshots.saveAll(source, newSaves([5, 3, 1, 4, 2]));
      await stores.snapshots.saveAll({ ...source, generation: 'other1' }, newSaves([9]));
    });
    afterAll(() => stores.close());

    test('come in the order of their creation, both bounds included', async () => {
      const known = stores.snapshots.knownCreatedBetween(source, createdAt(2), createdAt(4));

      expect(await idsOf(known)).toEqual([2, 3, 4]);
    });

    test('come with the time of their creation', async () => {
      const known = stores.snapshots.knownCreatedBetween(source, createdAt(3), createdAt(3));

      for await (const group of known)
        expect(group).toEqual({ groupId: 3, createdAt: createdAt(3), digest: undefined });
      expect.assertions(1);
    });

    test('are all groups if the range is unbounded', async () => {
      const everything = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY] as const;

      const known = stores.snapshots.knownCreatedBetween(source, ...everything);

      expect(await idsOf(known)).toEqual([1, 2, 3, 4, 5]);
    });

    test('are found even with implausible stamps', async () => {
      const key = aKey(8, { ...source, generation: 'absurd' });
      const [yearOne, year9999] = [-62_135_596_800_000_000, 253_402_300_799_000_000];
      const saves = [yearOne, year9999].map((createdAt, index) => ({
        snapshot: aSnapshot(index + 1, 1, { createdAt }),
        expectedVersion: 0,
      }));
      await stores.snapshots.saveAll(key, saves);

      const everything = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY] as const;
      const known = await idsOf(stores.snapshots.knownCreatedBetween(key, ...everything));

      expect(known).toEqual([1, 2]);
    });

    test('are none outside the range', async () => {
      const known = stores.snapshots.knownCreatedBetween(source, createdAt(5) + 1, createdAt(9));

      expect(await idsOf(known)).toEqual([]);
    });

    test('exclude a removed group, and include it again when it returns', async () => {
      const key = aKey(7, { ...source, generation: 'known2' });
      const all = () => idsOf(stores.snapshots.knownCreatedBetween(key, 0, createdAt(9)));
      const versions: Snapshot[] = [aSnapshot(7, 1), aSnapshot(7, 2, { removedAt: 5 }), aSnapshot(7, 3)];

      const seen: number[][] = [];
      for (const snapshot of versions) {
        await stores.snapshots.save(key, { snapshot, expectedVersion: snapshot.version - 1, events: [] });
        seen.push(await all());
      }

      expect(seen).toEqual([[7], [], [7]]);
    });

    test('come with the digest of their snapshot, if it has one', async () => {
      const key = aKey(1, { ...source, generation: 'digest1' });
      const range = [createdAt(1), createdAt(1)] as const;
      const versions = [
        aSnapshot(1, 1, { digest: '12.34' }),
        aSnapshot(1, 2),
        aSnapshot(1, 3, { digest: '56.78' }),
      ];

      const seen: unknown[] = [];
      for (const snapshot of versions) {
        await stores.snapshots.save(key, { snapshot, expectedVersion: snapshot.version - 1, events: [] });
        for await (const { digest } of stores.snapshots.knownCreatedBetween(key, ...range)) seen.push(digest);
      }

      expect(seen).toEqual(['12.34', undefined, '56.78']);
    });

    test('are found at their new time when the service changes the creation time', async () => {
      const key = aKey(8, { ...source, generation: 'known3' });
      const later = createdAt(8) + 1_000;
      await stores.snapshots.save(key, aSave(key, undefined, 0));
      await stores.snapshots.save(key, {
        snapshot: aSnapshot(8, 2, { createdAt: later }),
        expectedVersion: 1,
        events: [],
      });

      const before = await idsOf(stores.snapshots.knownCreatedBetween(key, createdAt(8), createdAt(8)));
      const now = await idsOf(stores.snapshots.knownCreatedBetween(key, later, later));

      expect([before, now]).toEqual([[], [8]]);
    });
  },
);

async function idsOf(known: ReturnType<SnapshotStore['knownCreatedBetween']>): Promise<number[]> {
  const ids: number[] = [];
  for await (const { groupId } of known) ids.push(groupId);
  return ids;
}
