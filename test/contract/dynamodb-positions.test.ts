// Positions in AWS, where several relays assign them at once and answers are lost.
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { toLedgerItem } from '../../functions/adapters/ledger-item.ts';
import type { GroupKey } from '../../shared/ports.ts';
import { createReaderStream } from '../../shared/pulling/reader-stream.ts';
import { badWire } from './dynamodb-faults.ts';
import { loseAnswer } from './faulty-proxy.ts';
import { type PullStores, pullStoresOn } from './positions-under-test.ts';
import { aKey, anEvent, aSave } from './sample-saves.ts';
import { hastyClock } from './stores.ts';

const A_MINUTE_MS = 60_000;
/** Of the SDK's client. */
const ATTEMPTS = 4;

const wire = badWire();
let lastGroup = 1_000;

const open = () => pullStoresOn(wire.client, wire.tables, hastyClock);

async function write(key: GroupKey, events: number): Promise<void> {
  const stored = await wire.stores.snapshots.load(key, [Number(key.group)]);
  await wire.stores.snapshots.save(key, aSave(key, stored.get(Number(key.group)), events));
}

async function idsAfter({ positions }: Pick<PullStores, 'positions'>, after: number): Promise<string[]> {
  const read = await positions.read(after, 1_000);
  if (read === 'expired') throw new Error('expired');
  return read.events.map(({ event }) => event.id);
}

test('two relays at once give each event one position, and a reader at the end misses none', async () => {
  const [one, two, watching] = [open(), open(), open()];
  const stream = createReaderStream({ ...watching, clock: hastyClock }, { filter: {} });
  const groups = Array.from({ length: 24 }, () => aKey(lastGroup++));
  const saved = groups.flatMap(({ group }) =>
    [1, 2, 3].map((sequence) => `acme_mi8x2k_${group}_${sequence}`),
  );
  const seen: string[] = [];

  const working = { isDone: false };
  const read = async () => {
    for (let offset: string | undefined = await stream.end(); ; ) {
      const { isDone } = working;
      const piece = await stream.read(offset);
      if (typeof piece === 'string') throw new Error(`The reader is told: ${piece}.`);
      const events = JSON.parse(new TextDecoder().decode(piece.body)) as { id: string }[];
      seen.push(...events.map(({ id }) => id));
      offset = piece.next;
      if (isDone && piece.isUpToDate) return;
    }
  };
  const assign = async () => {
    const writers = groups.map(async (key, index) => {
      for (const events of [1, 2]) {
        await write(key, events);
        // The records of both shards may name any group.
        const named = [key, groups[index - 1] ?? key];
        await Promise.all([one, two].map(({ relay }) => relay(named, A_MINUTE_MS)));
      }
    });
    await Promise.all(writers);
    await two.relay(groups, A_MINUTE_MS);
    working.isDone = true;
  };
  await Promise.all([read(), assign()]);

  expect(seen.toSorted()).toEqual(saved.toSorted());
  for (const [, ofGroup] of Map.groupBy(seen, (id) => id.replace(/_\d+$/, '')))
    expect(ofGroup.map((id) => id.at(-1))).toEqual(['1', '2', '3']);
});

test('a save whose answer is lost gives no second position', async () => {
  const stores = open();
  const [key, start] = [aKey(lastGroup++), await stores.positions.newest()];
  await write(key, 2);
  wire.proxy.next('TransactWriteItems', loseAnswer, ATTEMPTS);

  const [lost] = await stores.relay([key], A_MINUTE_MS);
  const [again] = await stores.relay([key], A_MINUTE_MS);

  expect([lost?.state, again?.state]).toEqual(['failed', 'done']);
  expect(await stores.positions.newest()).toBe(start + 2);
});

test('events that were skipped meanwhile get no position', async () => {
  const stores = open();
  const [key, start] = [aKey(lastGroup++), await stores.positions.newest()];
  await write(key, 3);
  let moved = false;
  wire.proxy.next('TransactWriteItems', async ({ forward }) => {
    moved = await stores.marks.advance('pull', key, 2);
    return forward();
  });

  await stores.relay([key], A_MINUTE_MS);

  expect(moved).toBe(true);
  expect(await idsAfter(stores, start)).toEqual([`acme_mi8x2k_${key.group}_3`]);
});

test('a return stops at an event that no release can read, and others go on', async () => {
  const stores = open();
  const [key, other, start] = [aKey(lastGroup++), aKey(lastGroup++), await stores.positions.newest()];
  await write(key, 1);
  await write(other, 1);
  const Item = { ...toLedgerItem(key, anEvent(key, 2)), b: { B: new Uint8Array([1]) } };
  await wire.client.send(new PutItemCommand({ TableName: wire.tables.ledger, Item }));

  const outcomes = await stores.relay([key, other], A_MINUTE_MS);

  expect(outcomes).toMatchObject([{ state: 'behind', sequence: 2 }, { state: 'done' }]);
  expect(await idsAfter(stores, start)).toHaveLength(2);
});

test('a relay whose time is over leaves the rest to the next', async () => {
  const stores = open();
  const key = aKey(lastGroup++);
  await write(key, 1);

  expect(await stores.relay([key], 0)).toMatchObject([{ state: 'failed', reason: 'the time was over' }]);
});
