// The feed as a construct for your own stacks. This file is its interface; the other constructs here are its parts.

import { Duration, Names, RemovalPolicy } from 'aws-cdk-lib';
import type * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import type * as events from 'aws-cdk-lib/aws-events';
import type * as iam from 'aws-cdk-lib/aws-iam';
import * as kms from 'aws-cdk-lib/aws-kms';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import { type ILogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type * as sns from 'aws-cdk-lib/aws-sns';
import type * as sqs from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { WatchedKind } from '../shared/contract/watched-fields.ts';
import type { RelayName } from '../shared/deployment/destinations.ts';
import { TABLES } from '../shared/deployment/tables.ts';
import { allow, allowItems, allowTable, allowTokenKey, ENTRIES } from './allow.ts';
import { BusSubscribers, type OnChangeOptions } from './bus-subscribers.ts';
import { checkProps } from './check-props.ts';
import { createDeadLetterQueue } from './create-queue.ts';
import { DeclaredSources } from './declared-sources.ts';
import { FeedMetrics } from './feed-metrics.ts';
import type { ReturnsChangeFeedProps } from './feed-props.ts';
import { Monitoring } from './monitoring.ts';
import type { OrderedSubscription } from './ordered-subscription.ts';
import {
  type OrderedQueueOptions,
  type OrderedSubscriberOptions,
  OrderedSubscriptions,
} from './ordered-subscriptions.ts';
import { Polling } from './polling.ts';
import { Publishing } from './publishing.ts';
import { createPullEndpoint, type PullEndpoint } from './pull-endpoint.ts';
import { Schedules } from './schedules.ts';
import { type FeedTables, Storage } from './storage.ts';
import type { Webhook } from './webhook.ts';
import type { WebhookOptions } from './webhook-options.ts';
import { Webhooks } from './webhooks.ts';

export type { EventFilter } from '../shared/contract/event-filter.ts';
export type { ReturnsChangeFeedProps } from './feed-props.ts';
export type { OrderedSubscription } from './ordered-subscription.ts';
export type { PullOptions } from './pull-endpoint.ts';
export type { Webhook } from './webhook.ts';
export type { WebhookOptions } from './webhook-options.ts';

export class ReturnsChangeFeed extends Construct {
  readonly tables: FeedTables;
  /** Each return group's events in order, for up to 100 subscriptions. */
  readonly topic: sns.ITopic;
  /** All events, unordered, for any number of rules. */
  readonly bus: events.EventBus;
  readonly poller: lambda.IFunction;
  /** Sends the sources that are due to the poller, once a minute. */
  readonly dispatcher: lambda.IFunction;
  readonly dispatcherLog: ILogGroup;
  readonly relays: Publishing['relays'];
  /** Operators can also start these by hand (docs/runbook.md). */
  readonly sweeps: Publishing['sweeps'];
  /** The pull feed's function and URL; undefined without `pull`. */
  readonly pull: PullEndpoint | undefined;
  /** The queue of ticks of single sources. */
  readonly pollQueue: sqs.IQueue;
  /** The queue of quick polls, twenty sources in a message. */
  readonly quickQueue: sqs.IQueue;
  /** The poller's log, with a line for each message. */
  readonly pollerLog: ILogGroup;
  /** The feed's name in names of parameters and tokens, in logs and in metrics. */
  readonly feedName: string;
  /** Encrypts the tokens of added sources; undefined without `addSources`. */
  readonly tokenKey: kms.IKey | undefined;
  /** The path of the webhooks' parameters in Parameter Store, for operators' commands. */
  readonly webhooksPath: string;
  /** The role that reads tokens: the policy of a token's own key must allow it to decrypt. */
  readonly pollerRole: iam.IRole;
  /** Messages that the feed itself could not handle: ticks, stream records, sweeps. */
  readonly deadLetters: sqs.IQueue;
  /** Undefined with `dashboard: false`. */
  readonly dashboard: cloudwatch.Dashboard | undefined;
  readonly #metrics: FeedMetrics;
  readonly #ordered: OrderedSubscriptions;
  readonly #webhooks: Webhooks;
  readonly #onBus: BusSubscribers;

  /** @throws Error that lists all problems with the props */
  constructor(scope: Construct, id: string, props: ReturnsChangeFeedProps) {
    super(scope, id);
    // Identifies the feed among others of the account.
    const serviceName = Names.uniqueResourceName(this, { maxLength: 60, separator: '-' });
    checkProps(this.node.path, serviceName, props);
    const {
      sources,
      encryptionKey,
      archiveRetention = Duration.days(30),
      logRetention = RetentionDays.ONE_MONTH,
      removalPolicy = RemovalPolicy.RETAIN,
      runbookUrl = 'docs/runbook.md',
      dashboard = true,
      pull = false,
    } = props;
    const common = { encryptionKey, serviceName, logRetention, removalPolicy };
    const { tables } = new Storage(this, 'Storage', { ...common, tables: props.tables ?? {} });
    const deadLetters = createDeadLetterQueue(this, 'DeadLetters', { encryptionKey });
    const schedules = new Schedules(this, 'Schedules', deadLetters);
    const tokenKey =
      props.addSources === true ? this.#createTokenKey(removalPolicy) : props.addSources || undefined;
    const polling = new Polling(this, 'Polling', {
      ...{ ...common, sources, tables, deadLetters, schedules, tokenKey },
      ...{ maxConcurrency: props.maxConcurrency, pull: pull !== false },
    });
    new DeclaredSources(this, 'Declared', { ...common, sources, tables, poller: polling.poller.function });
    const publishing = new Publishing(this, 'Publishing', {
      ...common,
      archiveRetention,
      tables,
      deadLetters,
      schedules,
      pull: pull !== false,
    });
    this.pull =
      pull === false
        ? undefined
        : createPullEndpoint(this, 'Pull', { ...common, tables, ...(pull !== true && pull) });
    this.tables = tables;
    this.topic = publishing.topic;
    this.bus = publishing.bus;
    this.poller = polling.poller.function;
    this.dispatcher = polling.dispatcher.function;
    this.dispatcherLog = polling.dispatcher.logGroup;
    this.relays = publishing.relays;
    this.sweeps = publishing.sweeps;
    this.pollQueue = polling.queue;
    this.quickQueue = polling.quickQueue;
    this.pollerLog = polling.poller.logGroup;
    this.feedName = serviceName;
    this.tokenKey = tokenKey;
    this.pollerRole = polling.poller.role;
    this.deadLetters = deadLetters;
    this.#metrics = new FeedMetrics({ serviceName, sources, deadLetters, polling, publishing });
    const { alarmAction } = props;
    const monitoring = new Monitoring(this, 'Monitoring', {
      ...{ metrics: this.#metrics, sources, polling, publishing, alarmAction, runbookUrl, dashboard },
    });
    this.dashboard = monitoring.dashboard;
    this.#ordered = new OrderedSubscriptions(this, 'Ordered', {
      ...{ topic: publishing.topic, encryptionKey, monitoring },
      relay: publishing.relays.ordered.function,
      sources: sources.map(({ name }) => name),
    });
    this.webhooksPath = `/${serviceName}/webhooks`;
    this.#webhooks = new Webhooks(this, 'Webhooks', {
      ...{ ...common, topic: publishing.topic, tables, dailySweeps: publishing.dailySweeps },
      ...{ monitoring, ordered: this.#ordered, path: this.webhooksPath },
      sources: sources.map(({ name }) => name),
    });
    this.#onBus = new BusSubscribers(this, 'BusSubscribers', {
      bus: publishing.bus,
      encryptionKey,
      monitoring,
    });
  }

  /**
   * Subscribes a function to the ordered topic, with a queue of its own in the function's stack. The function gets each
   * return group's events in order, and must return `batchItemFailures`. Events that fail ten times go to a dead-letter
   * queue.
   *
   * @throws Error that lists all problems, for instance that the function is already subscribed
   */
  addOrderedSubscriber(fn: lambda.IFunction, options: OrderedSubscriberOptions = {}): OrderedSubscription {
    return this.#ordered.addSubscriber(fn, options);
  }

  /**
   * Subscribes a new queue to the ordered topic, for one consumer that is not a Lambda function. `grantConsume` allows
   * the consumer to receive events. Events that it receives ten times and does not delete go to a dead-letter queue.
   *
   * @throws Error that lists all problems, for instance that the id is in use
   */
  addOrderedQueue(id: string, options: OrderedQueueOptions = {}): OrderedSubscription {
    return this.#ordered.addQueue(id, options);
  }

  /**
   * Posts events to a URL, signed, each return group's in order. A webhook has a queue, a sender and alarms of its own,
   * in the feed's stack. While its endpoint fails, events wait in the ledger, for 30 days.
   *
   * @param id the webhook's name in commands, marks and metrics; a webhook with a new id starts at the present
   * @throws Error that lists all problems, for instance that the URL is not https
   */
  addWebhook(id: string, options: WebhookOptions): Webhook {
    return this.#webhooks.add(id, options);
  }

  /**
   * Adds a rule on the bus for entities that reach a status, by a change or at first sight.
   *
   * @throws Error for a source that the feed does not have
   */
  onChange<Kind extends WatchedKind>(id: string, options: OnChangeOptions<Kind>): events.Rule {
    this.#metrics.checkSources(options.sources ?? []);
    return this.#onBus.onChange(id, options);
  }

  /**
   * Grants what `returns-feed sources add` and the other commands for sources need: to change entries, and to encrypt
   * tokens, but not to read one.
   *
   * @throws Error without `addSources`
   */
  grantAddSources(grantee: iam.IGrantable): void {
    if (this.tokenKey === undefined)
      throw new Error(`${this.node.path} has no key for the tokens of added sources: set addSources: true.`);
    const { sources } = this.tables;
    allowTokenKey(grantee, this.tokenKey, 'kms:Encrypt', this.feedName);
    allowItems(
      grantee,
      sources,
      ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem'],
      ENTRIES,
    );
    allow(grantee, ['dynamodb:Query'], `${sources.tableArn}/index/${TABLES.sources.index.name}`);
  }

  #createTokenKey(removalPolicy: RemovalPolicy): kms.IKey {
    return new kms.Key(this, 'TokenKey', {
      description: 'Encrypts the tokens of added sources',
      enableKeyRotation: true,
      removalPolicy,
    });
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

  /**
   * Seconds since polls last read the source completely, or since its walks last made progress if that is longer.
   *
   * @throws Error for a source without `alarm`
   */
  metricSecondsBehind(source: string, options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    return this.#metrics.secondsBehind(source, options);
  }

  /** Sources that have not been read completely for five minutes, or three of their intervals. */
  metricSourcesBehind(options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    return this.#metrics.ofSources('sourcesBehind', options);
  }

  /** Return groups of all sources that are set aside. */
  metricSetAsideGroups(options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    return this.#metrics.setAsideGroups(options);
  }

  /** Holds of all sources that wait for a release. */
  metricHolds(options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    return this.#metrics.holds(options);
  }

  /** Readers of the pull feed that lag for longer than their `--alarm-after`; none without `pull`. */
  metricReadersBehind(options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    return this.#metrics.readersBehind(options);
  }

  /** Return groups that stopped at an event that the destination rejects. */
  metricGroupsBehind(destination: RelayName, options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    return this.#metrics.groupsBehind(destination, options);
  }

  /**
   * Age of the oldest stream record that a relay has not sent, in milliseconds.
   *
   * @throws Error for `pull` without a pull feed
   */
  metricRelayAge(destination: RelayName, options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    return this.#metrics.relayAge(destination, options);
  }

  /** Age of the oldest event in the queue of an ordered subscription, in seconds. */
  metricQueueAge(subscription: OrderedSubscription, options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    return this.#metrics.queueAge(subscription, options);
  }

  /**
   * Seconds since a webhook's posted event, or its endpoint, began to fail; reported with each failed attempt.
   *
   * @throws Error for a webhook that the feed does not have
   */
  metricFailingFor(id: string, options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    this.#webhooks.checkId(id);
    return this.#metrics.failingFor(id, options);
  }

  /** Messages that the feed itself could not handle. */
  metricDeadLetters(options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    return this.#metrics.deadLetters(options);
  }
}
