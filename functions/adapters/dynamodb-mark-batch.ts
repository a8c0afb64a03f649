// The marks of many groups at once, to show operators which events a destination has.
import * as z from 'zod';
import type { GroupKey } from '../../shared/ports.ts';
import { storedNumber, storedText } from './attribute-values.ts';
import { readBatch } from './dynamodb-batch-read.ts';
import type { Connection } from './dynamodb-client.ts';
import { markKey } from './dynamodb-marks.ts';

const stored = z.object({ k: storedText, n: storedNumber.optional() });

/** The number of the last event sent for each group, in the order given; undefined before the first. */
export async function readMarks(
  connection: Connection,
  table: string,
  destination: string,
  groups: readonly GroupKey[],
): Promise<(number | undefined)[]> {
  const keys = groups.map((group) => markKey(destination, group).k?.S ?? '');
  const items = await readBatch(connection, table, [...new Set(keys)]);
  const numbers = new Map(items.map((item) => stored.parse(item)).map(({ k, n }) => [k, n]));
  return keys.map((key) => numbers.get(key));
}
