// The feed as a construct for one's own stacks. What it is made of stands in its parts; here is what its users see.
import { Duration, Names, RemovalPolicy } from 'aws-cdk-lib';
import type * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import type * as events from 'aws-cdk-lib/aws-events';
import type * as iam from 'aws-cdk-lib/aws-iam';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import { type ILogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type * as scheduler from 'aws-cdk-lib/aws-scheduler';
import type * as sqs from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { StatusKind } from '../shared/contract/statuses.ts';
import { allow, allowKey, allowTable } from './allow.ts';
import { BusSubscribers, type OnChangeOptions } from './bus-subscribers.ts';
import { checkProps } from './check-props.ts';
import { createDeadLetterQueue } from './create-queue.ts';
import { FeedMetrics } from './feed-metrics.ts';
import { Monitoring } from './monitoring.ts';
import { type OrderedSubscriberOptions, OrderedSubscription } from './ordered-subscription.ts';
import { Polling } from './polling.ts';
import { Publishing } from './publishing.ts';
import type { SourceProps } from './source-props.ts';
import { type FeedTables, Storage } from './storage.ts';

export interface ReturnsChangeFeedProps {
  /** The stores that are watched, at least one. */
  readonly sources: readonly SourceProps[];
  /**
   * Tables that are there already, for instance of a stack that was removed. `snapshots`, `ledger` and `sources` belong
   * together.
   * @default all are made
   */
  readonly tables?: Partial<FeedTables>;
  /**
   * A key of your own for tables, queues, bus and archive. The policy of an imported key must have the statements that
   * SECURITY.md lists ("A key of your own").
   * @default keys of the services, at no charge
   */
  readonly encryptionKey?: kms.IKey;
  /**
   * How long the bus's archive keeps events, for replays to rules.
   * @default Duration.days(30), as long as the ledger keeps them
   */
  readonly archiveRetention?: Duration;
  /**
   * How long logs are kept.
   * @default RetentionDays.ONE_MONTH
   */
  readonly logRetention?: RetentionDays;
  /**
   * What becomes of the tables when they leave the stack. With RETAIN they are protected from being deleted, too.
   * @default RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy;
  /**
   * What alarms set off, for instance `new SnsAction(topic)`. A topic that has a policy, as `enforceSSL` makes one, must
   * let `cloudwatch.amazonaws.com` publish (`sns:Publish`, with `aws:SourceAccount` for a condition): the policy replaces
   * SNS's own, which would, and `SnsAction` adds nothing to it.
   * @default nothing: alarms show in CloudWatch alone
   */
  readonly alarmAction?: cloudwatch.IAlarmAction;
  /**
   * Where your people find docs/runbook.md; alarms link its paragraphs.
   * @default 'docs/runbook.md'
   */
  readonly runbookUrl?: string;
  /**
   * Whether there is a dashboard. The first three of an account are free, each further costs 3 $ a month.
   * @default true
   */
  readonly dashboard?: boolean;
}

export class ReturnsChangeFeed extends Construct {
  readonly tables: FeedTables;
  /** Each return group's events in their order, for one consumer. */
  readonly queue: sqs.IQueue;
  /** All events in no order, for any number of rules. */
  readonly bus: events.EventBus;
  readonly poller: lambda.IFunction;
  /** What an operator looks at, and starts by hand (docs/runbook.md). */
  readonly relays: Publishing['relays'];
  readonly sweeps: Publishing['sweeps'];
  /** Has the ticks that are on their way. */
  readonly pollQueue: sqs.IQueue;
  /** Has a line of every tick. */
  readonly pollerLog: ILogGroup;
  /** What `returns-feed sources` adds a source to: the path of parameters, the group of schedules, the poller's role. */
  readonly sourcesPath: string;
  readonly schedules: scheduler.IScheduleGroup;
  readonly pollerRole: iam.IRole;
  /** What the feed itself could not handle: ticks, stream records, sweeps. */
  readonly deadLetters: sqs.IQueue;
  /** What the queue's consumer could not handle. */
  readonly orderedDeadLetters: sqs.IQueue;
  /** Undefined where the props want none. */
  readonly dashboard: cloudwatch.Dashboard | undefined;
  readonly #metrics: FeedMetrics;
  readonly #ordered: OrderedSubscription;
  readonly #onBus: BusSubscribers;

  /** @throws an error that names everything that is wrong with the props */
  constructor(scope: Construct, id: string, props: ReturnsChangeFeedProps) {
    super(scope, id);
    checkProps(this.node.path, props);
    const {
      sources,
      encryptionKey,
      archiveRetention = Duration.days(30),
      logRetention = RetentionDays.ONE_MONTH,
      removalPolicy = RemovalPolicy.RETAIN,
      runbookUrl = 'docs/runbook.md',
      dashboard = true,
    } = props;
    // Tells two feeds in one account apart: in parameters, logs and metrics.
    const serviceName = Names.uniqueResourceName(this, { maxLength: 60, separator: '-' });
    const common = { encryptionKey, serviceName, logRetention, removalPolicy };
    const { tables } = new Storage(this, 'Storage', { ...common, tables: props.tables ?? {} });
    const deadLetters = createDeadLetterQueue(this, 'DeadLetters', { encryptionKey });
    const polling = new Polling(this, 'Polling', { ...common, sources, tables, deadLetters });
    const publishing = new Publishing(this, 'Publishing', {
      ...common,
      archiveRetention,
      tables,
      deadLetters,
    });
    this.tables = tables;
    this.queue = publishing.queue;
    this.bus = publishing.bus;
    this.poller = polling.poller.function;
    this.relays = publishing.relays;
    this.sweeps = publishing.sweeps;
    this.pollQueue = polling.queue;
    this.orderedDeadLetters = publishing.queueDeadLetters;
    this.pollerLog = polling.poller.logGroup;
    this.sourcesPath = polling.sourcesPath;
    this.schedules = polling.schedules;
    this.pollerRole = polling.poller.role;
    this.deadLetters = deadLetters;
    this.#metrics = new FeedMetrics({ serviceName, sources, deadLetters, polling, publishing });
    const { alarmAction } = props;
    const monitoring = new Monitoring(this, 'Monitoring', {
      ...{ metrics: this.#metrics, sources, polling, publishing, alarmAction, runbookUrl, dashboard },
    });
    this.dashboard = monitoring.dashboard;
    this.#ordered = new OrderedSubscription(this, 'OrderedSubscription', { publishing, monitoring });
    this.#onBus = new BusSubscribers(this, 'BusSubscribers', {
      bus: publishing.bus,
      encryptionKey,
      monitoring,
    });
  }

  /**
   * Makes a function the one consumer of the FIFO queue: it gets each return group's events in their order, and has
   * to answer with `batchItemFailures`. What it fails goes to a dead-letter queue in the end.
   *
   * @throws if the queue has a consumer already
   */
  addOrderedSubscriber(fn: lambda.IFunction, options: OrderedSubscriberOptions = {}): void {
    this.#ordered.add(fn, options);
  }

  /**
   * A rule on the bus for an entity that comes to a status, be it by a change or because it was first seen with it.
   *
   * @throws for sources that the feed does not have
   */
  onChange<Kind extends StatusKind>(id: string, options: OnChangeOptions<Kind>): events.Rule {
    this.#metrics.checkSources(options.sources ?? []);
    return this.#onBus.onChange(id, options);
  }

  /** Lets somebody consume the FIFO queue by other means than a Lambda function; they are its one consumer then. */
  grantConsumeOrdered(grantee: iam.IGrantable): void {
    this.#ordered.take(grantee.grantPrincipal.toString());
    allow(
      grantee,
      ['sqs:ChangeMessageVisibility', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage'],
      this.queue.queueArn,
    );
    allowKey(grantee, this.queue.encryptionMasterKey, 'sqs', ['kms:Decrypt']);
  }

  /** Lets somebody look up what the feed knows and has told: all four tables, read only. */
  grantReadState(grantee: iam.IGrantable): void {
    for (const table of Object.values(this.tables)) {
      allowTable(grantee, table, [
        'dynamodb:BatchGetItem',
        'dynamodb:DescribeTable',
        'dynamodb:GetItem',
        'dynamodb:Query',
        'dynamodb:Scan',
      ]);
    }
  }

  /** Seconds since a poll last covered everything of a source. */
  metricSecondsBehind(source: string, options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    return this.#metrics.secondsBehind(source, options);
  }

  /** Return groups that can't be read, at most of any source. */
  metricSetAsideGroups(options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    return this.#metrics.setAsideGroups(options);
  }

  /** Findings that are held because they look wrong, at most of any source. */
  metricHolds(options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    return this.#metrics.holds(options);
  }

  /** Return groups that stopped at an event which a destination refuses. */
  metricGroupsBehind(destination: 'queue' | 'bus', options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    return this.#metrics.groupsBehind(destination, options);
  }

  /** Age of the oldest stream record that a relay has not sent, in milliseconds. */
  metricRelayAge(destination: 'queue' | 'bus', options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    return this.#metrics.relayAge(destination, options);
  }

  /** Age of the oldest event in the FIFO queue, in seconds. */
  metricQueueAge(options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    return this.#metrics.queueAge(options);
  }

  /** Messages that the feed itself could not handle. */
  metricDeadLetters(options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    return this.#metrics.deadLetters(options);
  }
}
