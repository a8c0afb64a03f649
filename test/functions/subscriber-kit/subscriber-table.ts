import { randomUUID } from 'node:crypto';
import { CreateTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SUBSCRIBER_TABLE } from '../../../shared/deployment/subscriber-table.ts';

/** @returns the name of a new table for subscribers */
export async function createSubscriberTable(client: DynamoDBClient): Promise<string> {
  const name = `subscribers-${randomUUID()}`;
  const { name: AttributeName, type: AttributeType } = SUBSCRIBER_TABLE.partitionKey;
  await client.send(
    new CreateTableCommand({
      TableName: name,
      KeySchema: [{ AttributeName, KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName, AttributeType }],
      BillingMode: 'PAY_PER_REQUEST',
    }),
  );
  return name;
}
