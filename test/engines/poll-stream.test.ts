import { EventEmitter, once } from 'node:events';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import type { Clock } from '../../shared/ports.ts';
import { type DynamoDbEngine, startDynamoDbEngine } from './dynamodb-engine.ts';
import type { EventSourceMapping } from './event-source-mapping.ts';
import { createHurriedClock } from './hurried-clock.ts';
import { pollStream, type StreamMapping } from './poll-stream.ts';
import { connectDynamoDb, connectStreams, createStreamedTable, putTogether } from './sdk-clients.ts';

let engine: DynamoDbEngine;
let tables: DynamoDBClient;
let streams: DynamoDBStreamsClient;
const running: EventSourceMapping[] = [];

beforeAll(async () => {
  engine = await startDynamoDbEngine();
  tables = connectDynamoDb(engine.endpoint);
  streams = connectStreams(engine.endpoint);
});
afterEach(() => Promise.all(running.splice(0).map((mapping) => mapping.stop())));
afterAll(async () => {
  tables.destroy();
  streams.destroy();
  await engine.stop();
});

interface Started extends EventSourceMapping {
  /** Keys of the records of each invocation. */
  readonly invocations: string[][];
  readonly errors: unknown[];
}

function start(
  tableName: string,
  answer: (event: DynamoDBStreamEvent, invocation: number) => unknown = () => undefined,
  options: Partial<StreamMapping> = {},
): Started {
  const invocations: string[][] = [];
  const errors: unknown[] = [];
  const mapping = pollStream({
    client: streams,
    tableName,
    clock: createHurriedClock(),
    onError: (error) => errors.push(error),
    handler: async (event) => {
      invocations.push(event.Records.map(keyOf));
      return answer(event, invocations.length);
    },
    ...options,
  });
  running.push(mapping);
  return { ...mapping, invocations, errors };
}

const keyOf = ({ dynamodb }: DynamoDBRecord) => `${dynamodb?.Keys?.pk?.S}/${dynamodb?.Keys?.sk?.N}`;

const failFrom = (key: string) => (event: DynamoDBStreamEvent) => ({
  batchItemFailures: event.Records.filter((record) => keyOf(record) >= key).map(({ dynamodb }) => ({
    itemIdentifier: dynamodb?.SequenceNumber,
  })),
});

test('delivers records from before and after the start, in order', async () => {
  const table = await createStreamedTable(tables);
  await putTogether(tables, table, 'a', [1, 2]);
  const mapping = start(table);
  await mapping.idle();

  await putTogether(tables, table, 'a', [3]);
  await putTogether(tables, table, 'b', [1]);
  await mapping.idle();

  expect(mapping.invocations.flat()).toEqual(['a/1', 'a/2', 'a/3', 'b/1']);
  expect(mapping.errors).toEqual([]);
});

test('leaves out earlier records when it starts at LATEST', async () => {
  const table = await createStreamedTable(tables);
  await putTogether(tables, table, 'a', [1]);
  const mapping = start(table, undefined, { startingPosition: 'LATEST' });
  await mapping.idle();

  await putTogether(tables, table, 'a', [2]);
  await mapping.idle();

  expect(mapping.invocations).toEqual([['a/2']]);
});

test("gives records Lambda's shape", async () => {
  const table = await createStreamedTable(tables);
  const records: DynamoDBRecord[] = [];
  await putTogether(tables, table, 'a', [1]);

  await start(table, ({ Records }) => void records.push(...Records)).idle();

  expect(records).toEqual([
    {
      eventID: expect.any(String),
      eventName: 'INSERT',
      eventVersion: '1.1',
      eventSource: 'aws:dynamodb',
      awsRegion: expect.any(String),
      eventSourceARN: expect.stringContaining(`:table/${table}/stream/`),
      dynamodb: {
        ApproximateCreationDateTime: expect.any(Number),
        Keys: { pk: { S: 'a' }, sk: { N: '1' } },
        NewImage: { pk: { S: 'a' }, sk: { N: '1' }, body: { B: Buffer.from('a/1').toString('base64') } },
        SequenceNumber: expect.any(String),
        SizeBytes: expect.any(Number),
        StreamViewType: 'NEW_IMAGE',
      },
    },
  ]);
});

test('delivers only records that match a filter', async () => {
  const table = await createStreamedTable(tables);
  await putTogether(tables, table, 'a', [1]);
  await putTogether(tables, table, 'a', [1, 2]);
  const mapping = start(table, undefined, { filters: [{ eventName: ['INSERT'] }] });

  await mapping.idle();

  expect(mapping.invocations.flat()).toEqual(['a/1', 'a/2']);
});

test('delivers at most one batch at a time', async () => {
  const table = await createStreamedTable(tables);
  await putTogether(tables, table, 'a', [1, 2, 3, 4, 5]);
  const mapping = start(table, undefined, { batchSize: 2 });

  await mapping.idle();

  expect(mapping.invocations).toEqual([['a/1', 'a/2'], ['a/3', 'a/4'], ['a/5']]);
});

