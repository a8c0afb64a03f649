// A DynamoDB call through Step Functions' SDK integration: parameters and results are those of the API, and an error's
// name begins with the service's.
// https://docs.aws.amazon.com/step-functions/latest/dg/supported-services-awssdk.html
import { type DynamoDBClient, GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { named } from './states-language.ts';

export async function callDynamoDb(
  client: DynamoDBClient,
  action: string,
  parameters: object,
): Promise<object> {
  try {
    const { $metadata: _, ...result } = await send(client, action, parameters as never);
    return result;
  } catch (cause) {
    if (!(cause instanceof Error)) throw cause;
    throw named(`DynamoDb.${cause.name}`, cause.message);
  }
}

function send(client: DynamoDBClient, action: string, parameters: never) {
  if (action === 'getItem') return client.send(new GetItemCommand(parameters));
  if (action === 'updateItem') return client.send(new UpdateItemCommand(parameters));
  throw new Error(`Unknown DynamoDB call ${action}: add it to call-dynamodb.ts.`);
}
