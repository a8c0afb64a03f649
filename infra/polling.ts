// The reading side: each source has a schedule that sends ticks to the poll queue, where the poller receives them. The
// poller reads the service's tokens, so it can't publish: it only writes to the tables.
import { Duration, RemovalPolicy, Stack, Token } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import type * as kms from 'aws-cdk-lib/aws-kms';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import * as scheduler from 'aws-cdk-lib/aws-scheduler';
import type * as sqs from 'aws-cdk-lib/aws-sqs';
import * as ssm from 'aws-cdk-lib/aws-ssm';
import { Construct } from 'constructs';
import { METRICS_NAMESPACE } from '../shared/deployment/metrics.ts';
import { QUESTIONS_ALIAS } from '../shared/deployment/questions-alias.ts';
import { TABLES } from '../shared/deployment/tables.ts';
import { tokenNames } from '../shared/deployment/token-names.ts';
import { acknowledge } from './acknowledge.ts';
import { allow, allowKey, allowSecret, allowSending, allowTable } from './allow.ts';
import { createFunction, type FeedFunction, type FunctionDefaults } from './create-function.ts';
import { createQueue } from './create-queue.ts';
import { schedulerOf } from './scheduler-of.ts';
import { intervalSeconds, isSecret, type SourceProps, settingsOf } from './source-props.ts';
import type { FeedTables } from './storage.ts';

/** Fits between two polls, and leaves the tick 45 seconds to work. Its lease has expired when the next tick comes. */
const POLLER_TIMEOUT = Duration.seconds(60);
/** Maximum wait of a tick: each stands for a slot, and a past slot needs no tick. */
const TICK_RETENTION = Duration.minutes(10);
/** For sources that `sources add` adds. A mapping reserves no concurrency, so this is free; its limit is 1,000. */
const ROOM_FOR_ADDED_SOURCES = 100;
const MOST_CONCURRENCY = 1_000;

export interface PollingProps extends FunctionDefaults {
  readonly sources: readonly SourceProps[];
  readonly tables: FeedTables;
  readonly deadLetters: sqs.Queue;
  readonly encryptionKey: kms.IKey | undefined;
}

export class Polling extends Construct {
  readonly poller: FeedFunction;
  readonly queue: sqs.Queue;
  /** The path of the sources' parameters. */
  readonly sourcesPath: string;
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
    const path = `/${serviceName}/sources`;
    this.sourcesPath = path;
    // Removed with the stack: its name is fixed, and a retained group would block the next deployment.
    this.schedules = new scheduler.ScheduleGroup(this, 'Schedules', { removalPolicy: RemovalPolicy.DESTROY });
    this.poller = createFunction(this, 'Poller', props, {
      code: 'poller',
      description: 'Polls the returns service and saves what changed',
      environment: {
        SNAPSHOTS_TABLE: tables.snapshots.tableName,
        LEDGER_TABLE: tables.ledger.tableName,
        SOURCES_TABLE: tables.sources.tableName,
        SOURCES_PATH: path,
        POLL_QUEUE_URL: this.queue.queueUrl,
        STACK_NAME: Stack.of(this).stackName,
        POWERTOOLS_METRICS_NAMESPACE: METRICS_NAMESPACE,
      },
      timeout: POLLER_TIMEOUT,
      memorySizeMiB: 512,
    });
    this.poller.function.addEventSource(
      // A tick whose source is being read ends at once, so two for each source are enough.
      new SqsEventSource(this.queue, {
        batchSize: 1,
        maxConcurrency: Math.min(MOST_CONCURRENCY, 2 * (props.sources.length + ROOM_FOR_ADDED_SOURCES)),
      }),
    );
    new lambda.Alias(this, 'Questions', {
      aliasName: QUESTIONS_ALIAS,
      version: this.poller.function.latestVersion,
      description: 'Answers questions of operators, and takes no ticks',
    });
    this.#allowPoller(props);
    this.#allowAddedSources(props);
    this.#configureSources(path, props);
    this.#scheduleTicks(props);
  }

  /** The calls of functions/adapters from the poller, table by table. */
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

  /**
   * By prefixes of names, not one by one: a role's policies are limited to 10,240 characters, and commands add sources
   * without changing IAM. So the poller may also request the parameter of a removed source: otherwise that request
   * would be denied for its delayed ticks, which would look the same as a missing permission.
   */
  #allowAddedSources({ serviceName }: PollingProps): void {
    const { role } = this.poller;
    const { ofSecrets, ofParameters } = tokenNames(serviceName);
    allowNames(role, 'ssm:GetParameter', `parameter${this.sourcesPath}/`);
    allowNames(role, 'ssm:GetParameter', `parameter${ofParameters}`);
    allowNames(role, 'secretsmanager:GetSecretValue', `secret:${ofSecrets}`);
  }

  #configureSources(path: string, { sources }: PollingProps): void {
    for (const source of sources) {
      new ssm.StringParameter(this, `Source-${source.name}`, {
        parameterName: `${path}/${source.name}`,
        description: `How source ${source.name} is read`,
        stringValue: Stack.of(this).toJsonString({ settings: settingsOf(source), token: placeOf(source) }),
      });
      allowToken(this.poller.role, source);
    }
  }

  #scheduleTicks({ sources, deadLetters }: PollingProps): void {
    const group = this.schedules;
    const role = new iam.Role(this, 'SchedulesRole', {
      description: 'Puts ticks into the poll queue',
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
            // A tick that arrives after the next one is dropped anyway.
            retryPolicy: { maximumEventAgeInSeconds: 60, maximumRetryAttempts: 5 },
          }),
        },
      });
    }
  }
}

function placeOf({ token }: SourceProps): Record<string, string> {
  return isSecret(token)
    ? { secretId: token.secretFullArn ?? token.secretName }
    : { parameter: token.parameterName };
}

function allowToken(role: iam.IRole, { token }: SourceProps): void {
  if (isSecret(token)) {
    allowSecret(role, token);
    return;
  }
  allow(role, ['ssm:GetParameter'], token.parameterArn);
  // As for secrets, only a key of the account needs a permission.
  const encryptionKey = 'encryptionKey' in token ? (token.encryptionKey as kms.IKey | undefined) : undefined;
  allowKey(role, encryptionKey, 'ssm', ['kms:Decrypt']);
}

/** Allows an action on all resources whose names begin like this, in the stack's account and region. */
function allowNames(role: iam.Role, action: `${string}:${string}`, namesBegin: string): void {
  const { partition, region, account } = Stack.of(role);
  const [service] = action.split(':');
  const arnOf = (parts: readonly string[]) =>
    `arn:${parts[0]}:${service}:${parts[1]}:${parts[2]}:${namesBegin}*`;
  allow(role, [action], arnOf([partition, region, account]));
  // In cdk-nag's form, which has no tokens.
  const shown = (value: string, name: string) => (Token.isUnresolved(value) ? `<AWS::${name}>` : value);
  const arn = arnOf([shown(partition, 'Partition'), shown(region, 'Region'), shown(account, 'AccountId')]);
  acknowledge(role, `IAM5[Resource::${arn}]`, 'The sources and tokens of this feed alone are named so.');
}
