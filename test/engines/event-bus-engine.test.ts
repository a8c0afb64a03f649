import { EventBridgeClient, PutEventsCommand, type PutEventsRequestEntry } from '@aws-sdk/client-eventbridge';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { BusEvent } from './event-bus.ts';
import { type EventBusEngine, startEventBusEngine } from './event-bus-engine.ts';

let engine: EventBusEngine;
let client: EventBridgeClient;
const deliveryErrors: unknown[] = [];

beforeAll(async () => {
  engine = await startEventBusEngine({
    region: 'eu-west-1',
    now: () => Date.parse('2026-11-20T10:15:02.999Z'),
    onDeliveryError: (error) => deliveryErrors.push(error),
  });
  client = new EventBridgeClient({
    endpoint: engine.endpoint,
    region: 'eu-west-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
});
afterAll(async () => {
  client.destroy();
  await engine.stop();
});

const entry = (change: Partial<PutEventsRequestEntry> = {}): PutEventsRequestEntry => ({
  EventBusName: 'feed',
  Source: 'returns-change-feed.acme',
  DetailType: 'shipment.created',
  Detail: '{"id":"a"}',
  ...change,
});

const put = (...entries: PutEventsRequestEntry[]) => client.send(new PutEventsCommand({ Entries: entries }));

/** The events that a subscriber with this pattern receives. */
async function delivered(pattern: Record<string, unknown>, ...entries: PutEventsRequestEntry[]) {
  const events: BusEvent[] = [];
  const unsubscribe = engine.bus.subscribe(pattern, (event) => void events.push(event));
  await put(...entries);
  await engine.bus.idle();
  unsubscribe();
  return events;
}

test("delivers a rule's envelope", async () => {
  const events = await delivered({ source: [{ exists: true }] }, entry({ Resources: ['arn:aws:x'] }));

  expect(events).toEqual([
    {
      version: '0',
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      'detail-type': 'shipment.created',
      source: 'returns-change-feed.acme',
      account: '000000000000',
      time: '2026-11-20T10:15:02Z',
      region: 'eu-west-1',
      resources: ['arn:aws:x'],
      detail: { id: 'a' },
    },
  ]);
});

test("keeps the sender's time", async () => {
  const [event] = await delivered({ source: [{ exists: true }] }, entry({ Time: new Date(1_000) }));

  expect(event?.time).toBe('1970-01-01T00:00:01Z');
});

test('answers with the id of each event', async () => {
  const events: BusEvent[] = [];
  const unsubscribe = engine.bus.subscribe(
    { source: [{ exists: true }] },
    (event) => void events.push(event),
  );

  const { Entries, FailedEntryCount } = await put(entry(), entry());
  await engine.bus.idle();
  unsubscribe();

  expect(FailedEntryCount).toBe(0);
  expect(Entries?.map(({ EventId }) => EventId)).toEqual(events.map(({ id }) => id));
});

test('delivers only matching events', async () => {
  const events = await delivered(
    { detail: { status: ['DELIVERED'] } },
    entry({ Detail: '{"status":"DELIVERED"}' }),
    entry({ Detail: '{"status":"FAILED"}' }),
  );

  expect(events.map(({ detail }) => detail)).toEqual([{ status: 'DELIVERED' }]);
});

test('a failing subscriber is reported, and does not affect the others', async () => {
  const failure = new Error('target failed');
  const unsubscribe = engine.bus.subscribe({ source: [{ exists: true }] }, () => Promise.reject(failure));

  const events = await delivered({ source: [{ exists: true }] }, entry());
  unsubscribe();

  expect(events).toHaveLength(1);
  expect(deliveryErrors).toEqual([failure]);
});

test('refuses single entries inside an answer that succeeds', async () => {
  const { Entries, FailedEntryCount } = await put(
    entry({ Source: undefined }),
    entry({ DetailType: '' }),
    entry({ Detail: undefined }),
    entry({ Detail: '{' }),
    entry({ Detail: '[]' }),
    entry({ Detail: '"text"' }),
    entry({ Source: 'aws.shipping' }),
    entry(),
  );

  expect(FailedEntryCount).toBe(7);
  expect(Entries?.map(({ ErrorCode, EventId }) => ErrorCode ?? typeof EventId)).toEqual([
    ...['InvalidArgument', 'InvalidArgument', 'InvalidArgument'],
    ...['MalformedDetail', 'MalformedDetail', 'MalformedDetail'],
    'NotAuthorizedForSourceException',
    'string',
  ]);
});

test('refuses more than ten entries', async () => {
  await expect(put(...Array.from({ length: 11 }, () => entry()))).rejects.toMatchObject({
    name: 'ValidationException',
    $metadata: { httpStatusCode: 400 },
  });
});

test('refuses more than a mebibyte, counted as EventBridge counts', async () => {
  const size = Buffer.byteLength('returns-change-feed.acme') + Buffer.byteLength('shipment.created') + 14;
  const detail = (bytes: number) => `{"a":"${'ä'.repeat((bytes - 8) / 2)}"}`;
  const Time = new Date();

  const largest = await put(entry({ Time, Detail: detail(1_048_576 - size) }));

  expect(largest.FailedEntryCount).toBe(0);
  await expect(put(entry({ Time, Detail: detail(1_048_578 - size) }))).rejects.toThrow(/over the limit/);
});

test('answers other calls with an error', async () => {
  const response = await fetch(engine.endpoint, {
    method: 'POST',
    headers: { 'x-amz-target': 'AWSEvents.PutRule' },
    body: '{}',
  });

  expect(response.status).toBe(400);
});
