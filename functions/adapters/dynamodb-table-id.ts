// The ids that DynamoDB gives tables when it creates them: a table restored from a backup is another table, whatever its
// name.
import { createHash } from 'node:crypto';
import { DescribeTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** A text that identifies the tables together. */
export async function identifyTables(client: DynamoDBClient, tables: readonly string[]): Promise<string> {
  const ids = await Promise.all(tables.map((table) => tableId(client, table)));
  return createHash('sha256').update(ids.join('\n')).digest('base64url').slice(0, 22);
}

async function tableId(client: DynamoDBClient, table: string): Promise<string> {
  const { Table } = await client.send(new DescribeTableCommand({ TableName: table }));
  // DynamoDB's id is permanently unique; an engine without ids at least knows when it created the table.
  const id =
    Table?.TableId ?? (Table?.TableArn && `${Table.TableArn} ${Table.CreationDateTime?.toISOString()}`);
  if (id === undefined) throw new Error(`DynamoDB returned neither an id nor an ARN for table "${table}".`);
  return id;
}
