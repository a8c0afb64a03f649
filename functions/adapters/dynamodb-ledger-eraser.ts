// Deletes a group's events from the ledger. For commands only: no function's role may delete an item.
import { BatchWriteItemCommand, type WriteRequest } from '@aws-sdk/client-dynamodb';
import { TABLES } from '../../shared/deployment/tables.ts';
import { chunked } from '../../shared/in-parallel.ts';
import type { LedgerEraser } from '../../shared/ports.ts';
import { formatGroupKey } from '../../shared/recording/group-key.ts';
import { numberValue, type StoredItem } from './attribute-values.ts';
import type { TableAccess } from './dynamodb-client.ts';
import { putIf } from './dynamodb-conditional-put.ts';
import { queryItems } from './dynamodb-pages.ts';
import { cutLedgerItem, numbersOf } from './ledger-item.ts';
import { readUntilWhole } from './read-until-whole.ts';

/** BatchWriteItem's limit. */
const DELETIONS_TO_A_REQUEST = 25;

const { partitionKey, sortKey } = TABLES.ledger;
const KEY: readonly string[] = [partitionKey.name, sortKey.name];

export function createDynamoDbLedgerEraser(options: TableAccess<'ledger'>): LedgerEraser {
  return {
    async erase(key, through) {
      const items = queryItems(options.client, {
        TableName: options.tables.ledger,
        ConsistentRead: true,
        KeyConditionExpression: `${partitionKey.name} = :k`,
        ExpressionAttributeValues: { ':k': { S: formatGroupKey(key) } },
      });
      const whole: StoredItem[] = [];
      let erased = 0;
      for await (const item of items) {
        const { first, last } = numbersOf(item);
        if (first > through) break;
        if (last <= through) whole.push(keyOf(item));
        else await cutItem(options, item, through);
        erased += Math.min(last, through) - first + 1;
      }
      for (const some of chunked(whole, DELETIONS_TO_A_REQUEST)) await deleteAll(options, some);
      return erased;
    },
  };
}

function keyOf(item: StoredItem): StoredItem {
  return Object.fromEntries(Object.entries(item).filter(([name]) => KEY.includes(name)));
}

/** Replaces an item by one with its later events. The stream reports no new item, so nothing is sent again. */
async function cutItem(options: TableAccess<'ledger'>, item: StoredItem, through: number): Promise<void> {
  const outcome = await putIf(options, {
    table: options.tables.ledger,
    key: KEY,
    item: cutLedgerItem(item, through),
    condition: {
      ConditionExpression: 'f = :f',
      ExpressionAttributeValues: { ':f': numberValue(numbersOf(item).first) },
    },
  });
  // It has just expired, or an earlier try of this put took effect.
  if (outcome.written || outcome.stored === undefined || numbersOf(outcome.stored).first > through) return;
  throw new Error(`Another process erased events of group ${item.k?.S} at the same time. Try again.`);
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
