// The subscriptions of the ordered topic: each has a queue of its own, a unique name, and alarms.
import { Duration, Stack } from 'aws-cdk-lib';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type * as sns from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { EventFilter } from '../shared/contract/event-filter.ts';
import { checkSubscription, LONGEST_VISIBILITY, timeoutOf } from './check-subscription.ts';
import type { Monitoring } from './monitoring.ts';
import { OrderedSubscription } from './ordered-subscription.ts';
import { placeBeside } from './place-beside.ts';

export interface OrderedQueueOptions {
  /**
   * The events that the subscription gets. A new or changed filter takes effect within 15 minutes.
   * @default all changes
   */
  readonly filter?: EventFilter;
  /**
   * Time until a failed event and the later events of its group become visible again.
   * @default six times the function's timeout, as AWS recommends; 6 minutes if that is unknown
   */
  readonly visibilityTimeout?: Duration;
  /**
   * Age of the oldest event in the queue at which the alarm goes off.
   * @default Duration.minutes(15)
   */
  readonly alarmAfter?: Duration;
}

export interface OrderedSubscriberOptions extends OrderedQueueOptions {
  /**
   * Maximum number of events per invocation, 1 to 10. With more than one, an event that always fails takes later events
   * of its group with it into the dead-letter queue, if they are in the same batch (docs/decisions/0017).
   * @default 1
   */
  readonly batchSize?: number;
  /**
   * Maximum number of concurrent invocations, 2 to 1,000. A return group's events are never handled concurrently.
   * @default Lambda decides
   */
  readonly maxConcurrency?: number;
}

export interface OrderedSubscriptionsProps {
  readonly topic: sns.ITopic;
  readonly encryptionKey: kms.IKey | undefined;
  readonly monitoring: Monitoring;
  /** The function that publishes to the topic. */
  readonly relay: lambda.Function;
  /** The names of the feed's sources. */
  readonly sources: readonly string[];
}

export class OrderedSubscriptions extends Construct {
  readonly #props: OrderedSubscriptionsProps;
  readonly #names: string[] = [];

  constructor(scope: Construct, id: string, props: OrderedSubscriptionsProps) {
    super(scope, id);
    this.#props = props;
  }

  /** The names of all subscriptions of the topic, webhooks included. */
  get names(): readonly string[] {
    return this.#names;
  }

  /** Adds the name of a subscription that is created elsewhere. */
  addName(name: string): void {
    this.#names.push(name);
  }

  /** @throws Error that lists all problems with the options */
  addSubscriber(fn: lambda.IFunction, options: OrderedSubscriberOptions): OrderedSubscription {
    const { batchSize = 1, maxConcurrency } = options;
    const subscription = this.#add(this.#nameOf(fn), options, fn);
    fn.addEventSource(
      new SqsEventSource(subscription.queue, {
        batchSize,
        reportBatchItemFailures: true,
        ...(maxConcurrency === undefined ? {} : { maxConcurrency }),
      }),
    );
    return subscription;
  }

  /** @throws Error that lists all problems with the options */
  addQueue(id: string, options: OrderedQueueOptions): OrderedSubscription {
    return this.#add(id, options, undefined);
  }

  #add(name: string, options: OrderedQueueOptions, fn: lambda.IFunction | undefined): OrderedSubscription {
    const { topic, encryptionKey, monitoring, sources } = this.#props;
    checkSubscription(name, { ...options, fn, sources, others: this.#names });
    this.addName(name);
    const scope = fn === undefined ? this : placeBeside(this, fn);
    const subscription = new OrderedSubscription(scope, idOf(name, fn), {
      ...{ name, topic, encryptionKey },
      filter: options.filter ?? {},
      visibilityTimeout: options.visibilityTimeout ?? sixTimesTimeout(fn),
    });
    this.delayRelayUntil(subscription);
    monitoring.watchSubscription(subscription, options.alarmAfter ?? Duration.minutes(15));
    return subscription;
  }

  /**
   * Deploys the relay after a subscription in its stack: a topic stores no events for later subscriptions. Until then
   * the first events wait in the ledger's stream.
   */
  delayRelayUntil(subscription: Construct): void {
    if (Stack.of(subscription) === Stack.of(this)) this.#props.relay.node.addDependency(subscription);
  }

  /** The function's path without its stack; the whole path for a function in another stack than the feed. */
  #nameOf(fn: lambda.IFunction): string {
    return Stack.of(fn) === Stack.of(this) ? pathInStack(fn) : fn.node.path;
  }
}

/** The construct's id. Replaces slashes: ids can't contain them. */
function idOf(name: string, fn: lambda.IFunction | undefined): string {
  return fn === undefined ? name : pathInStack(fn).replaceAll('/', '-');
}

function pathInStack(fn: lambda.IFunction): string {
  return fn.node.path.slice(Stack.of(fn).node.path.length).replace(/^\//, '');
}

function sixTimesTimeout(fn: lambda.IFunction | undefined): Duration {
  const timeout = timeoutOf(fn) ?? Duration.minutes(1);
  return Duration.seconds(Math.min(6 * timeout.toSeconds(), LONGEST_VISIBILITY.toSeconds()));
}
