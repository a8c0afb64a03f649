import { networkInterfaces } from 'node:os';
import {
  GetQueueUrlCommand,
  ListQueuesCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectSqs, createQueue, sendAll } from './sdk-clients.ts';
import { type SqsEngine, startSqsEngine } from './sqs-engine.ts';

let engine: SqsEngine;
let sqs: SQSClient;

beforeAll(async () => {
  engine = await startSqsEngine();
  sqs = connectSqs(engine.endpoint);
});
afterAll(async () => {
  sqs.destroy();
  await engine.stop();
});

const receive = async (queueUrl: string, waitSeconds = 0, signal?: AbortSignal) => {
  const command = new ReceiveMessageCommand({
    QueueUrl: queueUrl,
    MaxNumberOfMessages: 10,
    WaitTimeSeconds: waitSeconds,
  });
  const { Messages = [] } = await sqs.send(command, signal ? { abortSignal: signal } : {});
  return Messages.map(({ Body }) => Body);
};

test('uses its own address in queue URLs', async () => {
  const queue = await createQueue(sqs);

  const byName = await sqs.send(new GetQueueUrlCommand({ QueueName: queue.split('/').at(-1) }));
  const { QueueUrls } = await sqs.send(new ListQueuesCommand());

  expect(queue.startsWith(`${engine.endpoint}/`)).toBe(true);
  expect(byName.QueueUrl).toBe(queue);
  expect(QueueUrls).toContain(queue);
});

test('is unreachable from other machines', async () => {
  const port = new URL(engine.endpoint).port;
  const outside = Object.values(networkInterfaces())
    .flat()
    .find((address) => address?.family === 'IPv4' && !address.internal);

  const reached = await fetch(`http://${outside?.address ?? '127.0.0.2'}:${port}/health`).catch(
    () => undefined,
  );

  expect(reached).toBeUndefined();
});

test('an aborted receive hides no message', async () => {
  const queue = await createQueue(sqs, { fifo: true });
  const hangingUp = new AbortController();
  const waiting = Promise.allSettled([receive(queue, 20, hangingUp.signal)]);
  // Wait for another answer: by then the first wait has begun.
  await receive(queue);
  hangingUp.abort();
  await waiting;

  await sendAll(sqs, queue, ['a/1', 'b/1']);
  const received = [await receive(queue, 5), await receive(queue, 5)].flat();

  expect(received.sort()).toEqual(['a/1', 'b/1']);
});

test('holds back a group while one of its messages is in flight', async () => {
  const queue = await createQueue(sqs, { fifo: true });
  await sendAll(sqs, queue, ['a/1', 'a/2', 'b/1']);

  const received = [await receive(queue), await receive(queue)];

  expect(received).toEqual([['a/1', 'b/1'], []]);
});

test('accepts a message once within five minutes', async () => {
  const queue = await createQueue(sqs, { fifo: true });
  await sendAll(sqs, queue, ['a/1']);
  await sendAll(sqs, queue, ['a/1', 'b/1']);

  const received = await receive(queue);

  expect(received).toEqual(['a/1', 'b/1']);
});

test('rejects single entries inside an answer that succeeds', async () => {
  const queue = await createQueue(sqs);
  const bodies = ['good', 'a \u{fffe} is refused'];

  const { Successful, Failed } = await sqs.send(
    new SendMessageBatchCommand({
      QueueUrl: queue,
      Entries: bodies.map((MessageBody, index) => ({ Id: String(index), MessageBody })),
    }),
  );

  expect(Successful?.map(({ Id }) => Id)).toEqual(['0']);
  expect(Failed).toMatchObject([{ Id: '1', SenderFault: true, Code: 'InvalidMessageContents' }]);
});
