import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createProcessMemory,
  isInProgress,
  type SubscriberMemory,
} from '../../functions/subscriber-kit/subscriber-memory.ts';
import { createTableMemory } from '../../functions/subscriber-kit/table-memory.ts';
import { type DynamoDbEngine, startDynamoDbEngine } from '../engines/dynamodb-engine.ts';
import { connectDynamoDb } from '../engines/sdk-clients.ts';
import { createSubscriberTable } from '../functions/subscriber-kit/subscriber-table.ts';

let engine: DynamoDbEngine;
let client: DynamoDBClient;
let tableName: string;

beforeAll(async () => {
  engine = await startDynamoDbEngine();
  client = connectDynamoDb(engine.endpoint);
  tableName = await createSubscriberTable(client);
});
afterAll(async () => {
  client.destroy();
  await engine.stop();
});

const inTime = () => 30_000;
const key = (of: string, subscriber = 'warehouse') => ({ subscriber, of });

describe.each([
  ['of a process', () => createProcessMemory()],
  ['in a table', () => createTableMemory({ tableName, client })],
] as [string, () => SubscriberMemory][])('a memory %s', (_name, create) => {
  it('runs the work once for each key and subscriber', async () => {
    const memory = create();
    const runs: string[] = [];
    const [a, b] = [randomUUID(), randomUUID()];
    const once = (of: string, subscriber?: string) =>
      memory.once(key(of, subscriber), async () => void runs.push(of), inTime);

    const ran = [await once(a), await once(a), await once(b), await once(a, 'mailer')];

    expect(ran).toEqual([true, false, true, true]);
    expect(runs).toEqual([a, b, a]);
  });

  it('runs failed work again', async () => {
    const memory = create();
    const id = randomUUID();
    const failed = memory.once(key(id), () => Promise.reject(new Error('not today')), inTime);
    await expect(failed).rejects.toThrow('not today');

    const ran = await memory.once(key(id), async () => {}, inTime);

    expect(ran).toBe(true);
  });

  it('stores the newest position, and never an older one', async () => {
    const memory = create();
    const subject = key(randomUUID());
    const before = await memory.newest(subject);

    await memory.advance(subject, 'a_2');
    await memory.advance(subject, 'a_3');
    await memory.advance(subject, 'a_3');
    await memory.advance(subject, 'a_1');

    expect(before).toBeUndefined();
    expect(await memory.newest(subject)).toBe('a_3');
    expect(await memory.newest({ ...subject, subscriber: 'mailer' })).toBeUndefined();
  });
});

describe('a memory in a table', () => {
  it('is shared by all processes', async () => {
    const [a, b] = [createTableMemory({ tableName, client }), createTableMemory({ tableName, client })];
    const id = randomUUID();
    await a.once(key(id), async () => {}, inTime);
    await a.advance(key(id), 'a_2');

    const ran = await b.once(key(id), async () => {}, inTime);

    expect(ran).toBe(false);
    expect(await b.newest(key(id))).toBe('a_2');
  });

  it('rejects a second run while the first is in progress', async () => {
    const [a, b] = [createTableMemory({ tableName, client }), createTableMemory({ tableName, client })];
    const id = randomUUID();
    const { end, first } = await hold(a, key(id), inTime);

    const second = b.once(key(id), async () => {}, inTime);

    await expect(second).rejects.toSatisfy(isInProgress);
    end();
    expect(await first).toBe(true);
    expect(await b.once(key(id), async () => {}, inTime)).toBe(false);
  });

  it.each([1, 0])(
    "lets another process run the work of a dead process after the dead process's time limit of %i ms",
    async (left) => {
      const [a, b] = [createTableMemory({ tableName, client }), createTableMemory({ tableName, client })];
      const id = randomUUID();
      await hold(a, key(id), () => left);

      const second = () => b.once(key(id), async () => {}, inTime).catch(() => 'refused');

      await expect.poll(second).toBe(true);
    },
  );

  it('expires events after thirty days, and positions after more than a year', async () => {
    const own = await createSubscriberTable(client);
    const memory = createTableMemory({ tableName: own, client });
    const nowSeconds = Date.now() / 1000;

    await memory.once(key('a'), async () => {}, inTime);
    await memory.advance(key('b'), 'a_1');

    const { Items = [] } = await client.send(new ScanCommand({ TableName: own }));
    const days = Items.map(({ expiration }) => Math.round((Number(expiration?.N) - nowSeconds) / 86_400));
    expect(days.sort((x, y) => x - y)).toEqual([30, 400]);
  });
});

/** Starts a run that lasts until the test ends it. */
async function hold(memory: SubscriberMemory, of: ReturnType<typeof key>, remainingMs: () => number) {
  const gate = new EventEmitter();
  const begun = once(gate, 'begun');
  const run = async () => {
    gate.emit('begun');
    await once(gate, 'end');
  };
  const first = memory.once(of, run, remainingMs);
  await begun;
  return { first, end: () => void gate.emit('end') };
}
