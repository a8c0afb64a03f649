// The sample warehouse: a subscriber that starts a workflow for each delivered parcel, and wakes it when a line item of
// the parcel is no longer open. `handler` reads the ordered queue; `onBus` does the same behind rules of the bus.
import { Logger } from '@aws-lambda-powertools/logger';
import { SFNClient } from '@aws-sdk/client-sfn';
import * as z from 'zod';
import { createDynamoDbClient } from '../adapters/dynamodb-client.ts';
import { environmentParser } from '../adapters/parse-environment.ts';
import { requestLimits } from '../adapters/request-limits.ts';
import {
  type BusSubscriber,
  createBusSubscriber,
  createQueueSubscriber,
  type QueueSubscriber,
} from '../subscriber-kit/subscriber.ts';
import type {
  BusEvent,
  LambdaContext,
  QueueEvent,
  QueueResponse,
  SubscriberOptions,
} from '../subscriber-kit/subscriber-options.ts';
import { createGoodsTable } from './goods-table.ts';
import { createParcelWorkflow } from './parcel-workflow.ts';
import { createWarehouseHandlers } from './warehouse-handlers.ts';

const text = z.string().min(1);
const parseEnvironment = environmentParser(
  "The sample warehouse's environment",
  z.object({ TABLE_NAME: text, STATE_MACHINE_ARN: text }),
);

let ofQueue: QueueSubscriber | undefined;
let ofBus: BusSubscriber | undefined;

export async function handler(event: QueueEvent, context: LambdaContext): Promise<QueueResponse> {
  ofQueue ??= createQueueSubscriber(createOptions());
  return ofQueue(event, context);
}

export async function onBus(
  event: BusEvent | QueueEvent,
  context: LambdaContext,
): Promise<QueueResponse | undefined> {
  ofBus ??= createBusSubscriber(createOptions());
  return ofBus(event, context);
}

function createOptions(): SubscriberOptions {
  const { TABLE_NAME: tableName, STATE_MACHINE_ARN: stateMachineArn } = parseEnvironment(process.env);
  return {
    on: createWarehouseHandlers({
      goods: createGoodsTable({ client: createDynamoDbClient(), tableName }),
      workflow: createParcelWorkflow({
        client: new SFNClient({ maxAttempts: 4, requestHandler: requestLimits(5_000) }),
        stateMachineArn,
      }),
    }),
    // Each effect tolerates delays and repeats, so no table of handled events is needed.
    stale: 'handle',
    log: new Logger(),
  };
}
