// Creates the tables of shared/deployment/tables.ts on an engine, like the infrastructure does in AWS, but without
// streams: nothing reads them here. Existing tables keep their content; one of an earlier release gets the index that it
// lacks, and loses its stream.
import {
  CreateTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  ResourceInUseException,
  ResourceNotFoundException,
  type TableDescription,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { TABLES, type TableNames, type TableRole, type TableShape } from '../../shared/deployment/tables.ts';
import { definitionOf, indexAddition } from './table-definition.ts';

/** Time limit for an engine to create one table. */
const MAX_WAIT_SECONDS = 30;

const ROLES = Object.entries(TABLES) as [TableRole, TableShape][];

export async function createTables(client: DynamoDBClient, names: TableNames): Promise<void> {
  await Promise.all(ROLES.map(([role, shape]) => createTable(client, names[role], shape)));
}

/** Adds the indexes that tables of an earlier release lack; a table that does not exist is left out. */
export async function addMissingIndexes(client: DynamoDBClient, names: TableNames): Promise<void> {
  await Promise.all(ROLES.map(([role, shape]) => addMissingIndex(client, names[role], shape)));
}

async function createTable(client: DynamoDBClient, name: string, shape: TableShape): Promise<void> {
  try {
    await client.send(new CreateTableCommand(definitionOf(name, shape)));
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
    await addMissingIndex(client, name, shape);
    await endStream(client, name);
  }
  await waitForTable(client, name);
  if (shape.timeToLive !== undefined) await enableTimeToLive(client, name, shape.timeToLive);
}

async function addMissingIndex(client: DynamoDBClient, name: string, shape: TableShape): Promise<void> {
  const { index } = shape;
  if (index === undefined) return;
  const table = await describeTable(client, name);
  const has = (found: TableDescription | undefined) =>
    found?.GlobalSecondaryIndexes?.some(({ IndexName }) => IndexName === index.name) ?? false;
  if (table === undefined || has(table)) return;
  try {
    await client.send(new UpdateTableCommand(indexAddition(name, shape, index)));
  } catch (error) {
    // Another command on the same directory may have added it meanwhile.
    if (!has(await describeTable(client, name))) throw error;
  }
  await waitForTable(client, name);
}

/** The embedded engine searches all records of a stream at each write, so a stream that nobody reads must end. */
async function endStream(client: DynamoDBClient, name: string): Promise<void> {
  const table = await describeTable(client, name);
  if (table?.StreamSpecification?.StreamEnabled !== true) return;
  const StreamSpecification = { StreamEnabled: false };
  await client.send(new UpdateTableCommand({ TableName: name, StreamSpecification }));
}

async function describeTable(client: DynamoDBClient, name: string): Promise<TableDescription | undefined> {
  try {
    return (await client.send(new DescribeTableCommand({ TableName: name }))).Table;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
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
