// Deletes a group's events from the ledger. For commands only: no function's role may delete an item.
import { BatchWriteItemCommand, type WriteRequest } from '@aws-sdk/client-dynamodb';
import { TABLES } from '../../shared/deployment/tables.ts';
import { chunked } from '../../shared/in-parallel.ts';
import type { LedgerEraser } from '../../shared/ports.ts';
import { formatGroupKey } from '../../shared/recording/group-key.ts';
import { numberValue, type StoredItem } from './attribute-values.ts';
import type { TableAccess } from './dynamodb-client.ts';
import { queryItems } from './dynamodb-pages.ts';
import { readUntilWhole } from './read-until-whole.ts';

/** BatchWriteItem's limit. */
const DELETIONS_TO_A_REQUEST = 25;

const { partitionKey, sortKey } = TABLES.ledger;

export function createDynamoDbLedgerEraser(options: TableAccess<'ledger'>): LedgerEraser {
  return {
    async erase(key, through) {
      const entries = queryItems(options.client, {
        TableName: options.tables.ledger,
        ConsistentRead: true,
        KeyConditionExpression: `${partitionKey.name} = :k AND ${sortKey.name} <= :through`,
        ExpressionAttributeValues: { ':k': { S: formatGroupKey(key) }, ':through': numberValue(through) },
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
async function deleteAll(options: TableAccess<'ledger'>, keys: readonly StoredItem[]): Promise<void> {
  const { client, tables } = options;
  const requests: readonly WriteRequest[] = keys.map((Key) => ({ DeleteRequest: { Key } }));
  const write = async (some: readonly WriteRequest[]) => {
    const answer = await client.send(
      new BatchWriteItemCommand({ RequestItems: { [tables.ledger]: [...some] } }),
    );
    return { items: [], left: answer.UnprocessedItems?.[tables.ledger] ?? [] };
  };
  await readUntilWhole(
    requests,
    write,
    options,
    (left) => `DynamoDB left ${left} of ${keys.length} events undeleted`,
  );
}
