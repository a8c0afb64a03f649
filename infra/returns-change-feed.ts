// The feed as a construct for your own stacks. This file is its interface; its parts are constructs of their own.

import { Duration, Names, RemovalPolicy } from 'aws-cdk-lib';
import type * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import type * as events from 'aws-cdk-lib/aws-events';
import type * as iam from 'aws-cdk-lib/aws-iam';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import { type ILogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type * as scheduler from 'aws-cdk-lib/aws-scheduler';
import type * as sqs from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { StatusKind } from '../shared/contract/statuses.ts';
import type { DestinationName } from '../shared/deployment/destinations.ts';
import { allow, allowKey, allowTable } from './allow.ts';
import { BusSubscribers, type OnChangeOptions } from './bus-subscribers.ts';
import { checkProps } from './check-props.ts';
import { createDeadLetterQueue } from './create-queue.ts';
import { FeedMetrics } from './feed-metrics.ts';
import type { ReturnsChangeFeedProps } from './feed-props.ts';
import { Monitoring } from './monitoring.ts';
import { type OrderedSubscriberOptions, OrderedSubscription } from './ordered-subscription.ts';
import { Polling } from './polling.ts';
import { Publishing } from './publishing.ts';
import { type FeedTables, Storage } from './storage.ts';

export type { ReturnsChangeFeedProps } from './feed-props.ts';

export class ReturnsChangeFeed extends Construct {
  readonly tables: FeedTables;
  /** Each return group's events in their order, for one consumer. */
  readonly queue: sqs.IQueue;
  /** All events in no order, for any number of rules. */
  readonly bus: events.EventBus;
  readonly poller: lambda.IFunction;
  /** The functions that operators inspect and start by hand (docs/runbook.md). */
  readonly relays: Publishing['relays'];
  readonly sweeps: Publishing['sweeps'];
  /** The ticks on their way to the poller. */
  readonly pollQueue: sqs.IQueue;
  /** Has a line for each tick. */
  readonly pollerLog: ILogGroup;
  /** The parts that `returns-feed sources` uses: the path of parameters, the group of schedules, the poller's role. */
  readonly sourcesPath: string;
  readonly schedules: scheduler.IScheduleGroup;
  readonly pollerRole: iam.IRole;
  /** Messages that the feed itself could not handle: ticks, stream records, sweeps. */
  readonly deadLetters: sqs.IQueue;
  /** Events that the queue's consumer could not handle. */
  readonly orderedDeadLetters: sqs.IQueue;
  /** Undefined if the props disable it. */
  readonly dashboard: cloudwatch.Dashboard | undefined;
  readonly #metrics: FeedMetrics;
  readonly #ordered: OrderedSubscription;
  readonly #onBus: BusSubscribers;

  /** @throws Error that lists all problems with the props */
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
    // Distinguishes the feeds of an account in parameters, logs and metrics.
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
   * Makes a function the only consumer of the FIFO queue. It gets each return group's events in order, and must return
   * `batchItemFailures`. Events that keep failing go to a dead-letter queue.
   *
   * @throws Error if the queue already has a consumer
   */
  addOrderedSubscriber(fn: lambda.IFunction, options: OrderedSubscriberOptions = {}): void {
    this.#ordered.add(fn, options);
  }

  /**
   * A rule on the bus for entities that get a status, by a change or because they are first seen with it.
   *
   * @throws Error for a source that the feed does not have
   */
  onChange<Kind extends StatusKind>(id: string, options: OnChangeOptions<Kind>): events.Rule {
    this.#metrics.checkSources(options.sources ?? []);
    return this.#onBus.onChange(id, options);
  }

  /** Lets a consumer other than a Lambda function read the FIFO queue, as its only consumer. */
  grantConsumeOrdered(grantee: iam.IGrantable): void {
    this.#ordered.take(grantee.grantPrincipal.toString());
    allow(
      grantee,
      ['sqs:ChangeMessageVisibility', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage'],
      this.queue.queueArn,
    );
    allowKey(grantee, this.queue.encryptionMasterKey, 'sqs', ['kms:Decrypt']);
  }

  /** Grants read access to all four tables: the feed's state and its published events. */
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

  /** Seconds since a poll last covered the source completely. */
  metricSecondsBehind(source: string, options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    return this.#metrics.secondsBehind(source, options);
  }

  /** Return groups that can't be read: the maximum of all sources. */
  metricSetAsideGroups(options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    return this.#metrics.setAsideGroups(options);
  }

  /** Findings that are held because they look wrong: the maximum of all sources. */
  metricHolds(options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    return this.#metrics.holds(options);
  }

  /** Return groups that stopped at an event that the destination rejects. */
  metricGroupsBehind(destination: DestinationName, options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    return this.#metrics.groupsBehind(destination, options);
  }

  /** Age of the oldest stream record that a relay has not sent, in milliseconds. */
  metricRelayAge(destination: DestinationName, options?: cloudwatch.MetricOptions): cloudwatch.Metric {
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
