// The alarms of an ordered subscription, in its stack.
import type { Duration } from 'aws-cdk-lib';
import { type AlarmDefaults, createAlarm } from './create-alarm.ts';
import { countOf, type FeedMetrics } from './feed-metrics.ts';
import type { OrderedSubscription } from './ordered-subscription.ts';

export interface WatchOptions {
  readonly metrics: FeedMetrics;
  /** Age of the oldest event that sets off the alarm. */
  readonly alarmAfter: Duration;
  readonly defaults: AlarmDefaults;
}

export function watchSubscription(
  subscription: OrderedSubscription,
  { metrics, alarmAfter, defaults }: WatchOptions,
): void {
  const { name, deadLetters, undelivered } = subscription;
  const waits = {
    metric: metrics.queueAge(subscription),
    hurts: `The people behind the ordered subscriber ${name} act on old states: events wait in its queue.`,
    anchor: 'events-wait-in-a-queue',
    threshold: alarmAfter.toSeconds(),
  };
  const gaveUp = {
    metric: countOf(deadLetters),
    hurts:
      `The people behind the ordered subscriber ${name} miss changes: it failed events so often that they were ` +
      'put aside.',
    anchor: 'an-ordered-subscriber-gave-up-events',
    threshold: 1,
  };
  const notDelivered = {
    metric: countOf(undelivered),
    hurts: `The ordered subscriber ${name} misses changes: SNS could not write them to its queue.`,
    anchor: 'events-do-not-reach-a-queue',
    threshold: 1,
  };
  createAlarm(subscription, 'QueueWaits', waits, defaults);
  createAlarm(subscription, 'OrderedDeadLetters', gaveUp, defaults);
  createAlarm(subscription, 'NotDelivered', notDelivered, defaults);
}
