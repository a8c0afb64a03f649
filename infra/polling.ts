// The reading side: a schedule for each source sends ticks to the poll queue, and the poller receives them. The poller
// can read the service's tokens, so it has no permission to publish; it only writes to the tables.
import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
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
import { allow, allowPattern, allowSending, allowTable, allowTokenKey } from './allow.ts';
import { createFunction, type FeedFunction, type FunctionDefaults } from './create-function.ts';
import { createQueue } from './create-queue.ts';
import { addressesOf, allowTokens, withOwnNames } from './declared-tokens.ts';
import { schedulerOf } from './scheduler-of.ts';
import { intervalSeconds, type SourceProps } from './source-props.ts';
import type { FeedTables } from './storage.ts';

/** Leaves a tick 45 seconds to work. Its lease lasts a minute, so it has expired by the next minute's tick. */
const POLLER_TIMEOUT = Duration.seconds(60);
/** Older ticks are dropped: a later tick makes up for them. */
const TICK_RETENTION = Duration.minutes(10);
/** For sources that `sources add` creates. A mapping's maximum concurrency reserves nothing, so a high one is free. */
const ROOM_FOR_ADDED_SOURCES = 100;
/** https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html */
const MOST_CONCURRENCY = 1_000;

export interface PollingProps extends FunctionDefaults {
  readonly sources: readonly SourceProps[];
  readonly tables: FeedTables;
  readonly deadLetters: sqs.Queue;
  readonly encryptionKey: kms.IKey | undefined;
  /** Encrypts tokens inside entries. */
  readonly tokenKey: kms.IKey | undefined;
}

export class Polling extends Construct {
  readonly poller: FeedFunction;
  readonly queue: sqs.Queue;
  /** The group of the sources' schedules. */
  readonly schedules: scheduler.ScheduleGroup;

  constructor(scope: Construct, id: string, props: PollingProps) {
    super(scope, id);
    const { tables, deadLetters, encryptionKey, serviceName } = props;
    this.queue = createQueue(this, 'Ticks', {
      encryptionKey,
      retentionPeriod: TICK_RETENTION,
      // A tick must not become visible again while the poller may still process it.
      visibilityTimeout: Duration.seconds(2 * POLLER_TIMEOUT.toSeconds()),
      deadLetterQueue: { queue: deadLetters, maxReceiveCount: 3 },
    });
    const named = withOwnNames(props.sources, serviceName);
    // Removed with the stack: its name is fixed, and a retained group would block the next deployment.
    this.schedules = new scheduler.ScheduleGroup(this, 'Schedules', { removalPolicy: RemovalPolicy.DESTROY });
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
    this.poller.function.addEventSource(
      // A tick ends at once while another one reads its source, so two for each source are enough.
      new SqsEventSource(this.queue, {
        batchSize: 1,
        maxConcurrency: Math.min(MOST_CONCURRENCY, 2 * (props.sources.length + ROOM_FOR_ADDED_SOURCES)),
      }),
    );
    new lambda.Alias(this, 'Questions', {
      aliasName: QUESTIONS_ALIAS,
      version: this.poller.function.latestVersion,
      description: "For operators' requests; gets no ticks",
    });
    this.#allowPoller(props);
    this.#allowTokens(props);
    this.#scheduleTicks(props);
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
    allowTable(role, tables.sources, ['dynamodb:DescribeTable', 'dynamodb:GetItem', 'dynamodb:PutItem']);
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

  #scheduleTicks({ sources, deadLetters }: PollingProps): void {
    const group = this.schedules;
    const role = new iam.Role(this, 'SchedulesRole', {
      description: 'Sends ticks to the poll queue',
      assumedBy: schedulerOf(group),
    });
    allowSending(role, this.queue);
    allowSending(role, deadLetters);
    for (const source of sources) {
      const seconds = Math.max(60, intervalSeconds(source));
      new scheduler.Schedule(this, `Schedule-${source.name}`, {
        description: `Ticks of source ${source.name}`,
        scheduleGroup: group,
        schedule: scheduler.ScheduleExpression.rate(Duration.seconds(seconds)),
        target: {
          bind: () => ({
            arn: this.queue.queueArn,
            role,
            input: scheduler.ScheduleTargetInput.fromObject({
              source: source.name,
              slot: scheduler.ContextAttribute.scheduledTime,
              opensMinute: true,
            }),
            deadLetterConfig: { arn: deadLetters.queueArn },
            // The poller ignores a tick that arrives after the next one.
            retryPolicy: { maximumEventAgeInSeconds: 60, maximumRetryAttempts: 5 },
          }),
        },
      });
    }
  }
}
