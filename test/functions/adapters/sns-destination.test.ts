import type { SNSClient } from '@aws-sdk/client-sns';
import type { Message, SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createSnsDestination } from '../../../functions/adapters/sns-destination.ts';
import type { FeedEvent } from '../../../shared/contract/event.ts';
import { type FailedEntry, type StrictTopic, startStrictTopic } from '../../contract/strict-topic.ts';
import { connectSns, connectSqs, createTopicWithQueue, drain } from '../../contract/topic-clients.ts';
import { type SqsEngine, startSqsEngine } from '../../engines/sqs-engine.ts';
import { aKey, anEvent } from '../../shared/publishing/an-event.ts';

const A = anEvent(aKey(1), 1);
const B = anEvent(aKey(2), 1);
const SENT = { sent: true };
const MAXIMUM = 200_000;
const FIVE_MINUTES_MS = 300_000;

let engine: SqsEngine;
let topic: StrictTopic;
let client: SNSClient;
let sqs: SQSClient;
let topicArn: string;
let queueUrl: string;
let nowMs: number;

beforeEach(async () => {
  nowMs = 0;
  engine = await startSqsEngine();
  const now = () => nowMs;
  topic = await startStrictTopic({ engine: engine.endpoint, maximumMessageSize: MAXIMUM, now });
  client = connectSns(topic.endpoint);
  sqs = connectSqs(engine.endpoint);
  ({ topicArn, queueUrl } = await createTopicWithQueue(client, sqs));
});
afterEach(async () => {
  client.destroy();
  sqs.destroy();
  await topic.close();
  await engine.stop();
});

const received = () => drain(sqs, queueUrl);
const idOf = ({ Body = '' }: Message) => JSON.parse(Body).id;
const idsReceived = async () => (await received()).map(idOf).sort();

describe('a message', () => {
  test('has the group and id of its event, and the values for subscription filters as attributes', async () => {
    await createSnsDestination({ client, topicArn }).send([A]);

    const [message] = await received();
    expect(message?.Attributes).toMatchObject({
      MessageGroupId: 'acme/1',
      MessageDeduplicationId: 'acme_mi8x2k_1_1',
    });
    expect(message?.MessageAttributes).toEqual({
      type: { DataType: 'String', StringValue: 'shipment.status_changed' },
      source: { DataType: 'String', StringValue: '/sources/acme' },
      entity: { DataType: 'String', StringValue: 'shipment' },
      to: { DataType: 'String', StringValue: 'DELIVERED' },
      from: { DataType: 'String', StringValue: 'IN_TRANSIT' },
      changed: { DataType: 'String.Array', StringValue: '["status"]' },
    });
  });

  test.each(['TELEPORTED', ''])(
    'has no attributes for the undocumented status or field "%s"',
    async (status) => {
      const { data } = A;
      const odd = { object: { ...data.object, status }, previous_attributes: { status }, changed: [status] };
      const event = { ...A, data: { ...data, ...odd } } as FeedEvent;

      const results = await createSnsDestination({ client, topicArn }).send([event]);

      const [message] = await received();
      expect(results).toEqual([SENT]);
      expect(Object.keys(message?.MessageAttributes ?? {}).sort()).toEqual(['entity', 'source', 'type']);
    },
  );

  test('is the event’s JSON, with escapes for characters that SQS rejects', async () => {
    const event = anEvent(aKey(1), 1, 'é שלום 👟 a\ufffe\uffff half\ud83d &<>+%20\n');

    await createSnsDestination({ client, topicArn }).send([event]);

    const [message] = await received();
    const escaped = String.raw`"é שלום \ud83d\udc5f a\ufffe\uffff half\ud83d &<>+%20\n"`;
    expect(message?.Body).toBe(JSON.stringify(anEvent(aKey(1), 1, 'TEXT')).replace('"TEXT"', () => escaped));
  });

  test('is dropped if it is a repeat', async () => {
    const destination = createSnsDestination({ client, topicArn });

    await destination.send([A]);
    const first = await idsReceived();
    nowMs += FIVE_MINUTES_MS - 1;
    const results = await destination.send([A, B]);

    expect(first).toEqual([A.id]);
    expect(results).toEqual([SENT, SENT]);
    expect(await idsReceived()).toEqual([B.id]);
  });

  test('arrives again if it is a replay', async () => {
    const destination = createSnsDestination({ client, topicArn });

    await destination.send([A]);
    await destination.send([{ ...A, replayid: 'r1' }]);

    const messages = await received();
    const ids = messages.map(({ Attributes }) => Attributes?.MessageDeduplicationId);
    expect(ids).toEqual([A.id, `${A.id}_r1`]);
    expect(messages.map(({ Body = '' }) => JSON.parse(Body))).toEqual([A, { ...A, replayid: 'r1' }]);
  });
});

