// The function as in Lambda, in cases that the checks on MiniStack (test/ministack) don't cover: without an environment,
// and with failing calls.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import delivered from '../../../docs/events/examples/shipment.status_changed.json' with { type: 'json' };
import type { FeedEvent } from '../../../shared/contract/event.ts';
import { type DynamoDbEngine, startDynamoDbEngine } from '../../engines/dynamodb-engine.ts';
import { connectDynamoDb } from '../../engines/sdk-clients.ts';
import { batch, CONTEXT } from '../subscriber-kit/deliveries.ts';
import { createWarehouseTable } from './warehouse-table.ts';

let engine: DynamoDbEngine;
let dynamoDb: DynamoDBClient;
let stepFunctions: Server;
/** Whether the state machine exists. */
let exists = true;
/** The names of the started executions. */
const started: string[] = [];

beforeAll(async () => {
  engine = await startDynamoDbEngine();
  dynamoDb = connectDynamoDb(engine.endpoint);
  stepFunctions = createServer(async (request, response) => {
    const { name } = (await json(request)) as { name: string };
    if (exists) started.push(name);
    const answer = exists ? { executionArn: name, startDate: 0 } : { __type: 'StateMachineDoesNotExist' };
    response.writeHead(exists ? 200 : 400, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(JSON.stringify(answer));
  }).listen(0, '127.0.0.1');
  await once(stepFunctions, 'listening');
});
afterAll(async () => {
  stepFunctions.close();
  stepFunctions.closeAllConnections();
  dynamoDb.destroy();
  await engine.stop();
});

/** A process of the function, with its own memory. */
async function newProcess() {
  vi.resetModules();
  return import('../../../functions/sample-warehouse/handler.ts');
}

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
  const { handler, onBus } = await newProcess();

  const missing = /TABLE_NAME: .*STATE_MACHINE_ARN: /;
  await expect(handler(batch(), CONTEXT)).rejects.toThrow(missing);
  await expect(onBus(batch(), CONTEXT)).rejects.toThrow(missing);
});

test('an event fails if its workflow does not start, and starts it when it is delivered again', async () => {
  const { port } = stepFunctions.address() as AddressInfo;
  for (const [name, value] of Object.entries({
    TABLE_NAME: await createWarehouseTable(dynamoDb),
    STATE_MACHINE_ARN: 'arn:aws:states:us-east-1:000000000000:stateMachine:Parcel',
    AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint,
    AWS_ENDPOINT_URL_SFN: `http://127.0.0.1:${port}`,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    POWERTOOLS_LOG_LEVEL: 'SILENT',
  }))
    vi.stubEnv(name, value);
  exists = false;
  const failing = await newProcess();
  await expect(failing.handler(batch(parcel(1)), CONTEXT)).rejects.toThrow('failed');
  exists = true;

  const { handler } = await newProcess();
  await handler(batch(parcel(1)), CONTEXT);

  expect(started).toEqual(['acme_mi8x2k_1_5']);
  vi.unstubAllEnvs();
});
