// Items of other releases and damaged items, written into the tables directly.
import { randomBytes } from 'node:crypto';
import { DeleteItemCommand, GetItemCommand, PutItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StoredItem } from '../../functions/adapters/attribute-values.ts';
import { markKey } from '../../functions/adapters/dynamodb-marks.ts';
import { toSnapshotItem } from '../../functions/adapters/snapshot-item.ts';
import { DAY, SECOND } from '../../shared/instant.ts';
import type { GroupKey } from '../../shared/ports.ts';
import { formatGroupKey } from '../../shared/recording/group-key.ts';
import { TooLargeToStoreError } from '../../shared/recording/store-errors.ts';
import { ACME, aKey, anEvent, aSave, aShipment, aSmallSnapshot, aSnapshot } from './sample-saves.ts';
import { clockAt, openTables, type Stores, storesOn, type TestTables } from './stores.ts';

let engine: TestTables;
let stores: Omit<Stores, 'close'>;

beforeAll(async () => {
  engine = await openTables();
  stores = storesOn(engine.client, engine.tables);
});
afterAll(() => engine.close());

const putRaw = (TableName: string, Item: StoredItem) =>
  engine.client.send(new PutItemCommand({ TableName, Item }));
const getRaw = async (TableName: string, Key: StoredItem) =>
  (await engine.client.send(new GetItemCommand({ TableName, Key }))).Item;
const loadOne = async (key: GroupKey) =>
  (await stores.snapshots.load(key, [Number(key.group)])).get(Number(key.group));

test('a snapshot with attributes of a later release is read, and written in the format of this release', async () => {
  const item = toSnapshotItem(ACME, aSnapshot(1));
  await putRaw(engine.tables.snapshots, { ...item, z9: { S: 'later' } });

  const loaded = await loadOne(aKey(1));
  await stores.snapshots.save(aKey(1), aSave(aKey(1), loaded, 1));

  expect(loaded).toEqual(aSnapshot(1));
  expect(
    Object.keys((await getRaw(engine.tables.snapshots, { k: { S: 'acme_mi8x2k_1' } })) ?? {}).sort(),
  ).toEqual(['b', 'c', 'i', 'k', 'n', 'v']);
});

test("a webhook's mark of a release that did not note since when content is rejected is read", async () => {
  const key = aKey(9);
  const numbers = { v: 1, n: 3, s: 1_000 };
  const attributes = Object.entries(numbers).map(([name, value]) => [name, { N: String(value) }]);
  const texts = { d: { S: 'hook' }, r: { S: '4: answered 422' } };
  await putRaw(engine.tables.marks, { ...markKey('hook', key), ...Object.fromEntries(attributes), ...texts });

  const position = await stores.marks.position('hook', key);
  const failure = {
    sequence: 4,
    reason: 'answered 422',
    at: 9_000,
    rejection: { continues: true, until: 9_100 },
  };
  const failing = await stores.marks.noteFailing('hook', key, failure);

  expect(position).toEqual({ sequence: 3, failingSince: 1_000 });
  expect(failing).toEqual({ since: 1_000, contentSince: 9_000 });
});

test('loading a snapshot of an unknown format fails, and the error names its key', async () => {
  await putRaw(engine.tables.snapshots, { ...toSnapshotItem(ACME, aSnapshot(2)), v: { N: '7' } });

  await expect(stores.snapshots.load(ACME, [1, 2])).rejects.toThrow('acme_mi8x2k_2');
});

test('a damaged entry of the ledger is reported as undecodable, between intact entries', async () => {
  const key = aKey(3);
  await stores.snapshots.save(key, aSave(key, undefined, 3));
  await putRaw(engine.tables.ledger, {
    k: { S: 'acme_mi8x2k_3' },
    n: { N: '2' },
    v: { N: '1' },
    b: { B: randomBytes(300) },
  });

  const entries = await stores.ledger.read(key, 0, 10);

  expect(entries).toEqual([
    { sequence: 1, event: anEvent(key, 1) },
    { sequence: 2, undecodable: 'its body is damaged' },
    { sequence: 3, event: anEvent(key, 3) },
  ]);
});

test('events of groups expire after the retention, events of the feed do not expire', async () => {
  const now = 20_000 * DAY + 5 * SECOND;
  const past = storesOn(engine.client, engine.tables, clockAt(now));
  const feed = aKey('feed');
  await past.snapshots.save(aKey(4), aSave(aKey(4), undefined, 1));
  await past.ledger.append(feed, { ...anEvent(aKey(4), 1), id: 'acme_mi8x2k_feed_1' });

  const [event, ofFeed] = await Promise.all(
    ['4', 'feed'].map((group) =>
      getRaw(engine.tables.ledger, { k: { S: `acme_mi8x2k_${group}` }, n: { N: '1' } }),
    ),
  );

  expect(event?.x).toEqual({ N: String((20_031 * DAY) / SECOND) });
  expect(ofFeed).not.toHaveProperty('x');
});

test('a feed.source_read event expires after a day', async () => {
  const now = 1_795_176_000 * SECOND;
  const { ledger } = storesOn(engine.client, engine.tables, clockAt(now));
  const event = { ...anEvent(aKey(1), 7), id: 'acme_mi8x2k_read_7' };

  await ledger.append(aKey('read'), event);

  const item = await getRaw(engine.tables.ledger, { k: { S: 'acme_mi8x2k_read' }, n: { N: '7' } });
  expect(Number(item?.x?.N)).toBe((now + DAY) / SECOND);
});

