// The pull feed's function and its URL, for anyone with a token of a reader (functions/pull).
import { Duration } from 'aws-cdk-lib';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { TABLES } from '../shared/deployment/tables.ts';
import { allow, allowItems, allowTable, PULL_ITEMS } from './allow.ts';
import { createFunction, type FeedFunction, type FunctionDefaults } from './create-function.ts';
import type { FeedTables } from './storage.ts';

export interface PullOptions {
  /**
   * Requests at once, those that wait included: each takes a function of its own for up to 20 seconds. Further ones get
   * 429. It is reserved: the account's quota of concurrent executions must leave 100 for others.
   * @default 20
   */
  readonly maxConcurrency?: number;
}

export interface PullEndpointProps extends FunctionDefaults, PullOptions {
  readonly tables: FeedTables;
}

const DEFAULT_CONCURRENCY = 20;
/** Longer than a long poll of 20 seconds. */
const TIMEOUT = Duration.seconds(30);

export interface PullEndpoint {
  readonly function: FeedFunction;
  /** Ends with a slash. */
  readonly url: string;
}

export function createPullEndpoint(scope: Construct, id: string, props: PullEndpointProps): PullEndpoint {
  const { tables, maxConcurrency = DEFAULT_CONCURRENCY } = props;
  const served = createFunction(scope, id, props, {
    code: 'pull',
    description: 'Serves the pull feed',
    environment: {
      LEDGER_TABLE: tables.ledger.tableName,
      MARKS_TABLE: tables.marks.tableName,
      SNAPSHOTS_TABLE: tables.snapshots.tableName,
      SOURCES_TABLE: tables.sources.tableName,
    },
    timeout: TIMEOUT,
    memorySizeMiB: 256,
    maxConcurrency,
  });
  allowPulling(served, tables);
  const { url } = served.function.addFunctionUrl({ authType: lambda.FunctionUrlAuthType.NONE });
  return { function: served, url };
}

/** Allows the calls that the function's adapters make: it writes nothing but when a reader came last. */
function allowPulling({ role }: FeedFunction, { ledger, marks, snapshots, sources }: FeedTables): void {
  allowTable(role, ledger, ['dynamodb:Query']);
  allow(role, ['dynamodb:DescribeTable'], marks.tableArn);
  allowItems(role, marks, ['dynamodb:BatchGetItem', 'dynamodb:GetItem'], PULL_ITEMS);
  allowTable(role, snapshots, ['dynamodb:BatchGetItem']);
  allow(role, ['dynamodb:Query'], `${snapshots.tableArn}/index/${TABLES.snapshots.index.name}`);
  allowTable(role, sources, ['dynamodb:Scan']);
  allowItems(role, sources, ['dynamodb:GetItem'], 'source/*');
  allowItems(role, sources, ['dynamodb:GetItem', 'dynamodb:PutItem'], 'reader/*');
}
