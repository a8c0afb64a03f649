// The reading side: once a minute the dispatcher sends the sources that are due to the poller, through two queues. Most
// polls find nothing: twenty of them are one message of the quick queue. All other work is done for one source at a time,
// from the poll queue. The poller can read the service's tokens, so it has no permission to publish; it only writes to
// the tables.
import { Duration, Stack } from 'aws-cdk-lib';
import type * as iam from 'aws-cdk-lib/aws-iam';
import type * as kms from 'aws-cdk-lib/aws-kms';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import * as scheduler from 'aws-cdk-lib/aws-scheduler';
import type * as sqs from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { METRICS_NAMESPACE } from '../shared/deployment/metrics.ts';
import { QUESTIONS_ALIAS } from '../shared/deployment/questions-alias.ts';
import { TABLES } from '../shared/deployment/tables.ts';
import { tokenNames } from '../shared/deployment/token-names.ts';
import {
  allow,
  allowItems,
  allowPattern,
  allowSending,
  allowTable,
  allowTokenKey,
  ENTRIES,
  FEED_GROUPS,
  PULL_ITEMS,
} from './allow.ts';
import { createFunction, type FeedFunction, type FunctionDefaults } from './create-function.ts';
import { createQueue } from './create-queue.ts';
import { addressesOf, allowTokens, withOwnNames } from './declared-tokens.ts';
import type { Schedules } from './schedules.ts';
import type { SourceProps } from './source-props.ts';
import type { FeedTables } from './storage.ts';

/** Leaves a tick 45 seconds to work. Its lease lasts a minute, so it has expired by the next minute's tick. */
const POLLER_TIMEOUT = Duration.seconds(60);
/** Older ticks are dropped: a later tick makes up for them. */
const TICK_RETENTION = Duration.minutes(10);
/** For some 400 sources at once, and 80 baselines. */
const DEFAULT_CONCURRENCY = 100;
/** The share of quick polls: they take seconds. */
const QUICK_SHARE = 0.2;
/** Reads the list of sources, and sends: seconds for thousands of them. */
const DISPATCHER_TIMEOUT = Duration.seconds(50);

/** The items that the poller writes: states of sources, progress of ticks, operators' searches under way. */
const POLLED = ['source/*', 'activity/*', 'progress/*', 'search/*'] as const;

export interface PollingProps extends FunctionDefaults {
  readonly sources: readonly SourceProps[];
  readonly tables: FeedTables;
  readonly deadLetters: sqs.Queue;
  readonly schedules: Schedules;
  readonly encryptionKey: kms.IKey | undefined;
  /** Encrypts tokens inside entries. */
  readonly tokenKey: kms.IKey | undefined;
  readonly maxConcurrency: number | undefined;
  /** Whether there is a pull feed. */
  readonly pull: boolean;
}

export class Polling extends Construct {
  readonly dispatcher: FeedFunction;
  readonly poller: FeedFunction;
  /** Of ticks of single sources. */
  readonly queue: sqs.Queue;
  /** Of shards: twenty sources each. */
  readonly quickQueue: sqs.Queue;

  constructor(scope: Construct, id: string, props: PollingProps) {
    super(scope, id);
    const { tables, serviceName } = props;
    this.queue = this.#createQueue('Ticks', props);
    this.quickQueue = this.#createQueue('Shards', props);
    const named = withOwnNames(props.sources, serviceName);
    this.poller = createFunction(this, 'Poller', props, {
      code: 'poller',
      description: 'Polls the returns service and saves changes',
      environment: {
        SNAPSHOTS_TABLE: tables.snapshots.tableName,
        LEDGER_TABLE: tables.ledger.tableName,
        SOURCES_TABLE: tables.sources.tableName,
        FEED_NAME: serviceName,
        DECLARED_TOKENS: Stack.of(this).toJsonString(addressesOf(named)),
        POLL_QUEUE_URL: this.queue.queueUrl,
        STACK_NAME: Stack.of(this).stackName,
        POWERTOOLS_METRICS_NAMESPACE: METRICS_NAMESPACE,
      },
      timeout: POLLER_TIMEOUT,
      memorySizeMiB: 512,
    });
    this.#receiveMessages(props);
    new lambda.Alias(this, 'Questions', {
      aliasName: QUESTIONS_ALIAS,
      version: this.poller.function.latestVersion,
      description: "For operators' requests; gets no ticks",
    });
    this.#allowPoller(props);
    this.#allowTokens(props);
    this.dispatcher = this.#createDispatcher(props);
  }

