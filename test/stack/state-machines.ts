// The template's state machines, each on its own engine. The calls of their tasks are checked against their roles, like
// the calls of functions.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type StepFunctionsEngine, startStepFunctions } from '../step-functions/step-functions-engine.ts';
import type { AwsEndpoint } from './aws-endpoint.ts';
import { REGION } from './create-resources.ts';
import { resourcesOf } from './template.ts';
import type { World } from './world.ts';

/**
 * Step Functions creates a state machine that logs only if its role has these permissions.
 * https://docs.aws.amazon.com/step-functions/latest/dg/cw-logs.html
 */
const LOGGING = [
  'logs:CreateLogDelivery',
  'logs:DeleteLogDelivery',
  'logs:DescribeLogGroups',
  'logs:DescribeResourcePolicies',
  'logs:GetLogDelivery',
  'logs:ListLogDeliveries',
  'logs:PutResourcePolicy',
  'logs:UpdateLogDelivery',
];

export interface StateMachines {
  stop(): Promise<void>;
}

export async function startStateMachines(world: World, endpoint: AwsEndpoint): Promise<StateMachines> {
  const clients: DynamoDBClient[] = [];
  for (const [id] of resourcesOf(world.template, 'AWS::StepFunctions::StateMachine')) {
    const { DefinitionString, LoggingConfiguration, RoleArn } = world.properties(id);
    if (LoggingConfiguration !== undefined)
      for (const action of LOGGING) world.require(RoleArn, { action, resource: '*' });
    // The endpoint identifies it by its access key, like a function.
    const credentials = { accessKeyId: id, secretAccessKey: 'secret' };
    const dynamoDb = new DynamoDBClient({ region: REGION, credentials, endpoint: endpoint.url });
    clients.push(dynamoDb);
    const stateMachineArn = world.created.names.ref(id);
    world.stateMachines.set(
      id,
      await startStepFunctions({ definition: DefinitionString, dynamoDb, stateMachineArn }),
    );
  }
  return {
    async stop() {
      await Promise.all([...world.stateMachines.values()].map((engine) => engine.stop()));
      for (const client of clients) client.destroy();
    },
  };
}

/** @returns the state machine of a call to Step Functions, by its ARN or by a token of one of its tasks */
export function stateMachineOf(
  { stateMachines }: Pick<World, 'stateMachines'>,
  call: { readonly stateMachineArn?: string; readonly taskToken?: string },
): StepFunctionsEngine | undefined {
  return [...stateMachines.values()].find(
    ({ stateMachineArn, hasIssued }) =>
      stateMachineArn === call.stateMachineArn || (call.taskToken !== undefined && hasIssued(call.taskToken)),
  );
}
