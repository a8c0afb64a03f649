import { EventEmitter, once } from 'node:events';
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Clock } from '../../shared/ports.ts';
import type { EventSourceMapping } from './event-source-mapping.ts';
import { createHurriedClock } from './hurried-clock.ts';
import { pollStream, type StreamMapping } from './poll-stream.ts';
import { connectStreams } from './sdk-clients.ts';
import { type SplittingStream, startSplittingStream } from './splitting-stream.ts';

let stream: SplittingStream;
let client: DynamoDBStreamsClient;
let handled: string[];
let errors: unknown[];
const running: EventSourceMapping[] = [];

beforeEach(async () => {
  stream = await startSplittingStream();
  client = connectStreams(stream.endpoint);
  handled = [];
  errors = [];
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((mapping) => mapping.stop()));
  client.destroy();
  await stream.close();
});

function start(options: Partial<StreamMapping> = {}): EventSourceMapping {
  const mapping = pollStream({
    client,
    tableName: 'table',
    clock: createHurriedClock(),
    onError: (error) => errors.push(error),
    handler: async ({ Records }) => {
      handled.push(...Records.map(({ dynamodb }) => dynamodb?.Keys?.pk?.S ?? ''));
    },
    ...options,
  });
  running.push(mapping);
  return mapping;
}

test('reads parents before their children', async () => {
  stream.open('first');
  stream.write('first', '1');
  stream.open('second', 'first');
  stream.write('second', '2');
  stream.open('third', 'second');
  stream.write('third', '3');

  await start({ batchSize: 1 }).idle();

  expect(handled).toEqual(['1', '2', '3']);
  expect(errors).toEqual([]);
});

test("continues in a closed shard's children, and is idle only after reading them", async () => {
  stream.open('first');
  const mapping = start();
  await mapping.idle();

  stream.write('first', '1');
  for (const child of ['left', 'right']) {
    stream.open(child, 'first');
    stream.write(child, child);
  }
  await mapping.idle();

  expect(handled[0]).toBe('1');
  expect(handled.slice(1).sort()).toEqual(['left', 'right']);
});

test('loses nothing when a shard that is read from LATEST closes', async () => {
  stream.open('first');
  stream.write('first', 'before');
  const mapping = start({ startingPosition: 'LATEST' });
  await mapping.idle();

  stream.write('first', '1');
  stream.open('second', 'first');
  stream.write('second', '2');
  await mapping.idle();

  expect(handled).toEqual(['1', '2']);
});

test('is idle only after reading a shard that appeared later', async () => {
  stream.open('first');
  const mapping = start();
  await mapping.idle();

  stream.open('other');
  stream.write('other', '1');
  await mapping.idle();

  expect(handled).toEqual(['1']);
});

test('an expired iterator loses no record, repeats none and is no error', async () => {
  stream.open('first');
  stream.write('first', '1');
  const mapping = start();
  await mapping.idle();

  stream.write('first', '2');
  stream.expireIterators();
  await mapping.idle();

  expect(handled).toEqual(['1', '2']);
  expect(errors).toEqual([]);
});

test('an expired iterator of a shard without records is replaced', async () => {
  stream.open('first');
  const mapping = start({ startingPosition: 'LATEST' });
  await mapping.idle();

  stream.expireIterators();
  await mapping.idle();
  stream.write('first', '1');
  await mapping.idle();

  expect(handled).toEqual(['1']);
});

test('looks for children as soon as a shard ends', async () => {
  const hurried = createHurriedClock();
  const lookingPaused = new EventEmitter();
  const clock: Clock = {
    ...hurried,
    sleep: (durationMs, signal) => {
      if (durationMs < 10_000) return hurried.sleep(durationMs, signal);
      lookingPaused.emit('pause');
      return new Promise((resolve) => signal?.addEventListener('abort', () => resolve()));
    },
  };
  const paused = once(lookingPaused, 'pause');
  stream.open('first');
  start({ clock });
  await paused;

  stream.open('second', 'first');
  stream.write('second', '1');

  await expect.poll(() => handled).toEqual(['1']);
});
