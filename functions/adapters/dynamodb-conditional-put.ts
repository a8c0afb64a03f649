// Writes one item if a condition holds. A put that timed out may have taken effect, and the SDK then sends it again.
// The rejection returns the stored item, so that the caller can distinguish its own write from another's.
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import { numberValue, type StoredItem } from './attribute-values.ts';
import { backOff, MAX_FRUITLESS_TRIES, type Patience } from './backoff.ts';

export interface Condition {
  readonly ConditionExpression: string;
  readonly ExpressionAttributeValues?: StoredItem;
}

export const IF_ABSENT: Condition = { ConditionExpression: 'attribute_not_exists(k)' };

/** The item's `n` is still this, or nothing is stored if this is 0. */
export function ifVersion(expectedVersion: number): Condition {
  if (expectedVersion === 0) return IF_ABSENT;
  return { ConditionExpression: 'n = :n', ExpressionAttributeValues: { ':n': numberValue(expectedVersion) } };
}

export interface ConditionalPut {
  readonly table: string;
  /** The names of the key's attributes, all of them in the item. */
  readonly key: readonly string[];
  readonly item: StoredItem;
  readonly condition: Condition;
}

export type PutOutcome =
  | { readonly written: true }
  | { readonly written: false; readonly stored: StoredItem | undefined };

/** @throws if it is unknown whether the item was written */
export async function putIf(
  client: DynamoDBClient,
  patience: Patience,
  put: ConditionalPut,
): Promise<PutOutcome> {
  const command = new PutItemCommand({
    TableName: put.table,
    Item: put.item,
    ...put.condition,
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  for (let tries = 1; ; tries++) {
    try {
      await client.send(command);
      return { written: true };
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) {
        const stored = error.Item ?? (await readItem(client, put.table, keyOf(put)));
        return { written: false, stored };
      }
      // The SDK does not retry when a transaction holds the item.
      if (!(error instanceof TransactionConflictException) || tries === MAX_FRUITLESS_TRIES) throw error;
      await backOff(patience, tries);
    }
  }
}

function keyOf({ key, item }: ConditionalPut): StoredItem {
  return Object.fromEntries(Object.entries(item).filter(([name]) => key.includes(name)));
}

/** Reads an item, strongly consistent. */
export async function readItem(
  client: DynamoDBClient,
  table: string,
  key: StoredItem,
): Promise<StoredItem | undefined> {
  const answer = await client.send(new GetItemCommand({ TableName: table, Key: key, ConsistentRead: true }));
  return answer.Item;
}
