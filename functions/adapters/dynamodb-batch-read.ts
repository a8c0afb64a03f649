// Many items by their keys, strongly consistent. DynamoDB answers 100 keys or 16 MB at a time and may leave any of
// them unprocessed; those are asked for again and never taken for absent.
import { BatchGetItemCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { chunked, inParallel } from '../../shared/in-parallel.ts';
import { type StoredItem, textValue } from './attribute-values.ts';
import { backOff, MAX_FRUITLESS_TRIES, type Patience } from './backoff.ts';

const KEYS_TO_A_REQUEST = 100;
const REQUESTS_AT_ONCE = 4;

/**
 * @param keys values of the partition key `k`, none twice
 * @returns the items that exist, in any order
 * @throws when some of them could not be read
 */
export async function readBatch(
  client: DynamoDBClient,
  patience: Patience,
  table: string,
  keys: readonly string[],
): Promise<StoredItem[]> {
  const items = await inParallel(chunked(keys, KEYS_TO_A_REQUEST), REQUESTS_AT_ONCE, (chunk) =>
    readChunk(client, patience, table, chunk),
  );
  return items.flat();
}

async function readChunk(
  client: DynamoDBClient,
  patience: Patience,
  table: string,
  keys: readonly string[],
): Promise<StoredItem[]> {
  const items: StoredItem[] = [];
  let missing: StoredItem[] = keys.map((key) => ({ k: textValue(key) }));
  for (let fruitlessTries = 0; missing.length > 0; ) {
    if (fruitlessTries === MAX_FRUITLESS_TRIES) {
      throw new Error(
        `DynamoDB left ${missing.length} of ${keys.length} keys of ${table} unread, again and again.`,
      );
    }
    if (fruitlessTries > 0) await backOff(patience, fruitlessTries);
    const answer = await client.send(
      new BatchGetItemCommand({ RequestItems: { [table]: { Keys: missing, ConsistentRead: true } } }),
    );
    items.push(...(answer.Responses?.[table] ?? []));
    const left = answer.UnprocessedKeys?.[table]?.Keys ?? [];
    fruitlessTries = left.length < missing.length ? 0 : fruitlessTries + 1;
    missing = left;
  }
  return items;
}
