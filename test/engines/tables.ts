// Creates the tables of shared/deployment/tables.ts on an engine, like the infrastructure does in AWS, but without
// streams: nothing reads them here. Existing tables keep their content.
import {
  CreateTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  ResourceInUseException,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { TABLES, type TableNames, type TableRole, type TableShape } from '../../shared/deployment/tables.ts';
import { definitionOf } from './table-definition.ts';

/** Time limit for an engine to create one table. */
const MAX_WAIT_SECONDS = 30;

const ROLES = Object.entries(TABLES) as [TableRole, TableShape][];

export async function createTables(client: DynamoDBClient, names: TableNames): Promise<void> {
  await Promise.all(ROLES.map(([role, shape]) => createTable(client, names[role], shape)));
}

async function createTable(client: DynamoDBClient, name: string, shape: TableShape): Promise<void> {
  try {
    await client.send(new CreateTableCommand(definitionOf(name, shape)));
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
  }
  await waitForTable(client, name);
  if (shape.timeToLive !== undefined) await enableTimeToLive(client, name, shape.timeToLive);
}

async function waitForTable(client: DynamoDBClient, name: string): Promise<void> {
  await waitUntilTableExists(
    { client, maxWaitTime: MAX_WAIT_SECONDS, minDelay: 0.1, maxDelay: 1 },
    { TableName: name },
  );
}

/** Checks first: DynamoDB rejects a second request to enable it. */
async function enableTimeToLive(client: DynamoDBClient, name: string, attribute: string): Promise<void> {
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName: name }));
  if (TimeToLiveDescription?.TimeToLiveStatus?.startsWith('ENABL') === true) return;
  const specification = { AttributeName: attribute, Enabled: true };
  await client.send(new UpdateTimeToLiveCommand({ TableName: name, TimeToLiveSpecification: specification }));
}