test('a snapshot too large for the table is rejected with a clear message, and nothing is saved', async () => {
  const key = aKey(5);
  const small = aSmallSnapshot(5);
  const name = randomBytes(450_000).toString('base64');
  const group = { ...small.projection.group, order: { id: 1, name, platform_id: null } };
  const large = { ...small, projection: { ...small.projection, group } };

  const saving = stores.snapshots.save(key, {
    ...aSave(key, undefined, 1),
    snapshot: { ...large, sequence: 1 },
  });
  const savingAll = stores.snapshots.saveAll(ACME, [
    { snapshot: aSmallSnapshot(6), expectedVersion: 0 },
    { snapshot: large, expectedVersion: 0 },
  ]);

  await expect(saving).rejects.toThrow(TooLargeToStoreError);
  await expect(savingAll).rejects.toMatchObject({ groupId: 5, bytes: expect.any(Number) });
  expect((await stores.snapshots.load(ACME, [5, 6])).size).toBe(0);
});

test('events too large for one transaction are rejected with a clear message, and nothing is saved', async () => {
  const key = aKey(8);
  const save = aSave(key, undefined, 40);
  const noise = randomBytes(120_000).toString('base64');
  const events = save.events.map((_, at) =>
    anEvent(key, at + 1, { ...aShipment(8), tracking_number: noise }),
  );

  const saving = stores.snapshots.save(key, { ...save, events });

  await expect(saving).rejects.toMatchObject({ name: 'TooLargeToStoreError', groupId: 8 });
  expect(await loadOne(key)).toBeUndefined();
});

describe('a large save', () => {
  const itemsOf = async (key: GroupKey) => {
    const values = { ':k': { S: formatGroupKey(key) } };
    const command = new QueryCommand({
      TableName: engine.tables.ledger,
      KeyConditionExpression: 'k = :k',
      ExpressionAttributeValues: values,
    });
    return (await engine.client.send(command)).Items ?? [];
  };

  test.each([
    [1, 1],
    [90, 90],
    [91, 46],
    [200, 68],
    [1_000, 85],
    [9_999, 90],
  ])('of %i events takes %i items', async (events, expected) => {
    const key = aKey(100_000 + events);

    await stores.snapshots.save(key, aSave(key, undefined, events));

    const items = await itemsOf(key);
    expect(items).toHaveLength(expected);
    expect(new Set(items.map(({ x }) => x?.N)).size).toBe(1);
  });

  test.each([
    [1, 200],
    [200, 1],
    [90, 91],
    [91, 90],
    [200, 1_000],
    [1_000, 200],
  ])('over %i events of a lost snapshot fails: %i events', async (lost, events) => {
    const key = aKey(200_000 + lost * 1_000 + events);
    await stores.snapshots.save(key, aSave(key, undefined, lost));
    const stored = { TableName: engine.tables.snapshots, Key: { k: { S: formatGroupKey(key) } } };
    await engine.client.send(new DeleteItemCommand(stored));

    const saving = stores.snapshots.save(key, aSave(key, undefined, events));

    await expect(saving).rejects.toThrow('does not know of');
    expect(await stores.ledger.read(key, 0, 2_000)).toHaveLength(lost);
  });

  test('with a damaged item is read around it', async () => {
    const key = aKey(300_001);
    await stores.snapshots.save(key, aSave(key, undefined, 200));
    const [, , third] = await itemsOf(key);
    await putRaw(engine.tables.ledger, { ...third, b: { B: randomBytes(300) } });

    const entries = await stores.ledger.read(key, 0, 300);

    const undecodable = entries.filter((entry) => 'undecodable' in entry);
    expect(entries.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 200 }, (_, at) => at + 1));
    expect(undecodable.map(({ sequence }) => sequence)).toEqual([5, 6, 7]);
  });

  test('is rejected with a clear message if an item is too large, and nothing is saved', async () => {
    const key = aKey(300_002);
    const save = aSave(key, undefined, 200);
    const noise = randomBytes(120_000).toString('base64');
    const events = save.events.map((event, at) =>
      at < 100 || at > 105
        ? event
        : anEvent(key, at + 1, {
            ...aShipment(8),
            tracking_number: `${noise}${randomBytes(110_000).toString('base64')}`,
          }),
    );

    const saving = stores.snapshots.save(key, { ...save, events });

    await expect(saving).rejects.toMatchObject({ name: 'TooLargeToStoreError', groupId: 300_002 });
    expect(await loadOne(key)).toBeUndefined();
    expect(await itemsOf(key)).toEqual([]);
  });
});

test('the reason why a group is behind is stored with its mark, until the mark advances', async () => {
  const item = () => getRaw(engine.tables.marks, { k: { S: 'queue#acme_mi8x2k_9' } });
  const key = aKey(9);
  await stores.marks.advance('queue', key, 3);

  await stores.marks.noteBehind('queue', key, { sequence: 4, reason: 'refused' });
  const noted = await item();
  await stores.marks.advance('queue', key, 2);
  const stillNoted = await item();
  await stores.marks.advance('queue', key, 4);
  const moved = await item();

  expect([noted?.r, stillNoted?.r, moved?.r]).toEqual([{ S: '4: refused' }, { S: '4: refused' }, undefined]);
  expect(moved?.n).toEqual({ N: '4' });
});

test('removing a missing note writes nothing', async () => {
  await stores.marks.noteBehind('queue', aKey(10), undefined);

  expect(await getRaw(engine.tables.marks, { k: { S: 'queue#acme_mi8x2k_10' } })).toBeUndefined();
});
