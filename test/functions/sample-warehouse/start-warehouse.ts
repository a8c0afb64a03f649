// The sample warehouse on the engines, as its template defines it: a table with the template's keys, its state machine
// with resolved names, and its function as in Lambda, with only its environment as configuration.
import { type DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb';
import { Template } from 'aws-cdk-lib/assertions';
import { vi } from 'vitest';
import { SampleWarehouse } from '../../../infra/sample-warehouse.ts';
import type { FeedEvent } from '../../../shared/contract/event.ts';
import { aFeed, resourceOf } from '../../infra/synthesize.ts';
import { resolve } from '../../stack/resolve-intrinsics.ts';
import { startStepFunctions } from '../../step-functions/step-functions-engine.ts';
import { batch, CONTEXT, onBus } from '../subscriber-kit/deliveries.ts';
import { createWarehouseTable } from './warehouse-table.ts';

/** The template is the same for all tests. */
let template: Template | undefined;

function warehouseTemplate(): Template {
  if (template === undefined) {
    const { stack, feed } = aFeed();
    new SampleWarehouse(stack, 'Warehouse', { feed });
    template = Template.fromStack(stack);
  }
  return template;
}

/** The template's definition, for a named table. */
export function definitionFor(tableName: string): string {
  const { Properties } = resourceOf(warehouseTemplate(), 'AWS::StepFunctions::StateMachine', 'Warehouse');
  return resolve(Properties.DefinitionString, {
    ref: (id) => (id === 'AWS::Partition' ? 'aws' : tableName),
    attribute: (id, name) => `${id}.${name}`,
  });
}

export type Warehouse = Awaited<ReturnType<typeof startWarehouse>>;

export async function startWarehouse(dynamoDb: DynamoDBClient, dynamoDbEndpoint: string) {
  const tableName = await createWarehouseTable(dynamoDb);
  const stepFunctions = await startStepFunctions({ definition: definitionFor(tableName), dynamoDb });
  const environment = {
    TABLE_NAME: tableName,
    STATE_MACHINE_ARN: stepFunctions.stateMachineArn,
    AWS_ENDPOINT_URL_DYNAMODB: dynamoDbEndpoint,
    AWS_ENDPOINT_URL_SFN: stepFunctions.endpoint,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    POWERTOOLS_LOG_LEVEL: 'SILENT',
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  return {
    ...{ tableName, stepFunctions },
    startProcess,
    /** The decision on each part of a group. */
    async decisions(returnGroup: string): Promise<Record<string, string | undefined>> {
      const { Items = [] } = await dynamoDb.send(
        new QueryCommand({
          TableName: tableName,
          KeyConditionExpression: 'return_group = :group',
          ExpressionAttributeValues: { ':group': { S: returnGroup } },
        }),
      );
      return Object.fromEntries(
        Items.flatMap(({ part, decision }) => (decision ? [[part?.S, decision.S]] : [])),
      );
    },
    stop: stepFunctions.stop,
  };
}

/** Starts a process of the function, with its own memory. */
async function startProcess() {
  vi.resetModules();
  const { handler, onBus: handleOnBus } = await import('../../../functions/sample-warehouse/handler.ts');
  return {
    /** Handles the events in order, as the ordered queue delivers them. */
    async handle(events: readonly FeedEvent[]): Promise<void> {
      for (const event of events) await handler(batch(event), CONTEXT);
    },
    async handleOnBus(event: FeedEvent): Promise<void> {
      await handleOnBus(onBus(event), CONTEXT);
    },
  };
}
