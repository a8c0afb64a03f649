import { EventEmitter, once } from 'node:events';
import { ReceiveMessageCommand, SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { SQSEvent, SQSRecord } from 'aws-lambda';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import type { EventSourceMapping } from './event-source-mapping.ts';
import { createHurriedClock } from './hurried-clock.ts';
import { pollQueue, type QueueMapping } from './poll-queue.ts';
import { connectSqs, createQueue, sendAll } from './sdk-clients.ts';
import { type SqsEngine, startSqsEngine } from './sqs-engine.ts';

let engine: SqsEngine;
let sqs: SQSClient;
const running: EventSourceMapping[] = [];

beforeAll(async () => {
  engine = await startSqsEngine();
  sqs = connectSqs(engine.endpoint);
});
afterEach(() => Promise.all(running.splice(0).map((mapping) => mapping.stop())));
afterAll(async () => {
  sqs.destroy();
  await engine.stop();
});

interface Started extends EventSourceMapping {
  /** Bodies of the messages of each invocation. */
  readonly invocations: string[][];
  readonly errors: unknown[];
}

function start(
  queueUrl: string,
  answer: (event: SQSEvent, invocation: number) => unknown = () => undefined,
  options: Partial<QueueMapping> = {},
): Started {
  const invocations: string[][] = [];
  const errors: unknown[] = [];
  const mapping = pollQueue({
    client: sqs,
    queueUrl,
    clock: createHurriedClock(),
    onError: (error) => errors.push(error),
    handler: async (event) => {
      invocations.push(event.Records.map(({ body }) => body));
      return answer(event, invocations.length);
    },
    ...options,
  });
  running.push(mapping);
  return { ...mapping, invocations, errors };
}

const failed = (records: readonly SQSRecord[]) => ({
  batchItemFailures: records.map(({ messageId }) => ({ itemIdentifier: messageId })),
});

test('delivers messages from before and after the start, once', async () => {
  const queue = await createQueue(sqs);
  await sendAll(sqs, queue, ['1', '2']);
  const mapping = start(queue);
  await mapping.idle();

  await sendAll(sqs, queue, ['3']);
  await mapping.idle();

  expect(mapping.invocations).toEqual([['1', '2'], ['3']]);
  expect(mapping.errors).toEqual([]);
});

test('delivers the messages of a group in order', async () => {
  const queue = await createQueue(sqs, { fifo: true });
  await sendAll(sqs, queue, ['a/1', 'b/1', 'a/2', 'a/3', 'b/2']);
  const mapping = start(queue);

  await mapping.idle();

  const handled = mapping.invocations.flat();
  expect(handled.filter((body) => body.startsWith('a'))).toEqual(['a/1', 'a/2', 'a/3']);
  expect(handled.filter((body) => body.startsWith('b'))).toEqual(['b/1', 'b/2']);
});

test("gives messages Lambda's shape", async () => {
  const queue = await createQueue(sqs, { fifo: true });
  const records: SQSRecord[] = [];
  await sqs.send(
    new SendMessageCommand({
      QueueUrl: queue,
      MessageBody: 'body',
      MessageGroupId: 'a',
      MessageDeduplicationId: 'a-1',
      MessageAttributes: { type: { DataType: 'String', StringValue: 'shipment.created' } },
    }),
  );

  await start(queue, ({ Records }) => void records.push(...Records)).idle();

  expect(records).toEqual([
    {
      messageId: expect.any(String),
      receiptHandle: expect.any(String),
      body: 'body',
      attributes: {
        ApproximateReceiveCount: '1',
        ApproximateFirstReceiveTimestamp: expect.stringMatching(/^\d{13}$/),
        MessageDeduplicationId: 'a-1',
        MessageGroupId: 'a',
        SenderId: expect.any(String),
        SentTimestamp: expect.stringMatching(/^\d{13}$/),
        SequenceNumber: expect.stringMatching(/^\d{20}$/),
      },
      messageAttributes: {
        type: {
          stringValue: 'shipment.created',
          stringListValues: [],
          binaryListValues: [],
          dataType: 'String',
        },
      },
      md5OfBody: '841a2d689ad86bd1611447453c22c6fc',
      eventSource: 'aws:sqs',
      eventSourceARN: `arn:aws:sqs:us-east-1:000000000000:${queue.split('/').at(-1)}`,
      awsRegion: 'us-east-1',
    },
  ]);
});

test('delivers at most one batch at a time', async () => {
  const queue = await createQueue(sqs);
  await sendAll(sqs, queue, ['1', '2', '3']);
  const mapping = start(queue, undefined, { batchSize: 2 });

  await mapping.idle();

  expect(mapping.invocations).toEqual([['1', '2'], ['3']]);
});

test('deletes successful messages, and delivers the rest again', async () => {
  const queue = await createQueue(sqs, { attributes: { VisibilityTimeout: '0' } });
  await sendAll(sqs, queue, ['1', '2', '3']);
  const mapping = start(queue, ({ Records }, invocation) =>
    invocation === 1 ? failed(Records.slice(1, 2)) : undefined,
  );

  await mapping.idle();

  expect(mapping.invocations).toEqual([['1', '2', '3'], ['2']]);
});

test('delivers everything again when the handler throws', async () => {
  const queue = await createQueue(sqs, { attributes: { VisibilityTimeout: '0' } });
  await sendAll(sqs, queue, ['1', '2']);
  const failure = new Error('not yet');
  const mapping = start(queue, (_event, invocation) =>
    invocation === 1 ? Promise.reject(failure) : undefined,
  );

  await mapping.idle();

  expect(mapping.invocations).toEqual([
    ['1', '2'],
    ['1', '2'],
  ]);
  expect(mapping.errors).toEqual([failure]);
});

test('leaves a failed message to the redrive policy', async () => {
  const deadLetters = await createQueue(sqs);
  const arn = `arn:aws:sqs:us-east-1:000000000000:${deadLetters.split('/').at(-1)}`;
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: arn, maxReceiveCount: 2 });
  const queue = await createQueue(sqs, { attributes: { VisibilityTimeout: '0', RedrivePolicy } });
  await sendAll(sqs, queue, ['1']);
  const mapping = start(queue, ({ Records }) => failed(Records));
  await mapping.idle();

  const dead = start(deadLetters);
  await dead.idle();

  expect(mapping.invocations).toEqual([['1'], ['1']]);
  expect(dead.invocations).toEqual([['1']]);
});

