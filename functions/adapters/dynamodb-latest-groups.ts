// The groups that were created last, from the index of the snapshots. For commands only; walks read in ascending order.
import { type DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { TABLES } from '../../shared/deployment/tables.ts';
import { type StoredItem, textValue } from './attribute-values.ts';
import { groupIdOfKey, indexPartition, type SourceGeneration } from './snapshot-item.ts';

const indexItem = z.object({ k: groupIdOfKey });

/** The ids of a source's open groups, or of its other groups, newest first; removed ones are left out. */
export async function listLatestGroups(
  client: DynamoDBClient,
  table: string,
  source: SourceGeneration,
  { isOpen, most }: { readonly isOpen: boolean; readonly most: number },
): Promise<number[]> {
  const { index } = TABLES.snapshots;
  const groups: number[] = [];
  let start: StoredItem | undefined;
  do {
    const page = await client.send(
      new QueryCommand({
        TableName: table,
        IndexName: index.name,
        KeyConditionExpression: `${index.partitionKey.name} = :i`,
        ExpressionAttributeValues: { ':i': textValue(indexPartition(source, isOpen)) },
        ScanIndexForward: false,
        Limit: most - groups.length,
        ExclusiveStartKey: start,
      }),
    );
    for (const item of page.Items ?? []) groups.push(indexItem.parse(item).k);
    start = page.LastEvaluatedKey;
  } while (start !== undefined && groups.length < most);
  return groups;
}
