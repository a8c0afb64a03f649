// The four tables of shared/deployment/tables.ts. They contain the feed's whole state: without them it can't continue
// its event numbers. So by default they are retained when the stack is deleted, and protected from deletion.
import { RemovalPolicy } from 'aws-cdk-lib';
import * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import type * as kms from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { type KeyAttribute, TABLES, type TableRole, type TableShape } from '../shared/deployment/tables.ts';
import { titleCase } from './title-case.ts';

/** The feed's tables, by role. */
export type FeedTables = Readonly<Record<TableRole, dynamodb.ITable>>;

export interface StorageProps {
  /** Existing tables; the others are created. */
  readonly tables: Partial<FeedTables>;
  readonly encryptionKey: kms.IKey | undefined;
  readonly removalPolicy: RemovalPolicy;
}

export class Storage extends Construct {
  readonly tables: FeedTables;

  constructor(scope: Construct, id: string, props: StorageProps) {
    super(scope, id);
    const tableOf = (role: TableRole) => props.tables[role] ?? this.#createTable(role, props);
    this.tables = {
      snapshots: tableOf('snapshots'),
      ledger: tableOf('ledger'),
      marks: tableOf('marks'),
      sources: tableOf('sources'),
    };
  }

  #createTable(role: TableRole, { encryptionKey, removalPolicy }: StorageProps): dynamodb.ITable {
    const { partitionKey, sortKey, index, timeToLive, stream }: TableShape = TABLES[role];
    const table = new dynamodb.Table(this, titleCase(role), {
      partitionKey: attributeOf(partitionKey),
      ...(sortKey && { sortKey: attributeOf(sortKey) }),
      ...(timeToLive && { timeToLiveAttribute: timeToLive }),
      ...(stream && { stream: dynamodb.StreamViewType[stream] }),
      billingMode: dynamodb.BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      // Without a key of your own, DynamoDB encrypts with its own key, at no charge.
      ...(encryptionKey && { encryptionKey }),
      removalPolicy,
      deletionProtection: removalPolicy === RemovalPolicy.RETAIN,
    });
    if (index !== undefined) {
      table.addGlobalSecondaryIndex({
        indexName: index.name,
        partitionKey: attributeOf(index.partitionKey),
        sortKey: attributeOf(index.sortKey),
        ...(index.includes
          ? { projectionType: dynamodb.ProjectionType.INCLUDE, nonKeyAttributes: [...index.includes] }
          : { projectionType: dynamodb.ProjectionType.KEYS_ONLY }),
      });
    }
    // CDK's own types do not agree under exactOptionalPropertyTypes.
    return table as dynamodb.ITable;
  }
}

function attributeOf({ name, type }: KeyAttribute): dynamodb.Attribute {
  return {
    name,
    type: type === 'S' ? dynamodb.AttributeType.STRING : dynamodb.AttributeType.NUMBER,
  };
}
