import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { GroupKey } from '../../shared/ports.ts';
import { ACME, aKey, anEvent, aSave, aSmallSnapshot, aSnapshot, newSaves } from './sample-saves.ts';
import { STORES, type Stores } from './stores.ts';

describe.each(STORES)('snapshot store $name', ({ open }) => {
  let stores: Stores;
  let lastGroup = 1_000;

  beforeAll(async () => {
    stores = await open();
  });
  afterAll(() => stores.close());

  /** Returns a group that no other test uses. */
  const freshKey = () => aKey(lastGroup++);
  const idOf = (key: GroupKey) => Number(key.group);
  const loadOne = async (key: GroupKey) => (await stores.snapshots.load(key, [idOf(key)])).get(idOf(key));

  test('has no snapshot of a group that was never saved', async () => {
    const found = await stores.snapshots.load(ACME, [1, 2, 3]);

    expect(found.size).toBe(0);
  });

  test('loads a snapshot as it was saved, including absent arrays, notes and its digest', async () => {
    const key = freshKey();
    const snapshot = aSmallSnapshot(idOf(key), 1, {
      absences: { 'shipment/77120': 1_763_633_703_000_001 },
      unpublished: { 'shipment/77120': { carrier: null, return_ids: [1, 2] } },
      removedAt: 1_763_633_703_000_002,
      digest: '12.34',
    });

    await stores.snapshots.save(key, { snapshot, expectedVersion: 0, events: [] });

    expect(await loadOne(key)).toStrictEqual(snapshot);
  });

  test('loads more groups than one request takes, each once even if requested repeatedly', async () => {
    const key = freshKey();
    const ids = Array.from({ length: 250 }, (_, at) => 10_000 + at);
    await stores.snapshots.saveAll(key, newSaves(ids));

    const found = await stores.snapshots.load(ACME, [...ids, 10_249, 9_999, 10_249]);

    expect([...found.keys()].sort((a, b) => a - b)).toEqual(ids);
    expect(found.get(10_249)?.groupId).toBe(10_249);
  });

  test('keeps the groups of each source and generation apart', async () => {
    const key = freshKey();
    await stores.snapshots.save(key, aSave(key, undefined, 0));

    const other = await stores.snapshots.load({ ...key, generation: 'zzzzzz' }, [idOf(key)]);

    expect(other.size).toBe(0);
  });

  test('saves a snapshot and its events together', async () => {
    const key = freshKey();
    const save = aSave(key, undefined, 3);

    const result = await stores.snapshots.save(key, save);

    expect(result).toBe('saved');
    expect(await loadOne(key)).toEqual(save.snapshot);
    expect(await stores.ledger.read(key, 0, 10)).toEqual(
      save.events.map((event, at) => ({ sequence: at + 1, event })),
    );
  });

  test('saves a new version over its predecessor', async () => {
    const key = freshKey();
    const first = aSave(key, undefined, 1);
    const second = aSave(key, first.snapshot, 2);
    await stores.snapshots.save(key, first);

    const result = await stores.snapshots.save(key, second);

    expect(result).toBe('saved');
    expect((await loadOne(key))?.version).toBe(2);
    expect((await stores.ledger.read(key, 0, 10)).map((entry) => entry.sequence)).toEqual([1, 2, 3]);
  });

  test.each([
    ['that another save has replaced', 0, 1],
    ['that never existed', 7, 1],
    ['that another save has replaced, without events', 0, 0],
    ['that never existed, without events', 7, 0],
  ])('saves nothing on a version %s', async (_, expectedVersion, events) => {
    const key = freshKey();
    const first = aSave(key, undefined, 1);
    await stores.snapshots.save(key, first);
    const late = aSave(key, { version: expectedVersion, sequence: 5 }, events);

    const result = await stores.snapshots.save(key, late);

    expect(result).toBe('conflict');
    expect(await loadOne(key)).toEqual(first.snapshot);
    expect(await stores.ledger.read(key, 0, 10)).toHaveLength(1);
  });

  test('lets exactly one of several saves on the same version win', async () => {
    const key = freshKey();
    const rivals = Array.from({ length: 8 }, (_, at) => {
      const save = aSave(key, undefined, 2);
      return { ...save, snapshot: { ...save.snapshot, receivedAt: save.snapshot.receivedAt + at } };
    });

    const results = await Promise.all(rivals.map((save) => stores.snapshots.save(key, save)));

    const winner = results.indexOf('saved');
    expect(results.filter((result) => result === 'saved')).toHaveLength(1);
    expect(await loadOne(key)).toEqual(rivals[winner]?.snapshot);
    expect(await stores.ledger.read(key, 0, 10)).toHaveLength(2);
  });

  test.each([2, 0])('reports a repeated save of %i events as saved, and saves it once', async (events) => {
    const key = freshKey();
    const save = aSave(key, undefined, events);
    await stores.snapshots.save(key, save);

    const again = await stores.snapshots.save(key, structuredClone(save));

    expect(again).toBe('saved');
    expect(await loadOne(key)).toEqual(save.snapshot);
    expect(await stores.ledger.read(key, 0, 10)).toHaveLength(events);
  });

  test('never restores an old save over a newer one', async () => {
    const key = freshKey();
    const first = aSave(key, undefined, 1);
    const second = aSave(key, first.snapshot, 1);
    await stores.snapshots.save(key, first);
    await stores.snapshots.save(key, second);

    await stores.snapshots.save(key, first);

    expect(await loadOne(key)).toEqual(second.snapshot);
    expect(await stores.ledger.read(key, 0, 10)).toHaveLength(2);
  });

  test.each([
    ['a number left out', (key: GroupKey) => ({ ...aSave(key, undefined, 1), events: [anEvent(key, 2)] })],
    [
      'events of another group',
      (key: GroupKey) => ({ ...aSave(key, undefined, 1), events: [anEvent(aKey(1), 1)] }),
    ],
    ['a version left out', (key: GroupKey) => ({ ...aSave(key, undefined, 1), expectedVersion: 1 })],
    ['the snapshot of another group', () => aSave(aKey(1), undefined, 1)],
  ])('refuses a save with %s', async (_, make) => {
    const key = freshKey();

    const saving = stores.snapshots.save(key, make(key));

    await expect(saving).rejects.toThrow(RangeError);
    expect(await loadOne(key)).toBeUndefined();
  });

  test('fails if the ledger holds an event that the snapshot does not include', async () => {
    const key = freshKey();
    await stores.ledger.append(key, anEvent(key, 1));

    const saving = stores.snapshots.save(key, aSave(key, undefined, 1));

    await expect(saving).rejects.toThrow('does not know of');
    expect(await loadOne(key)).toBeUndefined();
  });

  test('saves many at once, each with its own condition, and returns the results in order', async () => {
    const [known, moved] = [freshKey(), freshKey()];
    await stores.snapshots.saveAll(ACME, newSaves([idOf(known), idOf(moved)]));
    const ids = Array.from({ length: 60 }, (_, at) => 20_000 + at);
    const saves = [
      ...newSaves(ids.slice(0, 30)),
      { snapshot: aSmallSnapshot(idOf(known), 2), expectedVersion: 1 },
      { snapshot: aSmallSnapshot(idOf(moved), 3), expectedVersion: 2 },
      { snapshot: aSnapshot(idOf(moved), 1), expectedVersion: 0 },
      ...newSaves(ids.slice(30)),
    ];

    const results = await stores.snapshots.saveAll(ACME, saves);

    expect(results).toEqual([
      ...ids.slice(0, 30).map(() => 'saved'),
      'saved',
      'conflict',
      'conflict',
      ...ids.slice(30).map(() => 'saved'),
    ]);
    expect((await stores.snapshots.load(ACME, ids)).size).toBe(60);
    expect((await loadOne(known))?.version).toBe(2);
    expect((await loadOne(moved))?.version).toBe(1);
  });

  test('reports many repeated saves as saved', async () => {
    const saves = newSaves([21_001, 21_002, 21_003]);
    await stores.snapshots.saveAll(ACME, saves);

    const again = await stores.snapshots.saveAll(ACME, structuredClone(saves));

    expect(again).toEqual(['saved', 'saved', 'saved']);
  });

  test('accepts an empty list of saves', async () => {
    expect(await stores.snapshots.saveAll(ACME, [])).toEqual([]);
    expect((await stores.snapshots.load(ACME, [])).size).toBe(0);
  });
});
