// Deletes a group's events from the ledger. For commands only: no function's role may delete an item.
import { BatchWriteItemCommand, type DynamoDBClient, type WriteRequest } from '@aws-sdk/client-dynamodb';
import { TABLES, type TableNames } from '../../shared/deployment/tables.ts';
import { chunked } from '../../shared/in-parallel.ts';
import type { LedgerEraser } from '../../shared/ports.ts';
import { formatGroupKey } from '../../shared/recording/group-key.ts';
import { numberValue, type StoredItem, textValue } from './attribute-values.ts';
import type { Patience } from './backoff.ts';
import { queryItems } from './dynamodb-pages.ts';
import { readUntilWhole } from './read-until-whole.ts';

export interface DynamoDbLedgerEraserOptions extends Patience {
  readonly client: DynamoDBClient;
  readonly tables: Pick<TableNames, 'ledger'>;
}

/** BatchWriteItem's limit. */
const DELETIONS_TO_A_REQUEST = 25;

const { partitionKey, sortKey } = TABLES.ledger;

export function createDynamoDbLedgerEraser(options: DynamoDbLedgerEraserOptions): LedgerEraser {
  return {
    async erase(key, through) {
      const entries = queryItems(options.client, {
        TableName: options.tables.ledger,
        ConsistentRead: true,
        KeyConditionExpression: `${partitionKey.name} = :k AND ${sortKey.name} <= :through`,
        ExpressionAttributeValues: { ':k': textValue(formatGroupKey(key)), ':through': numberValue(through) },
        ProjectionExpression: `${partitionKey.name}, ${sortKey.name}`,
      });
      const keys: StoredItem[] = [];
      for await (const entry of entries) keys.push(entry);
      for (const some of chunked(keys, DELETIONS_TO_A_REQUEST)) await deleteAll(options, some);
      return keys.length;
    },
  };
}

/** DynamoDB may leave any deletion undone, and reports which. */
async function deleteAll(
  { client, tables: { ledger }, ...patience }: DynamoDbLedgerEraserOptions,
  keys: readonly StoredItem[],
): Promise<void> {
  const requests: readonly WriteRequest[] = keys.map((Key) => ({ DeleteRequest: { Key } }));
  const write = async (some: readonly WriteRequest[]) => {
    const answer = await client.send(new BatchWriteItemCommand({ RequestItems: { [ledger]: [...some] } }));
    return { items: [], left: answer.UnprocessedItems?.[ledger] ?? [] };
  };
  await readUntilWhole(requests, write, patience);
}
