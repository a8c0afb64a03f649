// All items that a query or a scan finds, page after page.
import {
  type DynamoDBClient,
  paginateQuery,
  paginateScan,
  type QueryCommandInput,
  type ScanCommandInput,
} from '@aws-sdk/client-dynamodb';
import type { StoredItem } from './attribute-values.ts';

export async function* queryItems(
  client: DynamoDBClient,
  query: QueryCommandInput,
): AsyncGenerator<StoredItem> {
  for await (const { Items = [] } of paginateQuery({ client }, query)) yield* Items;
}

export async function* scanItems(client: DynamoDBClient, scan: ScanCommandInput): AsyncGenerator<StoredItem> {
  for await (const { Items = [] } of paginateScan({ client }, scan)) yield* Items;
}
