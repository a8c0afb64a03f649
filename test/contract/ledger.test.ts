import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { GroupKey } from '../../shared/ports.ts';
import { aKey, anEvent, aSave, aShipment } from './sample-saves.ts';
import { STORES, type Stores } from './stores.ts';

describe.each(STORES)('ledger $name', ({ open }) => {
  let stores: Stores;
  let lastGroup = 1_000;

  beforeAll(async () => {
    stores = await open();
  });
  afterAll(() => stores.close());

  const freshKey = () => aKey(lastGroup++);
  const numbersOf = async (key: GroupKey, after: number, limit: number) =>
    (await stores.ledger.read(key, after, limit)).map((entry) => entry.sequence);

  test('has no entries of a group without events', async () => {
    const entries = await stores.ledger.read(freshKey(), 0, 10);

    expect(entries).toEqual([]);
  });

  test('reads a group in the order of its numbers', async () => {
    const key = freshKey();
    await stores.snapshots.save(key, aSave(key, undefined, 12));

    const numbers = await numbersOf(key, 0, 100);

    expect(numbers).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  });

  test.each([
    [0, 3, [1, 2, 3]],
    [3, 3, [4, 5, 6]],
    [8, 5, [9, 10]],
    [10, 5, []],
    [25, 5, []],
  ])('reads beyond number %i at most %i entries', async (after, limit, expected) => {
    const key = freshKey();
    await stores.snapshots.save(key, aSave(key, undefined, 10));

    const numbers = await numbersOf(key, after, limit);

    expect(numbers).toEqual(expected);
  });

  test('reads the requested number of entries, also with several requests', async () => {
    const key = freshKey();
    const save = aSave(key, undefined, 60);
    const noise = () => Array.from({ length: 5_000 }, () => Math.random().toString(36).slice(2)).join('');
    const events = save.events.map((_, at) =>
      anEvent(key, at + 1, { ...aShipment(1), tracking_number: noise() }),
    );
    await stores.snapshots.save(key, { ...save, events });

    const entries = await stores.ledger.read(key, 0, 58);

    expect(entries).toEqual(events.slice(0, 58).map((event, at) => ({ sequence: at + 1, event })));
  });

  test('reads only the requested group', async () => {
    const [key, neighbour] = [aKey(77), aKey(777)];
    await stores.snapshots.save(key, aSave(key, undefined, 2));
    await stores.snapshots.save(neighbour, aSave(neighbour, undefined, 5));

    expect(await numbersOf(key, 0, 10)).toEqual([1, 2]);
    expect(await numbersOf({ ...key, generation: 'older' }, 0, 10)).toEqual([]);
  });

  test('adds the events of the feed itself', async () => {
    const key = aKey('feed', { source: 'told', generation: 'mi8x2k' });

    const results = [
      await stores.ledger.append(key, feedEvent(key, 1)),
      await stores.ledger.append(key, feedEvent(key, 2)),
    ];

    expect(results).toEqual(['saved', 'saved']);
    expect(await stores.ledger.read(key, 0, 10)).toEqual([
      { sequence: 1, event: feedEvent(key, 1) },
      { sequence: 2, event: feedEvent(key, 2) },
    ]);
  });

  test('accepts only one event per number, and accepts its repeat', async () => {
    const key = aKey('feed', { source: 'once', generation: 'mi8x2k' });
    await stores.ledger.append(key, feedEvent(key, 1));

    const other = await stores.ledger.append(key, {
      ...feedEvent(key, 1),
      time: '2027-01-01T00:00:00.000000Z',
    });
    const same = await stores.ledger.append(key, structuredClone(feedEvent(key, 1)));

    expect([other, same]).toEqual(['conflict', 'saved']);
    expect(await stores.ledger.read(key, 0, 10)).toEqual([{ sequence: 1, event: feedEvent(key, 1) }]);
  });

  test('stores feed.source_read separately from the other events of the feed', async () => {
    const source = { source: 'read', generation: 'mi8x2k' };
    const [feed, read] = [aKey('feed', source), aKey('read', source)];
    const report = { ...feedEvent(read, 1), id: 'read_mi8x2k_read_1' };
    await stores.ledger.append(feed, feedEvent(feed, 1));

    const results = [await stores.ledger.append(read, report), await stores.ledger.append(read, report)];

    expect(results).toEqual(['saved', 'saved']);
    expect(await stores.ledger.read(read, 0, 10)).toEqual([{ sequence: 1, event: report }]);
    expect(await numbersOf(feed, 0, 10)).toEqual([1]);
  });

  test('lists every group with events, and its last number', async () => {
    const keys = [
      aKey(5, { source: 'swept', generation: 'one' }),
      aKey(6, { source: 'swept', generation: 'two' }),
    ];
    const feed = aKey('feed', { source: 'swept', generation: 'two' });
    for (const [at, key] of keys.entries()) await stores.snapshots.save(key, aSave(key, undefined, at + 2));
    await stores.ledger.append(feed, feedEvent(feed, 1));

    const swept = [];
    for await (const group of stores.ledger.groups()) if (group.key.source === 'swept') swept.push(group);

    expect(swept).toHaveLength(3);
    expect(swept).toEqual(
      expect.arrayContaining([
        { key: keys[0], last: 2 },
        { key: keys[1], last: 3 },
        { key: feed, last: 1 },
      ]),
    );
  });
});

function feedEvent(key: GroupKey, sequence: number) {
  return { ...anEvent(aKey(1, key), sequence), id: `${key.source}_${key.generation}_feed_${sequence}` };
}
