// The subscriptions of the ordered topic: each has a queue of its own, a name that no other has, and alarms.
import { Duration, Names, Stack } from 'aws-cdk-lib';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type * as sns from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { EventFilter } from '../shared/contract/event-filter.ts';
import { checkSubscription, LONGEST_VISIBILITY, timeoutOf } from './check-subscription.ts';
import type { Monitoring } from './monitoring.ts';
import { OrderedSubscription } from './ordered-subscription.ts';

export interface OrderedQueueOptions {
  /**
   * The events that the subscription gets. SNS needs up to 15 minutes until a new or a changed filter applies.
   * @default all changes
   */
  readonly filter?: EventFilter;
  /**
   * Time until a failed event, and its group, become visible again.
   * @default six times the function's timeout, as AWS recommends; 6 minutes if that is unknown
   */
  readonly visibilityTimeout?: Duration;
  /**
   * Age of the oldest event that sets off the alarm.
   * @default Duration.minutes(15)
   */
  readonly alarmAfter?: Duration;
}

export interface OrderedSubscriberOptions extends OrderedQueueOptions {
  /**
   * Events per invocation, 1 to 10. With more than one, an event that always fails takes the events of its group in the
   * same batch into the dead-letter queue (docs/decisions/0017).
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

  /** Of all subscriptions of the topic. */
  get names(): readonly string[] {
    return this.#names;
  }

  /** Counts a subscription that was made elsewhere. */
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
    const subscription = new OrderedSubscription(this.#placeBeside(fn), idOf(name, fn), {
      ...{ name, topic, encryptionKey },
      filter: options.filter ?? {},
      visibilityTimeout: options.visibilityTimeout ?? sixTimesTimeout(fn),
    });
    this.delayRelayUntil(subscription);
    monitoring.watchSubscription(subscription, options.alarmAfter ?? Duration.minutes(15));
    return subscription;
  }

  /**
   * Deploys the relay after a subscription of its stack. A topic keeps nothing for a subscription to come: the first
   * events wait in the ledger's stream instead.
   */
  delayRelayUntil(subscription: Construct): void {
    if (Stack.of(subscription) === Stack.of(this)) this.#props.relay.node.addDependency(subscription);
  }

  /** The path in the feed's own stack; of a function elsewhere the whole path, which begins with its stack. */
  #nameOf(fn: lambda.IFunction): string {
    return Stack.of(fn) === Stack.of(this) ? pathInStack(fn) : fn.node.path;
  }

  /** In the function's stack: queue and function refer to each other, which two stacks can't. */
  #placeBeside(fn: lambda.IFunction | undefined): Construct {
    const stack = Stack.of(fn ?? this);
    if (stack === Stack.of(this)) return this;
    const id = Names.nodeUniqueId(this.node);
    return (stack.node.tryFindChild(id) as Construct | undefined) ?? new Construct(stack, id);
  }
}

/** A construct's id has no slashes. */
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
