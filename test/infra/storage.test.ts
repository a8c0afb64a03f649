import { RemovalPolicy } from 'aws-cdk-lib';
import * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import * as kms from 'aws-cdk-lib/aws-kms';
import { expect, test } from 'vitest';
import { TABLES, type TableRole, type TableShape } from '../../shared/deployment/tables.ts';
import { aFeed, newStack, resourceOf, resourcesOf } from './synthesize.ts';

const ROLES = Object.keys(TABLES) as TableRole[];

const all = aFeed().template();

function tableOf(role: TableRole) {
  return resourceOf(all, 'AWS::DynamoDB::Table', `Storage${role[0]?.toUpperCase()}${role.slice(1)}`);
}

test('tables are retained, protected from deletion, and have point-in-time recovery', () => {
  const tables = resourcesOf(all, 'AWS::DynamoDB::Table');

  expect(tables).toHaveLength(4);
  for (const [, table] of tables) {
    expect(table).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
    expect(table.Properties).toMatchObject({
      DeletionProtectionEnabled: true,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      BillingMode: 'PAY_PER_REQUEST',
    });
    expect(table.Properties.TableName).toBeUndefined();
  }
});

test('tables keep their logical ids: with new ids CloudFormation would create new, empty tables', () => {
  const ids = resourcesOf(all, 'AWS::DynamoDB::Table').map(([id]) => id);

  expect(ids.toSorted()).toEqual([
    'FeedStorageLedger5CE7EF5D',
    'FeedStorageMarks9C366D92',
    'FeedStorageSnapshots5DE2A2C5',
    'FeedStorageSourcesF770C639',
  ]);
});

test('a trial leaves nothing behind', () => {
  const feed = aFeed({ removalPolicy: RemovalPolicy.DESTROY });

  for (const [, table] of resourcesOf(feed.template(), 'AWS::DynamoDB::Table')) {
    expect(table).toMatchObject({
      DeletionPolicy: 'Delete',
      Properties: { DeletionProtectionEnabled: false },
    });
  }
});

test.each(ROLES)('the table of %s has the keys, index, expiry and stream that the adapters use', (role) => {
  const shape: TableShape = TABLES[role];
  const { Properties: table } = tableOf(role);

  const keys = [
    { AttributeName: shape.partitionKey.name, KeyType: 'HASH' },
    ...(shape.sortKey ? [{ AttributeName: shape.sortKey.name, KeyType: 'RANGE' }] : []),
  ];
  expect(table.KeySchema).toEqual(keys);
  expect(table.TimeToLiveSpecification).toEqual(
    shape.timeToLive && { AttributeName: shape.timeToLive, Enabled: true },
  );
  expect(table.StreamSpecification).toEqual(shape.stream && { StreamViewType: shape.stream });
  expect(table.GlobalSecondaryIndexes).toEqual(
    shape.index && [
      {
        IndexName: shape.index.name,
        KeySchema: [
          { AttributeName: shape.index.partitionKey.name, KeyType: 'HASH' },
          { AttributeName: shape.index.sortKey.name, KeyType: 'RANGE' },
        ],
        Projection: shape.index.includes
          ? { ProjectionType: 'INCLUDE', NonKeyAttributes: shape.index.includes }
          : { ProjectionType: 'KEYS_ONLY' },
      },
    ],
  );
  const attributes = [shape.partitionKey, shape.sortKey, shape.index?.partitionKey, shape.index?.sortKey];
  const named = new Map(attributes.flatMap((it) => (it ? [[it.name, it.type] as const] : [])));
  expect(table.AttributeDefinitions).toEqual(
    [...named].map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType })),
  );
});

test('given tables are used instead of new ones', () => {
  const stack = newStack();
  const tableNamed = (name: string) =>
    dynamodb.Table.fromTableAttributes(stack, name, {
      tableArn: `arn:aws:dynamodb:eu-west-1:111122223333:table/${name}`,
      ...(name === 'ledger' && {
        tableStreamArn: 'arn:aws:dynamodb:eu-west-1:111122223333:table/ledger/stream/1',
      }),
    });
  const { template } = aFeed(
    {
      tables: {
        snapshots: tableNamed('snapshots'),
        ledger: tableNamed('ledger'),
        sources: tableNamed('sources'),
      },
    },
    stack,
  );

  const made = resourcesOf(template(), 'AWS::DynamoDB::Table').map(([id]) => id);
  const poller = resourceOf(template(), 'AWS::Lambda::Function', 'PollingPoller');
  expect(made).toEqual([expect.stringContaining('Marks')]);
  expect(poller.Properties.Environment.Variables).toMatchObject({
    SNAPSHOTS_TABLE: 'snapshots',
    LEDGER_TABLE: 'ledger',
    SOURCES_TABLE: 'sources',
  });
});

test('the given key encrypts all resources with data', () => {
  const stack = newStack();
  const { template } = aFeed({ encryptionKey: new kms.Key(stack, 'Key') }, stack);

  for (const [, { Properties }] of resourcesOf(template(), 'AWS::DynamoDB::Table'))
    expect(Properties.SSESpecification).toMatchObject({ SSEEnabled: true, SSEType: 'KMS' });
  // The queue for events that the bus can't encrypt does not use the key: own-key.test.ts.
  const queues = resourcesOf(template(), 'AWS::SQS::Queue').filter(([id]) => !id.includes('BusDeadLetters'));
  for (const [, { Properties }] of queues) expect(Properties.KmsMasterKeyId).toBeDefined();
  expect(resourcesOf(template(), 'AWS::Events::EventBus')[0]?.[1].Properties.KmsKeyIdentifier).toBeDefined();
  expect(resourcesOf(template(), 'AWS::Events::Archive')[0]?.[1].Properties.KmsKeyIdentifier).toBeDefined();
});
