// Reads many items by their keys, strongly consistent. DynamoDB returns at most 100 keys or 16 MB at a time and may
// leave any key unprocessed; those are requested again and never taken for absent.
import { BatchGetItemCommand } from '@aws-sdk/client-dynamodb';
import { chunked, inParallel } from '../../shared/in-parallel.ts';
import type { StoredItem } from './attribute-values.ts';
import type { Connection } from './dynamodb-client.ts';
import { type PartialAnswer, readUntilWhole } from './read-until-whole.ts';

const KEYS_TO_A_REQUEST = 100;
const REQUESTS_AT_ONCE = 4;

/**
 * @param keys values of the partition key `k`, without duplicates
 * @returns the items that exist, in any order
 * @throws if some could not be read
 */
export async function readBatch(
  connection: Connection,
  table: string,
  keys: readonly string[],
): Promise<StoredItem[]> {
  const items = await inParallel(chunked(keys, KEYS_TO_A_REQUEST), REQUESTS_AT_ONCE, (chunk) =>
    readChunk(connection, table, chunk),
  );
  return items.flat();
}

function readChunk(connection: Connection, table: string, keys: readonly string[]): Promise<StoredItem[]> {
  const named: readonly StoredItem[] = keys.map((key) => ({ k: { S: key } }));
  const read = async (some: readonly StoredItem[]): Promise<PartialAnswer<StoredItem, StoredItem>> => {
    const answer = await connection.client.send(
      new BatchGetItemCommand({ RequestItems: { [table]: { Keys: [...some], ConsistentRead: true } } }),
    );
    return {
      items: answer.Responses?.[table] ?? [],
      left: answer.UnprocessedKeys?.[table]?.Keys ?? [],
    };
  };
  return readUntilWhole(named, read, connection);
}
