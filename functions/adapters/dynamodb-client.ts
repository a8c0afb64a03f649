// The client that all DynamoDB adapters share. By default the SDK waits for an answer without a limit. A table answers
// within milliseconds, so a request that takes seconds is sent again.
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { requestLimits } from './request-limits.ts';

/** @param overrides other options of the SDK's client, for instance an endpoint */
export function createDynamoDbClient(overrides: DynamoDBClientConfig = {}): DynamoDBClient {
  return new DynamoDBClient({
    maxAttempts: 4,
    requestHandler: requestLimits(5_000),
    ...overrides,
  });
}
