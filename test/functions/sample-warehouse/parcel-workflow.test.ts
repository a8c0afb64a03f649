// Starting and resuming workflows over the wire, with a state machine that does nothing.

import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SFNClient } from '@aws-sdk/client-sfn';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createParcelWorkflow,
  type ParcelWorkflow,
} from '../../../functions/sample-warehouse/parcel-workflow.ts';
import { type StepFunctionsEngine, startStepFunctions } from '../../step-functions/step-functions-engine.ts';

const LOCAL = { region: 'us-east-1', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };
const PARCEL = { return_group: 'acme/1', parcel: 'parcel/21', line_items: ['line_item/11'], expires: '1' };

let engine: StepFunctionsEngine;
let client: SFNClient;
let workflow: ParcelWorkflow;

beforeAll(async () => {
  const definition = { StartAt: 'Nothing', States: { Nothing: { Type: 'Pass', End: true } } };
  engine = await startStepFunctions({ definition, dynamoDb: {} as DynamoDBClient });
  client = new SFNClient({ ...LOCAL, endpoint: engine.endpoint });
  workflow = createParcelWorkflow({ client, stateMachineArn: engine.stateMachineArn });
});
afterAll(async () => {
  client.destroy();
  await engine.stop();
});

test('a delivery starts its workflow once, even after it has ended', async () => {
  await workflow.start('acme_g_1_5', PARCEL);
  expect(await engine.executions.ended('acme_g_1_5')).toEqual(PARCEL);

  await workflow.start('acme_g_1_5', PARCEL);

  expect(engine.executions.names()).toEqual(['acme_g_1_5']);
});

test('an unknown token resumes nothing, and is no failure', async () => {
  await expect(workflow.wake('no-token')).resolves.toBeUndefined();
});

test('a missing state machine is a failure', async () => {
  const other = createParcelWorkflow({ client, stateMachineArn: `${engine.stateMachineArn}-gone` });

  await expect(other.start('acme_g_1_6', PARCEL)).rejects.toThrow('StateMachineDoesNotExist');
});
