import type { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createEventBridgeDestination } from '../../../functions/adapters/eventbridge-destination.ts';
import { connectEventBridge } from '../../contract/destinations.ts';
import { type FaultyProxy, rewriting, startFaultyProxy } from '../../contract/faulty-proxy.ts';
import type { BusEvent } from '../../engines/event-bus.ts';
import { type EventBusEngine, startEventBusEngine } from '../../engines/event-bus-engine.ts';
import { aKey, anEvent } from '../../shared/publishing/an-event.ts';

const A = anEvent(aKey(1), 1);
const B = anEvent(aKey(2), 1);
const SENT = { sent: true };
const eventBusName = 'feed';

let engine: EventBusEngine;
let proxy: FaultyProxy;
let client: EventBridgeClient;
let events: BusEvent[];

beforeEach(async () => {
  engine = await startEventBusEngine();
  proxy = await startFaultyProxy(engine.endpoint);
  client = connectEventBridge(proxy.endpoint);
  events = [];
  engine.bus.subscribe({ source: [{ prefix: 'returns-change-feed.' }] }, (event) => {
    events.push(event);
  });
});
afterEach(async () => {
  client.destroy();
  await proxy.close();
  await engine.stop();
});

test('an event arrives with the feed’s EventBridge source, its type, and its time in whole seconds', async () => {
  await createEventBridgeDestination({ client, eventBusName }).send([A]);

  await engine.bus.idle();
  expect(events).toMatchObject([
    {
      source: 'returns-change-feed.acme',
      'detail-type': 'shipment.status_changed',
      time: '2026-11-20T10:15:02Z',
      resources: [],
      detail: A,
    },
  ]);
});

test('an event is put onto the named bus', async () => {
  let name: unknown;
  proxy.next('PutEvents', ({ body, forward }) => {
    name = body.Entries[0].EventBusName;
    return forward();
  });

  await createEventBridgeDestination({ client, eventBusName }).send([A]);

  expect(name).toBe('feed');
});

test('an event with an invalid time is sent without it', async () => {
  const results = await createEventBridgeDestination({ client, eventBusName }).send([
    { ...A, time: 'yesterday' },
  ]);

  expect(results).toEqual([SENT]);
});

describe('a failed entry', () => {
  test.each(['MalformedDetail', 'InvalidArgument', 'RedactionFailure'])(
    'is rejected for %s',
    async (ErrorCode) => {
      expect(await sendWith({ ErrorCode, ErrorMessage: 'injected by the test' })).toEqual([
        { sent: false, cause: 'rejected', reason: expect.stringContaining(ErrorCode) },
        SENT,
      ]);
    },
  );

  test.each([
    'InternalFailure',
    'InternalException',
    'ThrottlingException',
    'AccessDeniedException',
    'NotAuthorizedForSourceException',
    'NotAuthorizedForDetailTypeException',
    'InvalidAccountIdException',
    'SomethingNewException',
  ])('is retryable after %s', async (ErrorCode) => {
    expect(await sendWith({ ErrorCode, ErrorMessage: 'injected by the test' })).toEqual([
      { sent: false, cause: 'failed', reason: expect.stringContaining(ErrorCode) },
      SENT,
    ]);
  });

  test('is retryable if the answer does not contain it', async () => {
    expect(await sendWith({})).toEqual([{ sent: false, cause: 'failed', reason: expect.any(String) }, SENT]);
  });

  /** Sends two events; the first gets this answer. */
  async function sendWith(entry: Record<string, string>) {
    proxy.next(
      'PutEvents',
      rewriting((answer) => ({
        ...answer,
        body: { FailedEntryCount: 1, Entries: [entry, answer.body.Entries[1]] },
      })),
    );
    return createEventBridgeDestination({ client, eventBusName }).send([A, B]);
  }
});

describe('size', () => {
  const large = (group: number) => anEvent(aKey(group), 1, 'x'.repeat(500_000));

  test('a batch beyond one call’s limit is sent in several', async () => {
    const results = await createEventBridgeDestination({ client, eventBusName }).send([
      large(1),
      large(2),
      large(3),
    ]);

    expect(results).toEqual([SENT, SENT, SENT]);
    expect(proxy.operations).toEqual(['PutEvents', 'PutEvents']);
  });

  test('if the bus accepts less than expected, the batch is halved until it fits', async () => {
    const destination = createEventBridgeDestination({ client, eventBusName, maxBytes: 10 * 1_048_576 });
    const beyond = anEvent(aKey(4), 1, 'x'.repeat(1_048_576));

    const results = await destination.send([large(1), large(2), large(3), beyond]);

    expect(results).toEqual([
      SENT,
      SENT,
      SENT,
      { sent: false, cause: 'rejected', reason: expect.any(String) },
    ]);
  });

  test('the size of an entry is counted like EventBridge counts it', async () => {
    const exactly =
      Buffer.byteLength(`returns-change-feed.acmeshipment.status_changed${JSON.stringify(A)}`) + 14;

    const fits = await createEventBridgeDestination({ client, eventBusName, maxBytes: exactly }).send([A]);
    const tooLarge = await createEventBridgeDestination({ client, eventBusName, maxBytes: exactly - 1 }).send(
      [B],
    );

    expect(fits).toEqual([SENT]);
    expect(tooLarge).toEqual([{ sent: false, cause: 'rejected', reason: `too large (${exactly} bytes)` }]);
  });
});
