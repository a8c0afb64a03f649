// Which sources there are states of. They share their table with the budgets, and are so few that a scan finds them.
import { type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { type StoredItem, storedText, textValue } from './attribute-values.ts';
import { sourceStateKey } from './source-state-item.ts';

const keyed = z.object({ k: storedText });

/** @returns their names, sorted */
export async function listSources(client: DynamoDBClient, table: string): Promise<string[]> {
  const prefix = sourceStateKey('');
  const names: string[] = [];
  let start: StoredItem | undefined;
  do {
    const page = await client.send(
      new ScanCommand({
        TableName: table,
        ConsistentRead: true,
        ProjectionExpression: 'k',
        FilterExpression: 'begins_with(k, :prefix)',
        ExpressionAttributeValues: { ':prefix': textValue(prefix) },
        ExclusiveStartKey: start,
      }),
    );
    for (const item of page.Items ?? []) names.push(keyed.parse(item).k.slice(prefix.length));
    start = page.LastEvaluatedKey;
  } while (start !== undefined);
  return names.sort();
}
