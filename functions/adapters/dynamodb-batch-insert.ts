// Inserts many new items, each only if its key is free. BatchWriteItem knows no conditions and a transaction costs
// double, so this sends batches of PartiQL inserts: 25 per request, one write unit per KB like a put, and for the
// caller a tenth of the work of 25 puts.
import {
  BatchExecuteStatementCommand,
  type BatchStatementRequest,
  type BatchStatementResponse,
  type DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import { chunked, inParallel } from '../../shared/in-parallel.ts';
import type { StoredItem } from './attribute-values.ts';
import { backOff, isPassing, MAX_FRUITLESS_TRIES, type Patience } from './backoff.ts';

const STATEMENTS_TO_A_REQUEST = 25;
const REQUESTS_AT_ONCE = 4;

/**
 * @param items no two with the same key
 * @returns whether each was inserted; false if the key was taken
 * @throws if the outcome of some is unknown; any of them may be inserted then
 */
export async function insertBatch(
  client: DynamoDBClient,
  patience: Patience,
  table: string,
  items: readonly StoredItem[],
): Promise<boolean[]> {
  const inserted = await inParallel(chunked(items, STATEMENTS_TO_A_REQUEST), REQUESTS_AT_ONCE, (chunk) =>
    insertChunk(client, patience, table, chunk),
  );
  return inserted.flat();
}

async function insertChunk(
  client: DynamoDBClient,
  patience: Patience,
  table: string,
  items: readonly StoredItem[],
): Promise<boolean[]> {
  const inserted: boolean[] = [];
  let open = items.map((item, at) => ({ statement: insertStatement(table, item), at }));
  for (let fruitlessTries = 0; open.length > 0; ) {
    if (fruitlessTries > 0) await backOff(patience, fruitlessTries);
    const answer = await client.send(
      new BatchExecuteStatementCommand({ Statements: open.map(({ statement }) => statement) }),
    );
    const left: typeof open = [];
    for (const [place, entry] of open.entries()) {
      const outcome = outcomeOf(answer.Responses?.[place]);
      if (outcome === 'try again') left.push(entry);
      else inserted[entry.at] = outcome === 'inserted';
    }
    fruitlessTries = left.length < open.length ? 0 : fruitlessTries + 1;
    if (fruitlessTries === MAX_FRUITLESS_TRIES) {
      throw new Error(
        `DynamoDB rejected ${left.length} of ${items.length} inserts into ${table}, ${fruitlessTries} times in a row.`,
      );
    }
    open = left;
  }
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