describe('a failed entry', () => {
  const failA = (failure: FailedEntry | 'left out') => topic.next(() => ({ entries: { [A.id]: failure } }));

  test.each(['InvalidParameter', 'ParameterValueInvalid', 'InvalidParameterValue', 'ValidationException'])(
    'is rejected after %s; the others are sent',
    async (code) => {
      failA({ code, senderFault: true });

      const results = await createSnsDestination({ client, topicArn }).send([A, B]);

      const reason = expect.stringMatching(new RegExp(String.raw`^${code} \(\d+ bytes\)$`));
      expect(results).toEqual([{ sent: false, cause: 'rejected', reason }, SENT]);
      expect(await idsReceived()).toEqual([B.id]);
    },
  );

  test.each([
    ['InternalError', false],
    ['InvalidParameter', false],
    ['Throttled', true],
    ['AuthorizationError', true],
    ['InvalidSecurity', true],
    ['KMSThrottling', true],
    ['KMSAccessDenied', true],
    ['KMSDisabled', true],
    ['NotFound', true],
  ])('is retryable after %s', async (code, senderFault) => {
    failA({ code, senderFault });

    const results = await createSnsDestination({ client, topicArn }).send([A, B]);

    expect(results).toEqual([{ sent: false, cause: 'failed', reason: expect.stringContaining(code) }, SENT]);
  });

  test('is retryable if the answer does not contain it', async () => {
    failA('left out');

    const results = await createSnsDestination({ client, topicArn }).send([A, B]);

    expect(results).toEqual([{ sent: false, cause: 'failed', reason: expect.any(String) }, SENT]);
  });

  test('is reported by its code and size, without a message that may repeat its content', async () => {
    failA({ code: 'InvalidParameter', senderFault: true, message: 'The value A Customer is not valid' });

    const results = await createSnsDestination({ client, topicArn }).send([A, B]);

    expect(JSON.stringify(results)).not.toContain('A Customer');
  });
});

describe('a call that is rejected as a whole', () => {
  const rejectCallsWith = (id: string, code: string, message = 'The value A Customer is not valid') =>
    topic.next(
      (ids) => (ids.includes(id) ? { error: { code, message } } : { entries: {} }),
      Number.POSITIVE_INFINITY,
    );

  test.each(['InvalidParameter', 'ParameterValueInvalid', 'ValidationException', 'ValidationError'])(
    'with %s stops only the event that causes it',
    async (code) => {
      const events = Array.from({ length: 10 }, (_, group) => anEvent(aKey(group), 1));
      const bad = anEvent(aKey(6), 1);
      rejectCallsWith(bad.id, code);

      const results = await createSnsDestination({ client, topicArn }).send(events);

      const refused = { sent: false, cause: 'rejected', reason: expect.stringContaining('bytes') };
      expect(results).toEqual(events.map(({ id }) => (id === bad.id ? refused : SENT)));
      expect(await idsReceived()).toEqual(events.flatMap(({ id }) => (id === bad.id ? [] : [id])).sort());
      expect(JSON.stringify(results)).not.toContain('A Customer');
    },
  );

  test.each([
    ['AuthorizationError', 403],
    ['KMSAccessDenied', 400],
    ['KMSInvalidState', 400],
    ['KMSThrottling', 400],
    ['Throttled', 429],
    ['InternalError', 500],
    ['NotFound', 404],
    ['InvalidClientTokenId', 403],
    ['SignatureDoesNotMatch', 403],
  ])('with %s rejects no event, and fails at once', async (code, status) => {
    topic.next(() => ({ error: { code, status } }), Number.POSITIVE_INFINITY);

    const sending = createSnsDestination({ client, topicArn }).send([A, B]);

    await expect(sending).rejects.toThrow();
    expect(topic.batches).toHaveLength(1);
  });

  test('because of the topic’s name makes the send fail, and no single event', async () => {
    rejectCallsWith(A.id, 'InvalidParameter', 'Invalid parameter: TopicArn');

    const sending = createSnsDestination({ client, topicArn }).send([A]);

    await expect(sending).rejects.toThrow('TopicArn');
  });
});

describe('size', () => {
  const large = (group: number, characters = 90_000) => anEvent(aKey(group), 1, 'x'.repeat(characters));

  test('a batch beyond one call’s limit is sent in several', async () => {
    const destination = createSnsDestination({ client, topicArn, maxBytes: MAXIMUM });

    const results = await destination.send([large(1), large(2), large(3)]);

    expect(results).toEqual([SENT, SENT, SENT]);
    expect(topic.batches.map((batch) => batch.length)).toEqual([2, 1]);
    expect(await received()).toHaveLength(3);
  });

  test('if the topic accepts less than expected, the batch is divided until it fits', async () => {
    const results = await createSnsDestination({ client, topicArn }).send([large(1), large(2), large(3)]);

    expect(results).toEqual([SENT, SENT, SENT]);
    expect(await received()).toHaveLength(3);
  });

  test('if one message is larger than the topic accepts, only that one is rejected', async () => {
    const results = await createSnsDestination({ client, topicArn }).send([
      large(1),
      large(2),
      large(3),
      large(4, MAXIMUM),
    ]);

    const refused = { sent: false, cause: 'rejected', reason: expect.stringContaining('bytes') };
    expect(results).toEqual([SENT, SENT, SENT, refused]);
    expect(await received()).toHaveLength(3);
  });

  test('the size of a message is counted like SNS counts it', async () => {
    const exactly = sizeOf(A);

    const fits = await createSnsDestination({ client, topicArn, maxBytes: exactly }).send([A]);
    const tooLarge = await createSnsDestination({ client, topicArn, maxBytes: exactly - 1 }).send([B]);

    expect(fits).toEqual([SENT]);
    expect(tooLarge).toEqual([{ sent: false, cause: 'rejected', reason: `too large (${exactly} bytes)` }]);
  });

  test('a message as large as the topic allows is accepted, one byte more is not', async () => {
    const padding = MAXIMUM - sizeOf(large(1, 0));
    const destination = createSnsDestination({ client, topicArn });

    const results = await destination.send([large(1, padding), large(2, padding + 1)]);

    expect(results).toEqual([SENT, { sent: false, cause: 'rejected', reason: expect.any(String) }]);
  });
});

/** SNS counts the body, and the name, the type and the value of each attribute. */
function sizeOf(event: FeedEvent): number {
  const attributes =
    'sourceString/sources/acmetypeStringshipment.status_changedentityStringshipmenttoStringDELIVERED' +
    'fromStringIN_TRANSITchangedString.Array["status"]';
  return Buffer.byteLength(JSON.stringify(event) + attributes);
}
