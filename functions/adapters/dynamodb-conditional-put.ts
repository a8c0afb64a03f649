// Writes or updates one item if a condition holds. A put that timed out may have taken effect, and the SDK then sends it again.
// The rejection returns the stored item, so that the caller can distinguish its own write from another's.
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  TransactionConflictException,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { numberValue, type StoredItem } from './attribute-values.ts';
import { backOff, MAX_FRUITLESS_TRIES } from './backoff.ts';
import type { Connection } from './dynamodb-client.ts';

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
export async function putIf(connection: Connection, put: ConditionalPut): Promise<PutOutcome> {
  const { client } = connection;
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
      await backOff(connection, tries);
    }
  }
}

function keyOf({ key, item }: ConditionalPut): StoredItem {
  return Object.fromEntries(Object.entries(item).filter(([name]) => key.includes(name)));
}

export interface Change
  extends Pick<
    UpdateItemCommand['input'],
    'ConditionExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'
  > {
  readonly UpdateExpression: string;
}

/** @returns the changed item; undefined if the condition does not hold */
export async function updateIf(
  client: DynamoDBClient,
  table: string,
  key: StoredItem,
  change: Change,
): Promise<StoredItem | undefined> {
  const update = { TableName: table, Key: key, ...change, ReturnValues: 'ALL_NEW' } as const;
  try {
    return (await client.send(new UpdateItemCommand(update))).Attributes ?? {};
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return undefined;
    throw error;
  }
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
