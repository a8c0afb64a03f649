// The engines in place of DynamoDB and SQS for a deployed template.
import { startDynamoDbEngine } from '../engines/dynamodb-engine.ts';
import { startSqsEngine } from '../engines/sqs-engine.ts';
import type { EngineAddresses } from './deployment.ts';

/** @param ends receives the functions that stop the engines */
export async function startEngines(ends: (() => unknown)[]): Promise<EngineAddresses> {
  const [dynamoDb, sqs] = await Promise.all([startDynamoDbEngine(), startSqsEngine()]);
  ends.push(dynamoDb.stop, sqs.stop);
  return { dynamoDb: dynamoDb.endpoint, sqs: sqs.endpoint };
}
