// The notes in the marks: which groups stopped, and why. For commands only; a relay uses the numbers.
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { TABLES } from '../../shared/deployment/tables.ts';
import type { Instant } from '../../shared/instant.ts';
import type { GroupKey } from '../../shared/ports.ts';
import { parseGroupKey } from '../../shared/recording/group-key.ts';
import { storedNumber, storedText } from './attribute-values.ts';
import { readItem } from './dynamodb-conditional-put.ts';
import { markKey } from './dynamodb-marks.ts';
import { queryItems } from './dynamodb-pages.ts';

export interface Mark {
  /** The number of the last event sent; undefined before the first. */
  readonly sequence: number | undefined;
  /** Why the group stopped there, if it did: the number of the event it is stuck at, a colon, the reason. */
  readonly behind: string | undefined;
  /** Since when a webhook's next event fails. */
  readonly failingSince: Instant | undefined;
}

export interface BehindGroup extends Mark {
  readonly destination: string;
  readonly key: GroupKey;
}

const stored = z.object({
  k: storedText,
  n: storedNumber.optional(),
  r: storedText.optional(),
  s: storedNumber.optional(),
});

/** Reads a mark, strongly consistent. */
export async function readMark(
  client: DynamoDBClient,
  table: string,
  destination: string,
  key: GroupKey,
): Promise<Mark> {
  const item = await readItem(client, table, markKey(destination, key));
  const { n: sequence, r: behind, s: failingSince } = item === undefined ? {} : stored.parse(item);
  return { sequence, behind, failingSince };
}

/**
 * The groups that are noted as behind for one destination, by their keys: a query of the index, whose cost follows from
 * how many are behind. An index shows a write a moment later, so a group that stopped just now may be missing, and one
 * that has just continued may be listed: a caller that acts on a group, like `redrive`, reads its mark and the ledger.
 *
 * @param source only the groups of this source
 * @throws Error if the table has no index yet
 */
export async function* listBehind(
  client: DynamoDBClient,
  table: string,
  destination: string,
  source?: string,
): AsyncGenerator<BehindGroup> {
  const { name, partitionKey, sortKey } = TABLES.marks.index;
  const prefix = `${destination}#`;
  const items = queryItems(client, {
    TableName: table,
    IndexName: name,
    KeyConditionExpression: `${partitionKey.name} = :d AND begins_with(${sortKey.name}, :k)`,
    ExpressionAttributeValues: {
      ':d': { S: destination },
      ':k': { S: source === undefined ? prefix : `${prefix}${source}_` },
    },
  });
  try {
    for await (const item of items) {
      const { k, n: sequence, r: behind, s: failingSince } = stored.parse(item);
      const key = parseGroupKey(k.slice(prefix.length));
      // An earlier release that continued a group removed the reason alone.
      if (key !== undefined && behind !== undefined)
        yield { destination, key, sequence, behind, failingSince };
    }
  } catch (error) {
    throw isWithoutIndex(error) ? noIndex(table, name, error) : error;
  }
}

/** DynamoDB reports an index that is missing, or not built yet, as an invalid request. */
function isWithoutIndex(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ValidationException' && error.message.includes('index');
}

function noIndex(table: string, index: string, cause: Error): Error {
  return new Error(
    `The table ${table} can't be queried by its index "${index}" yet (${cause.message}). Deploy this release, or ` +
      'wait until DynamoDB has built the index.',
    { cause },
  );
}
