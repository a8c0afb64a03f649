// The one consumer of the FIFO queue: a second one would take every other event away from the first.
import { Duration } from 'aws-cdk-lib';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import * as sqs from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Monitoring } from './monitoring.ts';
import type { Publishing } from './publishing.ts';

export interface OrderedSubscriberOptions {
  /**
   * Events that the function gets at once, 1 to 10. With more than one, an event that always fails takes the events of
   * its group that come with it into the dead-letter queue (docs/decisions/0017).
   * @default 1
   */
  readonly batchSize?: number;
  /**
   * How many return groups' events are handled at the same time, 2 to 1,000; of one group it is always one.
   * @default as many as Lambda sees fit
   */
  readonly maxConcurrency?: number;
  /**
   * How long an event that failed is away from the queue before it comes again, and its group with it.
   * @default six times the function's timeout, as AWS recommends; 6 minutes where that is not known
   */
  readonly visibilityTimeout?: Duration;
  /**
   * How old the oldest event may grow before the alarm goes off.
   * @default Duration.minutes(15)
   */
  readonly alarmAfter?: Duration;
}

export interface OrderedSubscriptionProps {
  readonly publishing: Publishing;
  readonly monitoring: Monitoring;
}

const LONGEST_VISIBILITY = Duration.hours(12);

export class OrderedSubscription extends Construct {
  readonly #props: OrderedSubscriptionProps;
  #consumer: string | undefined;

  constructor(scope: Construct, id: string, props: OrderedSubscriptionProps) {
    super(scope, id);
    this.#props = props;
  }

  add(fn: lambda.IFunction, options: OrderedSubscriberOptions): void {
    const { batchSize = 1, maxConcurrency, alarmAfter } = options;
    this.take(fn.node.path, alarmAfter);
    const { queue } = this.#props.publishing;
    const visibilityTimeout = options.visibilityTimeout ?? sixTimesTimeout(fn);
    checkVisibility(visibilityTimeout, fn);
    setVisibilityTimeout(queue, visibilityTimeout);
    fn.addEventSource(
      new SqsEventSource(queue, {
        batchSize,
        reportBatchItemFailures: true,
        ...(maxConcurrency === undefined ? {} : { maxConcurrency }),
      }),
    );
  }

  /** @throws if the queue has a consumer already */
  take(consumer: string, alarmAfter = Duration.minutes(15)): void {
    if (this.#consumer !== undefined)
      throw new Error(
        `The FIFO queue has its one consumer, ${this.#consumer}: two would each get a part of the events. ` +
          `Subscribe ${consumer} to the bus with onChange(…), or let the first one call it.`,
      );
    this.#consumer = consumer;
    this.#props.monitoring.watchQueue(alarmAfter);
  }
}

/** Undefined of a function that was imported. */
function timeoutOf(fn: lambda.IFunction): Duration | undefined {
  return fn instanceof lambda.Function ? (fn.timeout ?? Duration.seconds(3)) : undefined;
}

/** Lambda refuses such a mapping, but not before the deployment. */
function checkVisibility(visibilityTimeout: Duration, fn: lambda.IFunction): void {
  const timeout = timeoutOf(fn)?.toSeconds() ?? 0;
  const longest = LONGEST_VISIBILITY.toSeconds();
  if (visibilityTimeout.toSeconds() >= timeout && visibilityTimeout.toSeconds() <= longest) return;
  throw new Error(
    `visibilityTimeout must be at least the timeout of ${fn.node.path}, ${timeout} seconds, and at most 12 hours ` +
      `(got ${visibilityTimeout.toSeconds()} seconds): six times the function's timeout is right.`,
  );
}

function sixTimesTimeout(fn: lambda.IFunction): Duration {
  const timeout = timeoutOf(fn) ?? Duration.minutes(1);
  return Duration.seconds(Math.min(6 * timeout.toSeconds(), LONGEST_VISIBILITY.toSeconds()));
}

function setVisibilityTimeout(queue: sqs.Queue, timeout: Duration): void {
  const resource = queue.node.defaultChild;
  if (resource instanceof sqs.CfnQueue) resource.visibilityTimeout = timeout.toSeconds();
}
