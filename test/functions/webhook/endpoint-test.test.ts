// A test of a webhook by its sender: one attempt, for any behaviour of the queue and the stores.
import { SQSClient } from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import type { EndpointTestResult } from '../../../functions/adapters/dynamodb-endpoint-tests.ts';
import {
  createEndpointTest,
  formatTestId,
  parseTestId,
  type RunEndpointTest,
} from '../../../functions/webhook/endpoint-test.ts';
import { createRingHandler, parseMessage } from '../../../functions/webhook/ring-handler.ts';
import { parseEventId } from '../../../shared/contract/event-id.ts';
import type { Log } from '../../../shared/ports.ts';
import type { Answer, PostRequest } from '../../../shared/webhooks/webhook-ports.ts';
import { hastyClock } from '../../contract/stores.ts';

const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} };
const ID = formatTestId(1_763_800_000_000);
const ANSWER: Answer = { status: 204, retryAfter: undefined, requestMs: 12 };

function aTest() {
  const posted: PostRequest[] = [];
  const stored: EndpointTestResult[] = [];
  const run = createEndpointTest({
    webhook: 'Wms',
    post: async (request) => {
      posted.push(request);
      return ANSWER;
    },
    tests: {
      load: async () => stored.at(-1),
      save: async (_, result) => void stored.push(result),
    },
    clock: hastyClock,
    log: SILENT,
  });
  return { run, posted, stored };
}

describe('a test', () => {
  test('has the id and envelope of an event, and its result is stored once', async () => {
    const { run, posted, stored } = aTest();

    await run(parseTestId(ID)!);

    expect(stored).toEqual([{ id: ID, answer: ANSWER }]);
    expect(posted[0]?.id).toBe(ID);
    expect(JSON.parse(posted[0]?.body ?? '')).toMatchObject({
      specversion: '1.0',
      id: ID,
      type: 'feed.endpoint_test',
      source: '/sources/test',
      partitionkey: 'test/feed',
      data: { sequence: parseEventId(ID)?.sequence, object: { type: 'endpoint_test', webhook: 'Wms' } },
    });
  });

  test('is not posted again if the queue delivers its message again', async () => {
    const { run, posted } = aTest();

    await run(parseTestId(ID)!);
    await run(parseTestId(ID)!);

    expect(posted).toHaveLength(1);
  });
});

test.each([
  ['an event', JSON.stringify({ id: 'acme_mi8x2k_7_3' }), 'ring'],
  ['a test', JSON.stringify({ test: ID }), 'test'],
  ['a test with the id of an event', JSON.stringify({ test: 'acme_mi8x2k_feed_3' }), undefined],
  ['neither', JSON.stringify({ hello: 1 }), undefined],
  ['no JSON', '{', undefined],
])('a message names %s', (_, body, kind) => {
  expect(Object.keys(parseMessage(body) ?? {})).toEqual(kind === undefined ? [] : [kind]);
});

test('a failed test of an endpoint is not retried', async () => {
  const ran: Parameters<RunEndpointTest>[0][] = [];
  const handle = createRingHandler({
    client: new SQSClient({ region: 'eu-west-1' }),
    queueUrl: 'http://127.0.0.1:1/wms',
    send: async () => ({ isDone: true }),
    test: async (id) => {
      ran.push(id);
      throw new Error('the table does not answer');
    },
    log: SILENT,
    onFailing() {},
    untilNextPost: async () => {},
  });

  const response = await handle(
    { Records: [{ messageId: 'm1', body: JSON.stringify({ test: ID }) } as SQSRecord] },
    60_000,
  );

  expect(ran).toHaveLength(1);
  expect(response).toEqual({ batchItemFailures: [] });
});