test('a message sent during a long poll is delivered at once', async () => {
  const queue = await createQueue(sqs);
  const steps = new EventEmitter();
  const handled = once(steps, 'handled');
  const mapping = start(queue, () => void steps.emit('handled'));
  await mapping.idle();

  await sendAll(sqs, queue, ['1']);
  await handled;

  expect(mapping.invocations).toEqual([['1']]);
});

test('can be stopped during a long poll, and the next poller gets later messages', async () => {
  const queue = await createQueue(sqs);
  const first = start(queue);
  await first.idle();
  await first.stop();

  await sendAll(sqs, queue, ['1']);
  const second = start(queue);
  await second.idle();

  expect(first.invocations).toEqual([]);
  expect(second.invocations).toEqual([['1']]);
});

test('waits for a running invocation, and deletes its messages, before it stops', async () => {
  const queue = await createQueue(sqs, { attributes: { VisibilityTimeout: '0' } });
  await sendAll(sqs, queue, ['1']);
  const steps = new EventEmitter();
  const entered = once(steps, 'entered');
  const first = start(queue, async () => {
    steps.emit('entered');
    await once(steps, 'leave');
  });

  await entered;
  const stopped = first.stop();
  steps.emit('leave');
  await stopped;
  const second = start(queue);
  await second.idle();

  expect(second.invocations).toEqual([]);
});

test('is not idle while a message fails', async () => {
  const queue = await createQueue(sqs);
  await sendAll(sqs, queue, ['1']);
  const mapping = start(queue, ({ Records }) => failed(Records));

  const idle = mapping.idle();
  await vi.waitUntil(() => mapping.invocations.length > 0);
  await mapping.stop();

  await expect(idle).rejects.toThrow('stopped before');
});

test('a delayed message is delivered when it is due', async () => {
  const queue = await createQueue(sqs);
  const steps = new EventEmitter();
  const handled = once(steps, 'handled');
  const mapping = start(queue, () => void steps.emit('handled'));
  await sqs.send(new SendMessageCommand({ QueueUrl: queue, MessageBody: 'tick', DelaySeconds: 1 }));
  await mapping.idle();
  const early = mapping.invocations.length;

  await handled;

  expect(early).toBe(0);
  expect(mapping.invocations).toEqual([['tick']]);
});

/** The same client with another implementation of receiving. */
function receivingWith(send: (command: ReceiveMessageCommand) => Promise<unknown>): SQSClient {
  return new Proxy(sqs, {
    get(target, property) {
      if (property !== 'send') return Reflect.get(target, property);
      return (command: ReceiveMessageCommand, ...rest: []) =>
        command instanceof ReceiveMessageCommand ? send(command) : target.send(command, ...rest);
    },
  });
}

test('returns messages at once that it received while it was stopping', async () => {
  const queue = await createQueue(sqs);
  await sendAll(sqs, queue, ['1']);
  let stopped: Promise<void> | undefined;
  const client = receivingWith(async (command) => {
    const received = await sqs.send(command);
    stopped = first.stop();
    return received;
  });
  const first = start(queue, undefined, { client });
  await vi.waitUntil(() => stopped !== undefined);
  await stopped;

  const second = start(queue);
  await second.idle();

  expect(first.invocations).toEqual([]);
  expect(second.invocations).toEqual([['1']]);
});

test('continues after the queue was unreachable for a while', async () => {
  const queue = await createQueue(sqs);
  await sendAll(sqs, queue, ['1']);
  let failures = 3;
  const client = receivingWith((command) =>
    failures-- > 0 ? Promise.reject(new Error('unreachable')) : sqs.send(command),
  );

  const mapping = start(queue, undefined, { client });
  await mapping.idle();
  // The client above forwards no signal: the wait ends with a message.
  const stopped = mapping.stop();
  await sendAll(sqs, queue, ['2']);
  await stopped;

  expect(mapping.errors).toHaveLength(3);
  expect(mapping.invocations).toEqual([['1']]);
});
