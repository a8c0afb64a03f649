// The client that all DynamoDB adapters share. By default the SDK waits for an answer without a limit. A table answers
// within milliseconds, so a request that takes seconds is sent again.
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import type { TableNames, TableRole } from '../../shared/deployment/tables.ts';
import { type Instant, MILLISECOND } from '../../shared/instant.ts';
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
  const client = new DynamoDBClient({
    maxAttempts: 4,
    requestHandler: requestLimits(5_000),
    ...overrides,
  });
  // Of the client, not of a command: a client that caches its handlers would ignore those of later commands.
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      if (result.output)
        Object.assign(result.output.$metadata, withDate.safeParse(result.response).data?.headers);
      return result;
    },
    { step: 'deserialize', priority: 'high', name: 'keepDate' },
  );
  return client;
}

const withDate = z.object({ headers: z.object({ date: z.string() }) });

/** Returns the Date header of an answer to a client made here; the SDK itself does not expose headers. */
export function dateOf({ $metadata }: { readonly $metadata: object }): Instant | undefined {
  const time = 'date' in $metadata ? Date.parse(String($metadata.date)) : Number.NaN;
  return Number.isNaN(time) ? undefined : time * MILLISECOND;
}
