// Inserts many new items, each only if its key is free. BatchWriteItem knows no conditions and a transaction costs
// double, so this sends batches of PartiQL inserts: 25 per request, one write unit per KB like a put, and for the
// caller a tenth of the work of 25 puts.
import {
  BatchExecuteStatementCommand,
  type BatchStatementRequest,
  type BatchStatementResponse,
} from '@aws-sdk/client-dynamodb';
import { chunked, inParallel } from '../../shared/in-parallel.ts';
import type { StoredItem } from './attribute-values.ts';
import { isPassing } from './backoff.ts';
import type { Connection } from './dynamodb-client.ts';
import { readUntilWhole } from './read-until-whole.ts';

const STATEMENTS_TO_A_REQUEST = 25;
const REQUESTS_AT_ONCE = 4;

/**
 * @param items no two with the same key
 * @returns whether each was inserted; false if the key was taken, perhaps by an earlier try of this call: compare the
 *   stored item
 * @throws if the outcome of some is unknown; any of them may be inserted then
 */
export async function insertBatch(
  connection: Connection,
  table: string,
  items: readonly StoredItem[],
): Promise<boolean[]> {
  const inserted = await inParallel(chunked(items, STATEMENTS_TO_A_REQUEST), REQUESTS_AT_ONCE, (chunk) =>
    insertChunk(connection, table, chunk),
  );
  return inserted.flat();
}

async function insertChunk(
  connection: Connection,
  table: string,
  items: readonly StoredItem[],
): Promise<boolean[]> {
  const inserted: boolean[] = [];
  const insert = async (open: readonly (readonly [number, StoredItem])[]) => {
    const Statements = open.map(([, item]) => insertStatement(table, item));
    const { Responses } = await connection.client.send(new BatchExecuteStatementCommand({ Statements }));
    const left = open.filter(([at], place) => {
      const outcome = outcomeOf(Responses?.[place]);
      inserted[at] = outcome === 'inserted';
      return outcome === 'try again';
    });
    return { items: [], left };
  };
  await readUntilWhole(
    [...items.entries()],
    insert,
    connection,
    (left) => `DynamoDB rejected ${left} of ${items.length} inserts into ${table}`,
  );
  return inserted;
}

function outcomeOf(response: BatchStatementResponse | undefined): 'inserted' | 'taken' | 'try again' {
  if (response === undefined) throw new Error('DynamoDB returned fewer results than statements.');
  const { Error: error } = response;
  if (error === undefined) return 'inserted';
  if (error.Code === 'DuplicateItem' || error.Code === 'ConditionalCheckFailed') return 'taken';
  if (isPassing(error.Code)) return 'try again';
  throw new Error(`DynamoDB rejected an item: ${error.Code}, ${error.Message}`);
}

function insertStatement(table: string, item: StoredItem): BatchStatementRequest {
  const names = Object.keys(item);
  return {
    Statement: `INSERT INTO "${table}" VALUE {${names.map((name) => `'${name}': ?`).join(', ')}}`,
    Parameters: Object.values(item),
  };
}
