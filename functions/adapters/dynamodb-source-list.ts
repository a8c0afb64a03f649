// Lists the sources that have a state. They are so few that a scan of their table finds them.
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { storedText } from './attribute-values.ts';
import { scanItems } from './dynamodb-pages.ts';
import { sourceStateKey } from './source-state-item.ts';

const keyed = z.object({ k: storedText });

/** @returns their names, sorted */
export async function listSources(client: DynamoDBClient, table: string): Promise<string[]> {
  const prefix = sourceStateKey('');
  const names: string[] = [];
  const states = scanItems(client, {
    TableName: table,
    ConsistentRead: true,
    ProjectionExpression: 'k',
    FilterExpression: 'begins_with(k, :prefix)',
    ExpressionAttributeValues: { ':prefix': { S: prefix } },
  });
  for await (const item of states) names.push(keyed.parse(item).k.slice(prefix.length));
  return names.sort();
}
