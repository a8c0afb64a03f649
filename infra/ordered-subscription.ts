// The only consumer of the FIFO queue: a second one would take a part of the events from the first.
import { Duration } from 'aws-cdk-lib';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import * as sqs from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Monitoring } from './monitoring.ts';
import type { Publishing } from './publishing.ts';

export interface OrderedSubscriberOptions {
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

  /** Registers the consumer. @throws Error if the queue already has one */
  take(consumer: string, alarmAfter = Duration.minutes(15)): void {
    if (this.#consumer !== undefined)
      throw new Error(
        `The FIFO queue already has a consumer, ${this.#consumer}: two would each get a part of the events. ` +
          `Subscribe ${consumer} to the bus with onChange(…), or let the first one call it.`,
      );
    this.#consumer = consumer;
    this.#props.monitoring.watchQueue(alarmAfter);
  }
}

/** Undefined for an imported function. */
function timeoutOf(fn: lambda.IFunction): Duration | undefined {
  return fn instanceof lambda.Function ? (fn.timeout ?? Duration.seconds(3)) : undefined;
}

/** Checks during synthesis what Lambda rejects only at the deployment. */
function checkVisibility(visibilityTimeout: Duration, fn: lambda.IFunction): void {
  const timeout = timeoutOf(fn)?.toSeconds() ?? 0;
  const longest = LONGEST_VISIBILITY.toSeconds();
  if (visibilityTimeout.toSeconds() >= timeout && visibilityTimeout.toSeconds() <= longest) return;
  throw new Error(
    `visibilityTimeout must be at least the timeout of ${fn.node.path}, ${timeout} seconds, and at most 12 hours ` +
      `(got ${visibilityTimeout.toSeconds()} seconds). AWS recommends six times the function's timeout.`,
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