test('handles several batches at once if allowed, each item in order', async () => {
  const table = await createStreamedTable(tables);
  await putTogether(tables, table, 'a', [1, 2, 3]);
  await putTogether(tables, table, 'a', [1]);
  const underWay: string[] = [];
  const together: string[][] = [];
  const handler = async ({ Records }: DynamoDBStreamEvent) => {
    const items = Records.map(keyOf);
    underWay.push(...items);
    together.push([...underWay]);
    await new Promise((resolve) => setImmediate(resolve));
    for (const item of items) underWay.splice(underWay.indexOf(item), 1);
  };
  const mapping = start(table, handler, { batchSize: 1, parallelizationFactor: 2 });

  await mapping.idle();

  expect(mapping.invocations.flat().toSorted()).toEqual(['a/1', 'a/1', 'a/2', 'a/3']);
  expect(together.some((items) => items.length === 2)).toBe(true);
  for (const items of together) expect(new Set(items).size).toBe(items.length);
});

test('retries from the first failed record', async () => {
  const table = await createStreamedTable(tables);
  await putTogether(tables, table, 'a', [1, 2, 3]);
  const mapping = start(table, (event, invocation) =>
    invocation === 1 ? failFrom('a/2')(event) : undefined,
  );

  await mapping.idle();

  expect(mapping.invocations).toEqual([
    ['a/1', 'a/2', 'a/3'],
    ['a/2', 'a/3'],
  ]);
});

test('retries the whole batch when the handler throws, until it succeeds', async () => {
  const table = await createStreamedTable(tables);
  await putTogether(tables, table, 'a', [1, 2]);
  const failure = new Error('not yet');
  const mapping = start(table, (_event, invocation) =>
    invocation < 4 ? Promise.reject(failure) : undefined,
  );

  await mapping.idle();

  expect(mapping.invocations).toEqual(Array(4).fill(['a/1', 'a/2']));
  expect(mapping.errors).toEqual([failure, failure, failure]);
});

test('waits longer after each failure of a batch', async () => {
  const table = await createStreamedTable(tables);
  await putTogether(tables, table, 'a', [1]);
  const hurried = createHurriedClock();
  const pauses: number[] = [];
  const clock = {
    ...hurried,
    sleep: (durationMs: number, signal?: AbortSignal) => {
      if (durationMs < 10_000) pauses.push(durationMs);
      return hurried.sleep(durationMs, signal);
    },
  };

  const mapping = start(
    table,
    (_event, invocation) => (invocation < 4 ? failFrom('a/1')(_event) : undefined),
    {
      clock,
    },
  );
  await mapping.idle();

  expect(pauses.slice(0, 3)).toEqual([100, 200, 400]);
});

test('is not idle while a batch fails', async () => {
  const table = await createStreamedTable(tables);
  await putTogether(tables, table, 'a', [1]);
  const mapping = start(table, failFrom('a/1'));

  const idle = mapping.idle();
  await mapping.stop();

  await expect(idle).rejects.toThrow('stopped before');
});

test('can be stopped during a pause', async () => {
  const table = await createStreamedTable(tables);
  const pausing = new EventEmitter();
  const endless: Clock['sleep'] = (_durationMs, signal) =>
    new Promise((resolve) => {
      pausing.emit('pause');
      signal?.addEventListener('abort', () => resolve());
    });
  const paused = once(pausing, 'pause');
  const mapping = start(table, undefined, { clock: { ...createHurriedClock(), sleep: endless } });
  await paused;

  await expect(mapping.stop()).resolves.toBeUndefined();
});

test('waits for a running invocation before it stops', async () => {
  const table = await createStreamedTable(tables);
  await putTogether(tables, table, 'a', [1]);
  const done: string[] = [];
  const steps = new EventEmitter();
  const entered = once(steps, 'entered');
  const mapping = start(table, async () => {
    steps.emit('entered');
    await once(steps, 'leave');
    done.push('handled');
  });

  await entered;
  const stopped = mapping.stop().then(() => done.push('stopped'));
  steps.emit('leave');
  await stopped;

  expect(done).toEqual(['handled', 'stopped']);
});

test('continues at its position after the engine was unreachable for a while', async () => {
  const table = await createStreamedTable(tables);
  await putTogether(tables, table, 'a', [1]);
  let reachable = true;
  const mapping = start(table, undefined, { client: unreliable(streams, () => reachable) });
  await mapping.idle();

  reachable = false;
  await putTogether(tables, table, 'a', [2]);
  await vi.waitUntil(() => mapping.errors.length > 1);
  reachable = true;
  await mapping.idle();

  expect(mapping.invocations).toEqual([['a/1'], ['a/2']]);
});

/** The same client; its calls fail while it is unreachable. */
function unreliable(client: DynamoDBStreamsClient, isReachable: () => boolean): DynamoDBStreamsClient {
  return new Proxy(client, {
    get(target, property) {
      if (property === 'send' && !isReachable()) return () => Promise.reject(new Error('unreachable'));
      const value = Reflect.get(target, property);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

test('reports a table without a stream, and keeps trying', async () => {
  const mapping = start('nothing-of-the-kind');
  await vi.waitUntil(() => mapping.errors.length > 1);

  await mapping.stop();

  expect(String(mapping.errors[0])).toContain('nothing-of-the-kind');
});
