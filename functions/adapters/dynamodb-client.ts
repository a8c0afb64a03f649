// The client that all DynamoDB adapters share. By default the SDK waits for an answer without a limit. A table answers
// within milliseconds, so a request that takes seconds is sent again.
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import type { TableNames, TableRole } from '../../shared/deployment/tables.ts';
import type { Patience } from './backoff.ts';
import { requestLimits } from './request-limits.ts';

/** A client, and how to wait where an answer asks for another try. */
export interface Connection extends Patience {
  readonly client: DynamoDBClient;
}

/** What an adapter needs to reach its tables. */
export interface TableAccess<Role extends TableRole> extends Connection {
  readonly tables: Pick<TableNames, Role>;
}

/** @param overrides other options of the SDK's client, for instance an endpoint */
export function createDynamoDbClient(overrides: DynamoDBClientConfig = {}): DynamoDBClient {
  return new DynamoDBClient({
    maxAttempts: 4,
    requestHandler: requestLimits(5_000),
    ...overrides,
  });
}
