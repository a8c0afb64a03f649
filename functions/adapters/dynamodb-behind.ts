// The notes in the marks: which groups stopped, and why. For commands only; a relay uses the numbers.
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import type { Instant } from '../../shared/instant.ts';
import type { GroupKey } from '../../shared/ports.ts';
import { parseGroupKey } from '../../shared/recording/group-key.ts';
import { storedNumber, storedText } from './attribute-values.ts';
import { readItem } from './dynamodb-conditional-put.ts';
import { markKey } from './dynamodb-marks.ts';
import { scanItems } from './dynamodb-scan.ts';

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

/** All groups that are noted as behind, from a scan of all marks. */
export async function* listBehind(client: DynamoDBClient, table: string): AsyncGenerator<BehindGroup> {
  const marks = scanItems(client, {
    TableName: table,
    ConsistentRead: true,
    FilterExpression: 'attribute_exists(r)',
  });
  for await (const item of marks) {
    const { k, n: sequence, r: behind, s: failingSince } = stored.parse(item);
    const [destination = '', ...rest] = k.split('#');
    const key = parseGroupKey(rest.join('#'));
    if (key !== undefined) yield { destination, key, sequence, behind, failingSince };
  }
}
