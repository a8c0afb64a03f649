// The function as in Lambda, in cases that the workflow's tests don't cover: without an environment, and with failing
// calls.
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import delivered from '../../../docs/events/examples/shipment.status_changed.json' with { type: 'json' };
import type { FeedEvent } from '../../../shared/contract/event.ts';
import { type DynamoDbEngine, startDynamoDbEngine } from '../../engines/dynamodb-engine.ts';
import { connectDynamoDb } from '../../engines/sdk-clients.ts';
import { batch, CONTEXT } from '../subscriber-kit/deliveries.ts';
import { definitionFor, startWarehouse } from './start-warehouse.ts';

let engine: DynamoDbEngine;
let dynamoDb: DynamoDBClient;

beforeAll(async () => {
  engine = await startDynamoDbEngine();
  dynamoDb = connectDynamoDb(engine.endpoint);
  // Do the slow loading here, outside of any test's time.
  definitionFor('any');
}, 120_000);
afterEach(() => {
  vi.unstubAllEnvs();
});
afterAll(async () => {
  dynamoDb.destroy();
  await engine.stop();
});

/** The example of the catalogue, of another group. */
function parcel(group: number): FeedEvent {
  const { data, ...envelope } = delivered;
  return {
    ...envelope,
    id: `acme_mi8x2k_${group}_5`,
    partitionkey: `acme/${group}`,
    data: { ...data, object: { ...data.object, status: 'DELIVERED' } },
  } as unknown as FeedEvent;
}

test('importing it reads no environment; the first invocation does, and names all missing variables', async () => {
  vi.resetModules();
  const { handler, onBus } = await import('../../../functions/sample-warehouse/handler.ts');

  const missing = /TABLE_NAME: .*STATE_MACHINE_ARN: /;
  await expect(handler(batch(), CONTEXT)).rejects.toThrow(missing);
  await expect(onBus(batch(), CONTEXT)).rejects.toThrow(missing);
});

test('an event fails if its workflow does not start, and starts it when it is delivered again', async () => {
  const warehouse = await startWarehouse(dynamoDb, engine.endpoint);
  const { executions, stateMachineArn } = warehouse.stepFunctions;
  vi.stubEnv('STATE_MACHINE_ARN', `${stateMachineArn}-gone`);
  const failing = await warehouse.startProcess();
  await expect(failing.handle([parcel(1)])).rejects.toThrow('failed');
  const before = executions.names();
  vi.stubEnv('STATE_MACHINE_ARN', stateMachineArn);

  const { handle } = await warehouse.startProcess();
  await handle([parcel(1)]);

  expect(before).toEqual([]);
  expect(executions.names()).toEqual(['acme_mi8x2k_1_5']);
  await warehouse.stop();
});
