// The client that all DynamoDB adapters share. Left to itself the SDK waits for an answer for ever; a table answers
// within milliseconds, so a request that takes seconds is better sent again.
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';

/** @param overrides what else the SDK's client takes, for instance an endpoint */
export function createDynamoDbClient(overrides: DynamoDBClientConfig = {}): DynamoDBClient {
  return new DynamoDBClient({
    maxAttempts: 4,
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 5_000, throwOnRequestTimeout: true },
    ...overrides,
  });
}
