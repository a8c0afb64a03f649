import { randomUUID } from 'node:crypto';
import { CreateTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { WAREHOUSE_TABLE } from '../../../shared/deployment/sample-warehouse.ts';

/** @returns the name of a new table for the sample warehouse */
export async function createWarehouseTable(client: DynamoDBClient): Promise<string> {
  const TableName = `warehouse-${randomUUID()}`;
  const { partitionKey, sortKey } = WAREHOUSE_TABLE;
  await client.send(
    new CreateTableCommand({
      TableName,
      KeySchema: [
        { AttributeName: partitionKey.name, KeyType: 'HASH' },
        { AttributeName: sortKey.name, KeyType: 'RANGE' },
      ],
      AttributeDefinitions: [partitionKey, sortKey].map(({ name, type }) => ({
        AttributeName: name,
        AttributeType: type,
      })),
      BillingMode: 'PAY_PER_REQUEST',
    }),
  );
  return TableName;
}