  #createQueue(id: string, { encryptionKey, deadLetters }: PollingProps): sqs.Queue {
    return createQueue(this, id, {
      encryptionKey,
      retentionPeriod: TICK_RETENTION,
      // A message must not become visible again while the poller may still process it.
      visibilityTimeout: Duration.seconds(2 * POLLER_TIMEOUT.toSeconds()),
      deadLetterQueue: { queue: deadLetters, maxReceiveCount: 3 },
    });
  }

  /** Each queue has its share for itself: baselines must not make quick polls wait. */
  #receiveMessages({ maxConcurrency = DEFAULT_CONCURRENCY }: PollingProps): void {
    const quick = Math.max(2, Math.round(maxConcurrency * QUICK_SHARE));
    for (const [queue, most] of [
      [this.queue, maxConcurrency - quick],
      [this.quickQueue, quick],
    ] as const)
      this.poller.function.addEventSource(new SqsEventSource(queue, { batchSize: 1, maxConcurrency: most }));
  }

  #createDispatcher(props: PollingProps): FeedFunction {
    const { tables, schedules, pull } = props;
    const dispatcher = createFunction(this, 'Dispatcher', props, {
      code: 'dispatcher',
      description: 'Sends the sources that are due to the poller, once a minute',
      environment: {
        SNAPSHOTS_TABLE: tables.snapshots.tableName,
        LEDGER_TABLE: tables.ledger.tableName,
        SOURCES_TABLE: tables.sources.tableName,
        QUICK_QUEUE_URL: this.quickQueue.queueUrl,
        POLL_QUEUE_URL: this.queue.queueUrl,
        ...(pull && { MARKS_TABLE: tables.marks.tableName }),
        POWERTOOLS_METRICS_NAMESPACE: METRICS_NAMESPACE,
      },
      timeout: DISPATCHER_TIMEOUT,
      memorySizeMiB: 512,
    });
    this.#allowDispatcher(dispatcher.role, tables);
    if (pull) allowLagOfReaders(dispatcher.role, tables);
    // The next minute makes up for one that fails.
    dispatcher.function.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.minutes(1) });
    schedules.invoke('Dispatcher', dispatcher, {
      description: 'Starts the dispatcher of the sources',
      ...{ every: Duration.minutes(1), triesFor: Duration.minutes(1) },
      input: scheduler.ScheduleTargetInput.fromObject({ slot: scheduler.ContextAttribute.scheduledTime }),
    });
    return dispatcher;
  }

  /** It lists the sources, takes a minute, reads what became of the last one, and reports sources without settings. */
  #allowDispatcher(role: iam.Role, { snapshots, ledger, sources }: FeedTables): void {
    for (const table of [snapshots, ledger, sources]) allow(role, ['dynamodb:DescribeTable'], table.tableArn);
    allow(role, ['dynamodb:Query'], `${sources.tableArn}/index/${TABLES.sources.index.name}`);
    allowItems(role, sources, ['dynamodb:BatchGetItem'], 'progress/*');
    allowItems(role, sources, ['dynamodb:GetItem', 'dynamodb:PutItem'], 'dispatch/*');
    allowItems(role, sources, ['dynamodb:GetItem', 'dynamodb:PutItem'], 'source/*');
    allowItems(role, ledger, ['dynamodb:GetItem', 'dynamodb:PutItem'], FEED_GROUPS);
    for (const queue of [this.queue, this.quickQueue]) allowSending(role, queue);
  }

  /** Allows the calls that the poller's adapters (functions/adapters) make, table by table. */
  #allowPoller({ tables }: PollingProps): void {
    const { role } = this.poller;
    allowTable(role, tables.snapshots, [
      'dynamodb:BatchGetItem',
      'dynamodb:DescribeTable',
      'dynamodb:GetItem',
      'dynamodb:PartiQLInsert',
      'dynamodb:PutItem',
    ]);
    allow(role, ['dynamodb:Query'], `${tables.snapshots.tableArn}/index/${TABLES.snapshots.index.name}`);
    allowTable(role, tables.ledger, ['dynamodb:DescribeTable', 'dynamodb:GetItem', 'dynamodb:PutItem']);
    allow(role, ['dynamodb:DescribeTable'], tables.sources.tableArn);
    allowItems(role, tables.sources, ['dynamodb:GetItem', 'dynamodb:PutItem'], ...POLLED);
    // It reads entries, and never writes one: an entry says where a token goes.
    allowItems(role, tables.sources, ['dynamodb:GetItem'], ENTRIES);
    allowSending(role, this.queue);
  }

  /** Mostly by a prefix of their names: a role's policies may have 10,240 characters, and commands do not change them. */
  #allowTokens({ sources, serviceName, tokenKey }: PollingProps): void {
    const { role } = this.poller;
    const { ofSecrets, ofParameters } = tokenNames(serviceName);
    const { partition, region, account } = Stack.of(role);
    const arnOf = (service: string, names: string) =>
      `arn:${partition}:${service}:${region}:${account}:${names}*`;
    const reason = 'Only the tokens of this feed have this prefix.';
    allowPattern(role, 'ssm:GetParameter', arnOf('ssm', `parameter${ofParameters}`), reason);
    const secrets = arnOf('secretsmanager', `secret:${ofSecrets}`);
    allowPattern(role, 'secretsmanager:GetSecretValue', secrets, reason);
    allowTokens(role, sources, serviceName);
    if (tokenKey !== undefined) allowTokenKey(role, tokenKey, 'kms:Decrypt', serviceName);
  }
}

/** Allows finding how far the readers of the pull feed are; the index of sources lists them. */
function allowLagOfReaders(role: iam.Role, { marks }: FeedTables): void {
  allow(role, ['dynamodb:DescribeTable'], marks.tableArn);
  allowItems(role, marks, ['dynamodb:GetItem'], PULL_ITEMS);
}
