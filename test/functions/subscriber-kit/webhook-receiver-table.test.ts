// Receivers of several processes that share a table.
import { IdempotencyAlreadyInProgressError } from '@aws-lambda-powertools/idempotency';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTableMemory } from '../../../functions/subscriber-kit/table-memory.ts';
import { type DynamoDbEngine, startDynamoDbEngine } from '../../engines/dynamodb-engine.ts';
import { connectDynamoDb } from '../../engines/sdk-clients.ts';
import { change } from './deliveries.ts';
import { deferred, receiverUnderTest } from './receiver-under-test.ts';
import { attempt } from './signed-requests.ts';
import { createSubscriberTable } from './subscriber-table.ts';

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

const otherProcess = () => receiverUnderTest({ memory: createTableMemory({ tableName, client }) });

describe('receivers with a shared table', () => {
  it('answer 409 for an event that another process has in progress, and 204 once it is handled', async () => {
    const [begun, work] = [deferred(), deferred()];
    const { receiver } = receiverUnderTest({
      memory: createTableMemory({ tableName, client }),
      on: {
        'shipment.status_changed': () => {
          begun.resolve();
          return work.promise;
        },
      },
    });
    const other = otherProcess();
    const first = receiver(attempt(change(1, 1)));
    await begun.promise;

    const meanwhile = await other.receiver(attempt(change(1, 1)));
    work.resolve();
    const done = await first;
    const afterwards = await other.receiver(attempt(change(1, 1)));

    expect([meanwhile.status, done.status, afterwards.status]).toEqual([409, 204, 204]);
    expect(meanwhile.headers.get('retry-after')).toBe('5');
    expect(other.handled).toEqual([]);
    expect(other.outcomes).toEqual(['failed', 'repeated']);
  });

  it('recognize stale events of another process', async () => {
    const [one, other] = [otherProcess(), otherProcess()];

    await one.receiver(attempt(change(2, 3)));
    const response = await other.receiver(attempt(change(2, 2)));

    expect(response.status).toBe(204);
    expect(other.outcomes).toEqual(['stale']);
  });

  it('answer 500 when a handler’s own use of the idempotency library is in progress', async () => {
    const { receiver } = receiverUnderTest({
      memory: createTableMemory({ tableName, client }),
      on: {
        'shipment.status_changed': () => Promise.reject(new IdempotencyAlreadyInProgressError('theirs')),
      },
    });

    expect((await receiver(attempt(change(4, 1)))).status).toBe(500);
  });

  it('answer 500 when the table does not answer', async () => {
    const { receiver, log } = receiverUnderTest({
      memory: createTableMemory({ tableName: 'missing', client }),
    });

    const response = await receiver(attempt(change(3, 1)));

    expect(response.status).toBe(500);
    expect(log.lines[0]).toMatchObject({ level: 'error' });
  });
});
