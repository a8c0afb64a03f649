// The groups that were created last, from the index of the snapshots. For commands only; walks read in ascending order.
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { TABLES } from '../../shared/deployment/tables.ts';
import { queryItems } from './dynamodb-pages.ts';
import { groupIdOfKey, indexPartition, type SourceGeneration } from './snapshot-item.ts';

const indexItem = z.object({ k: groupIdOfKey });

/** The ids of a source's groups, newest first; removed ones are left out. */
export async function listLatestGroups(
  client: DynamoDBClient,
  table: string,
  source: SourceGeneration,
  most: number,
): Promise<number[]> {
  const { index } = TABLES.snapshots;
  const items = queryItems(client, {
    TableName: table,
    IndexName: index.name,
    KeyConditionExpression: `${index.partitionKey.name} = :i`,
    ExpressionAttributeValues: { ':i': { S: indexPartition(source) } },
    ScanIndexForward: false,
    Limit: most,
  });
  const groups: number[] = [];
  for await (const item of items) {
    groups.push(indexItem.parse(item).k);
    if (groups.length === most) break;
  }
  return groups;
}
