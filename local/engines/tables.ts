// Creates the tables of shared/deployment/tables.ts on an engine, like the infrastructure does in AWS. Existing tables
// stay unchanged.
import {
  type AttributeDefinition,
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  type KeySchemaElement,
  ResourceInUseException,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import {
  type KeyAttribute,
  TABLES,
  type TableNames,
  type TableRole,
  type TableShape,
} from '../../shared/deployment/tables.ts';

/** Time limit for an engine to create one table. */
const MAX_WAIT_SECONDS = 30;

export async function createTables(client: DynamoDBClient, names: TableNames): Promise<void> {
  const roles = Object.entries(TABLES) as [TableRole, TableShape][];
  await Promise.all(roles.map(([role, shape]) => createTable(client, names[role], shape)));
}

async function createTable(client: DynamoDBClient, name: string, shape: TableShape): Promise<void> {
  try {
    await client.send(new CreateTableCommand(definitionOf(name, shape)));
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
  }
  await waitUntilTableExists(
    { client, maxWaitTime: MAX_WAIT_SECONDS, minDelay: 0.1, maxDelay: 1 },
    { TableName: name },
  );
  if (shape.timeToLive !== undefined) await enableTimeToLive(client, name, shape.timeToLive);
}

/** Checks first: DynamoDB rejects a second request to enable it. */
async function enableTimeToLive(client: DynamoDBClient, name: string, attribute: string): Promise<void> {
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName: name }));
  if (TimeToLiveDescription?.TimeToLiveStatus?.startsWith('ENABL') === true) return;
  const specification = { AttributeName: attribute, Enabled: true };
  await client.send(new UpdateTimeToLiveCommand({ TableName: name, TimeToLiveSpecification: specification }));
}

function definitionOf(
  name: string,
  { partitionKey, sortKey, index, stream }: TableShape,
): CreateTableCommandInput {
  const attributes = [partitionKey, sortKey, index?.partitionKey, index?.sortKey];
  return {
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: keySchema(partitionKey, sortKey),
    AttributeDefinitions: attributes.flatMap((attribute) =>
      attribute ? [attributeDefinition(attribute)] : [],
    ),
    ...(index && {
      GlobalSecondaryIndexes: [
        {
          IndexName: index.name,
          KeySchema: keySchema(index.partitionKey, index.sortKey),
          Projection: { ProjectionType: 'KEYS_ONLY' },
        },
      ],
    }),
    ...(stream && { StreamSpecification: { StreamEnabled: true, StreamViewType: stream } }),
  };
}

function keySchema(partitionKey: KeyAttribute, sortKey: KeyAttribute | undefined): KeySchemaElement[] {
  const partition: KeySchemaElement = { AttributeName: partitionKey.name, KeyType: 'HASH' };
  return sortKey === undefined ? [partition] : [partition, { AttributeName: sortKey.name, KeyType: 'RANGE' }];
}

function attributeDefinition({ name, type }: KeyAttribute): AttributeDefinition {
  return { AttributeName: name, AttributeType: type };
}
