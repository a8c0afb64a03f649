import { GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { itemBytes } from '../../functions/adapters/attribute-values.ts';
import { createDynamoDbDispatches } from '../../functions/adapters/dynamodb-dispatches.ts';
import { createDynamoDbProgress } from '../../functions/adapters/dynamodb-progress.ts';
import { createMemoryDispatches, createMemoryProgress } from '../fakes/memory-dispatches.ts';
import { hastyClock, openTables, type TestTables } from './stores.ts';

const MINUTE = 29_400_000;
const SLOT = MINUTE * 60_000;

let opened: TestTables;

beforeAll(async () => {
  opened = await openTables();
});
afterAll(() => opened.close());

const openProgress = () => createDynamoDbProgress({ ...opened, clock: hastyClock });
const openDispatches = () => createDynamoDbDispatches({ ...opened, clock: hastyClock });
const memory = { progress: createMemoryProgress(), dispatches: createMemoryDispatches() };
const quietAt = (minute: number) => ({ slot: minute * 60_000, quietAt: minute * 60_000 + 5 });

describe.each([
  { place: 'on DynamoDB', openProgress, openDispatches },
  { place: 'in memory', openProgress: () => memory.progress, openDispatches: () => memory.dispatches },
])('notes and minutes $place', ({ openProgress, openDispatches }) => {
  it('reads the notes of the asked minutes, the newest of a source last', async () => {
    const progress = openProgress();
    await progress.note({ minute: MINUTE + 1, shard: 0 }, { acme: quietAt(MINUTE + 1) });
    await progress.note({ minute: MINUTE, shard: 0 }, { acme: quietAt(MINUTE), globex: quietAt(MINUTE) });

    const notes = await progress.readAll([
      { minute: MINUTE + 1, shards: 2 },
      { minute: MINUTE, shards: 2 },
    ]);

    expect(Object.fromEntries(notes)).toEqual({
      acme: [quietAt(MINUTE), quietAt(MINUTE + 1)],
      globex: [quietAt(MINUTE)],
    });
  });

  it('leaves out what an older minute of more shards has left', async () => {
    const progress = openProgress();
    const [old, now] = [MINUTE + 100, MINUTE + 102];
    await progress.note({ minute: old, shard: 0 }, { acme: quietAt(old) });
    await progress.note({ minute: old, shard: 1 }, { globex: quietAt(old) });
    await progress.note({ minute: now, shard: 0 }, { acme: quietAt(now) });

    const notes = await progress.readAll([{ minute: now, shards: 2 }]);

    expect(Object.fromEntries(notes)).toEqual({ acme: [quietAt(now)] });
  });

  it('does not replace the notes of a newer minute by late ones', async () => {
    const progress = openProgress();
    const [old, now] = [MINUTE + 200, MINUTE + 202];
    await progress.note({ minute: now, shard: 0 }, { acme: quietAt(now) });

    await progress.note({ minute: old, shard: 0 }, { acme: quietAt(old) });

    expect(await progress.readAll([{ minute: now, shards: 1 }])).toEqual(new Map([['acme', [quietAt(now)]]]));
  });

  it('keeps the note of the last long tick of each source', async () => {
    const progress = openProgress();
    const last = { slot: SLOT + 60_000, failed: true, why: 'failing', held: 1, setAside: 2 };
    await progress.noteLong('acme', last);
    await progress.noteLong('acme', { slot: SLOT, readAt: SLOT });

    const notes = await progress.readLong(['acme', 'globex']);

    expect(Object.fromEntries(notes)).toEqual({ acme: last });
  });

  it('gives a minute to one of those that take it, and no older one after it', async () => {
    const dispatches = openDispatches();
    const dispatch = { minutes: [{ minute: MINUTE, shards: 1 }], known: { acme: { since: SLOT } } };

    const taken = await Promise.all([dispatches.take(MINUTE, dispatch), dispatches.take(MINUTE, dispatch)]);
    const older = await openDispatches().take(MINUTE - 1, { minutes: [], known: {} });

    expect(taken.toSorted()).toEqual([false, true]);
    expect(older).toBe(false);
    expect(await dispatches.load()).toEqual(dispatch);
  });
});

it('notes twenty sources in one write unit', async () => {
  const notes = Object.fromEntries(
    Array.from({ length: 20 }, (_, at) => [
      `merchant-of-some-name-${at * 7_919}`,
      { slot: SLOT, quietAt: SLOT + at * 13 },
    ]),
  );

  await openProgress().note({ minute: MINUTE + 300, shard: 0 }, notes);

  const Key = { k: { S: `progress/${MINUTE % 2}/0` } };
  const { Item } = await opened.client.send(new GetItemCommand({ TableName: opened.tables.sources, Key }));
  expect(itemBytes(Item ?? {})).toBeLessThan(1_024);
  expect((await openProgress().readAll([{ minute: MINUTE + 300, shards: 1 }])).size).toBe(20);
});

it('takes notes that can not be read for none, and a last minute for the first', async () => {
  const [progress, dispatches] = [openProgress(), openDispatches()];
  const minute = MINUTE + 400;
  await progress.note({ minute, shard: 0 }, { acme: quietAt(minute) });
  await dispatches.take(minute, { minutes: [{ minute, shards: 1 }], known: {} });
  for (const key of [`progress/${minute % 2}/0`, 'dispatch/minute'])
    await opened.client.send(
      new UpdateItemCommand({
        ...{ TableName: opened.tables.sources, Key: { k: { S: key } } },
        ...{
          UpdateExpression: 'SET b = :b',
          ExpressionAttributeValues: { ':b': { B: Buffer.from('damaged') } },
        },
      }),
    );

  const [notes, last] = [await progress.readAll([{ minute, shards: 1 }]), await dispatches.load()];

  expect([notes.size, last]).toEqual([0, undefined]);
  expect(await dispatches.take(minute + 1, { minutes: [], known: {} })).toBe(true);
});
