import type { SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createSqsDestination } from '../../../functions/adapters/sqs-destination.ts';
import { type SqsEngine, startSqsEngine } from '../../../local/engines/sqs-engine.ts';
import { connectSqs, createFifoQueue, drain } from '../../contract/destinations.ts';
import { type FaultyProxy, type Json, rewriting, startFaultyProxy } from '../../contract/faulty-proxy.ts';
import { aKey, anEvent } from '../../shared/publishing/an-event.ts';

const A = anEvent(aKey(1), 1);
const B = anEvent(aKey(2), 1);
const SENT = { sent: true };

let engine: SqsEngine;
let proxy: FaultyProxy;
let client: SQSClient;
let queueUrl: string;

beforeEach(async () => {
  engine = await startSqsEngine();
  proxy = await startFaultyProxy(engine.endpoint);
  client = connectSqs(proxy.endpoint);
  queueUrl = await createFifoQueue(client);
});
afterEach(async () => {
  client.destroy();
  await proxy.close();
  await engine.stop();
});

function calls(): number {
  return proxy.operations.filter((operation) => operation === 'SendMessageBatch').length;
}

describe('a message', () => {
  test('has its event’s group and id, and its type and source as attributes', async () => {
    await createSqsDestination({ client, queueUrl }).send([A]);

    const [message] = await drain(client, queueUrl);
    expect(message?.Attributes).toMatchObject({
      MessageGroupId: 'acme/1',
      MessageDeduplicationId: 'acme_mi8x2k_1_1',
    });
    expect(message?.MessageAttributes).toMatchObject({
      type: { DataType: 'String', StringValue: 'shipment.status_changed' },
      source: { DataType: 'String', StringValue: '/sources/acme' },
    });
  });

  test('is dropped by the queue if it is a repeat', async () => {
    const destination = createSqsDestination({ client, queueUrl });

    await destination.send([A]);
    await destination.send([A, B]);

    expect((await drain(client, queueUrl)).map(({ Body = '' }) => JSON.parse(Body).id)).toEqual([A.id, B.id]);
  });

  test('arrives again if it is a replay', async () => {
    const destination = createSqsDestination({ client, queueUrl });

    await destination.send([A]);
    await destination.send([{ ...A, replayid: 'r1' }]);

    const messages = await drain(client, queueUrl);
    expect(messages.map(({ Attributes }) => Attributes?.MessageDeduplicationId)).toEqual([
      A.id,
      `${A.id}_r1`,
    ]);
    expect(messages.map(({ Body = '' }) => JSON.parse(Body))).toEqual([A, { ...A, replayid: 'r1' }]);
  });
});

describe('an entry that failed', () => {
  test('is refused if the queue rejects it; the others are sent', async () => {
    proxy.next('SendMessageBatch', ({ body, forward }) =>
      forward({
        ...body,
        Entries: body.Entries.map((entry: Json) =>
          entry.Id === A.id ? { ...entry, MessageBody: 'a\ufffeb' } : entry,
        ),
      }),
    );

    const results = await createSqsDestination({ client, queueUrl }).send([A, B]);

    expect(results).toEqual([
      {
        sent: false,
        cause: 'refused',
        reason: expect.stringMatching(/^InvalidMessageContents \(\d+ bytes\)$/),
      },
      SENT,
    ]);
    expect(await drain(client, queueUrl)).toHaveLength(1);
  });

  test.each([
    ['InternalError', false],
    ['RequestThrottled', true],
    ['ThrottlingException', true],
    ['KmsThrottled', true],
    ['KMS.AccessDeniedException', true],
  ])('is to be retried after %s', async (Code, SenderFault) => {
    proxy.next(
      'SendMessageBatch',
      rewriting((answer) => failing(answer.body, A.id, { Code, SenderFault }, answer)),
    );

    const results = await createSqsDestination({ client, queueUrl }).send([A, B]);

    expect(results).toEqual([{ sent: false, cause: 'failed', reason: expect.stringContaining(Code) }, SENT]);
  });

  test('is to be retried if the answer leaves it out', async () => {
    proxy.next(
      'SendMessageBatch',
      rewriting((answer) => ({ ...answer, body: { Successful: [answer.body.Successful[1]] } })),
    );

    const results = await createSqsDestination({ client, queueUrl }).send([A, B]);

    expect(results).toEqual([{ sent: false, cause: 'failed', reason: expect.any(String) }, SENT]);
  });

  test('is reported by its code and size, without a message that may repeat its content', async () => {
    const Message = 'The value A Customer is not valid';
    proxy.next(
      'SendMessageBatch',
      rewriting((answer) =>
        failing(answer.body, A.id, { Code: 'InvalidParameterValue', SenderFault: true, Message }, answer),
      ),
    );

    const results = await createSqsDestination({ client, queueUrl }).send([A, B]);

    expect(JSON.stringify(results)).not.toContain('A Customer');
  });
});

describe('size', () => {
  const large = (group: number) => anEvent(aKey(group), 1, 'x'.repeat(500_000));

  test('a batch beyond one call’s limit is sent in several', async () => {
    const results = await createSqsDestination({ client, queueUrl }).send([large(1), large(2), large(3)]);

    expect(results).toEqual([SENT, SENT, SENT]);
    expect(calls()).toBe(2);
    expect(await drain(client, queueUrl)).toHaveLength(3);
  });

  test('if the queue accepts less than expected, the batch is halved until it fits', async () => {
    const destination = createSqsDestination({ client, queueUrl, maxBytes: 10 * 1_048_576 });
    const beyond = anEvent(aKey(4), 1, 'x'.repeat(1_048_576));

    const results = await destination.send([large(1), large(2), large(3), beyond]);

    expect(results).toEqual([
      SENT,
      SENT,
      SENT,
      { sent: false, cause: 'refused', reason: expect.any(String) },
    ]);
    expect(await drain(client, queueUrl)).toHaveLength(3);
  });

  test('the size of a message is counted like SQS counts it', async () => {
    const [, body, attributes] = [
      A,
      JSON.stringify(A),
      'typeStringshipment.status_changedsourceString/sources/acme',
    ];
    const exactly = Buffer.byteLength(body) + Buffer.byteLength(attributes);

    const fits = await createSqsDestination({ client, queueUrl, maxBytes: exactly }).send([A]);
    const tooLarge = await createSqsDestination({ client, queueUrl, maxBytes: exactly - 1 }).send([B]);

    expect(fits).toEqual([SENT]);
    expect(tooLarge).toEqual([{ sent: false, cause: 'refused', reason: `too large (${exactly} bytes)` }]);
  });
});

/** Makes one entry of an answer fail. */
function failing(
  body: Json,
  id: string,
  failure: Json,
  answer: { status: number; headers: Record<string, string> },
) {
  const Successful = body.Successful.filter((entry: Json) => entry.Id !== id);
  return { ...answer, body: { Successful, Failed: [{ Id: id, ...failure }] } };
}
