// The alarms. Each names the affected people in one sentence, and links a section of the runbook. The sources are watched
// as a whole; only some have an alarm of their own. A feed that does not run is noticed too: the dispatcher's invocations
// and the ages of queues and streams are AWS's metrics.
import { Duration, Stack } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import type * as sqs from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { RELAY_NAMES, type RelayName } from '../shared/deployment/destinations.ts';
import { freshnessAlarm } from '../shared/deployment/metrics.ts';
import { ORDERED_TRIES } from '../shared/deployment/ordered-tries.ts';
import { type AlarmDefaults, type AlarmOptions, createAlarm } from './create-alarm.ts';
import { addWebhookRow, createDashboard } from './create-dashboard.ts';
import { countOf, type FeedMetrics, waitingIn } from './feed-metrics.ts';
import type { OrderedSubscription } from './ordered-subscription.ts';
import type { Polling } from './polling.ts';
import type { Publishing } from './publishing.ts';
import { alarmedOf, intervalSeconds, type SourceProps } from './source-props.ts';
import type { Webhook } from './webhook.ts';

export interface MonitoringProps extends AlarmDefaults {
  readonly metrics: FeedMetrics;
  readonly sources: readonly SourceProps[];
  readonly polling: Polling;
  readonly publishing: Publishing;
  readonly dashboard: boolean;
}

/** A destination that fails for this long needs an operator. The stream retains the records for a day. */
const RELAY_LATE = Duration.minutes(15);

/** The end of the alarms' ids, and who is affected. */
const DESTINATION_ALARMS: Readonly<
  Record<RelayName, { readonly suffix: string; readonly late: string; readonly behind: string }>
> = {
  ordered: {
    suffix: 'Ordered',
    late: 'The ordered subscribers get no events: the events are saved, but not published to the topic.',
    behind:
      'The ordered subscribers get no changes of some return groups: the topic rejects an event of each.',
  },
  bus: {
    suffix: 'Bus',
    late: 'Subscribers of the bus get no events: the events are saved, but not published to the bus.',
    behind: 'Subscribers of the bus get no changes of some return groups: the bus rejects an event of each.',
  },
  pull: {
    suffix: 'Pull',
    late: 'Subscribers that pull get no events: the events are saved, but have no positions in the pull feed.',
    behind:
      "Subscribers that pull get no changes of some return groups: an event of each can't be read from the ledger.",
  },
};

export interface WebhookWatch {
  readonly alarmAfter: Duration;
  /** The actions for the endpoint's owner. */
  readonly ownerActions: readonly cloudwatch.IAlarmAction[];
}

const A_DAY = Duration.days(1);

/** A failing endpoint is retried about every 15 minutes, and only attempts report the metric. */
const ATTEMPTS = { period: Duration.minutes(5), evaluationPeriods: 6, datapointsToAlarm: 1 };

export class Monitoring extends Construct {
  readonly dashboard: cloudwatch.Dashboard | undefined;
  readonly #props: MonitoringProps;
  /** The graph of the ordered subscriptions. */
  readonly #subscriptions: cloudwatch.GraphWidget | undefined;
  /** The graphs of the webhooks; undefined until the first webhook is added. */
  #webhooks: ReturnType<typeof addWebhookRow> | undefined;

  constructor(scope: Construct, id: string, props: MonitoringProps) {
    super(scope, id);
    this.#props = props;
    for (const source of alarmedOf(props.sources)) this.#watchFreshness(source);
    this.#watchSources();
    this.#watchFindings();
    this.#watchDestinations();
    if (props.publishing.relays.pull !== undefined) this.#watchReaders();
    this.#watchDeadLetters();
    const shown = props.dashboard ? createDashboard(this, 'Dashboard', props) : undefined;
    this.dashboard = shown?.dashboard;
    this.#subscriptions = shown?.subscriptions;
  }

  /** Adds the alarms of a subscription, in its stack, and shows it on the dashboard. */
  watchSubscription(subscription: OrderedSubscription, alarmAfter: Duration): void {
    const { name, deadLetters, undelivered } = subscription;
    const age = this.#props.metrics.queueAge(subscription);
    this.#alarm(
      'QueueWaits',
      {
        metric: age,
        hurts: `Users of the ordered subscriber ${name} act on old states: events wait in its queue.`,
        anchor: 'events-wait-in-a-queue',
        threshold: alarmAfter.toSeconds(),
      },
      subscription,
    );
    this.#alarm(
      'OrderedDeadLetters',
      {
        metric: countOf(deadLetters),
        hurts:
          `Users of the ordered subscriber ${name} miss changes: it failed on an event ${ORDERED_TRIES} times, ` +
          'and the event is in its dead-letter queue.',
        anchor: 'an-ordered-subscriber-has-dead-letters',
        threshold: 1,
      },
      subscription,
    );
    this.#alarm(
      'NotDelivered',
      {
        metric: countOf(undelivered),
        hurts: `The ordered subscriber ${name} misses changes: SNS could not write them to its queue.`,
        anchor: 'events-do-not-reach-a-queue',
        threshold: 1,
      },
      subscription,
    );
    this.#watchLossOfSns();
    // Another stack's subscription is not shown: its stack refers to the topic, so this stack must not refer to it.
    if (Stack.of(subscription) === Stack.of(this)) this.#showSubscription(subscription);
  }

  /** Adds the alarms of a webhook, and shows it on the dashboard. */
  watchWebhook(webhook: Webhook, { alarmAfter, ownerActions }: WebhookWatch): void {
    const { metrics } = this.#props;
    const { name, queue, undelivered } = webhook;
    const { period, ...attempts } = ATTEMPTS;
    const threshold = alarmAfter.toSeconds();
    this.#alarm(
      'Failing',
      {
        ...{ ...attempts, metric: metrics.failingFor(name, { period }), threshold },
        hurts: `Users of the webhook ${name} act on old states: its endpoint does not accept events.`,
        anchor: 'a-webhook-fails',
        actions: ownerActions,
      },
      webhook,
    );
    if (ownerActions.length > 0 && threshold < A_DAY.toSeconds())
      this.#alarm(
        'FailedForADay',
        {
          ...{ ...attempts, metric: metrics.failingFor(name, { period }), threshold: A_DAY.toSeconds() },
          hurts: `Users of the webhook ${name} act on states of yesterday: its endpoint has not accepted events for a day.`,
          anchor: 'a-webhook-fails',
          actions: ownerActions,
        },
        webhook,
      );
    // SQS reports this metric, so the alarm also goes off if the sender does not run at all.
    this.#alarm(
      'RingsWait',
      {
        ...{ metric: metrics.queueAge(webhook), threshold },
        hurts: `Users of the webhook ${name} act on old states: returns wait for its sender.`,
        anchor: 'a-webhook-fails',
      },
      webhook,
    );
    this.#alarm(
      'NotDelivered',
      {
        metric: countOf(undelivered),
        hurts: `Users of the webhook ${name} get changes up to a day late: SNS could not write to its queue.`,
        anchor: 'events-do-not-reach-a-queue',
        threshold: 1,
      },
      webhook,
    );
    this.#watchLossOfSns();
    if (this.dashboard === undefined) return;
    this.#webhooks ??= addWebhookRow(this.dashboard);
    const [failing, rings] = this.#webhooks;
    failing.addLeftMetric(metrics.failingFor(name, { period, label: name }));
    rings.addLeftMetric(waitingIn(queue, name));
    rings.addRightMetric(countOf(undelivered, { label: `not delivered to ${name}` }));
  }

  /**
   * Adds the alarm of a dead-letter queue of rules.
   *
   * @param scope the alarm's scope, in the stack of the queue
   */
  watchBusDeadLetters(queue: sqs.IQueue, scope: Construct): void {
    this.#alarm(
      'BusDeadLetters',
      {
        metric: countOf(queue),
        hurts:
          'Users of a subscriber of the bus miss changes: events could not be delivered to it, or it failed on each try.',
        anchor: 'a-subscriber-of-the-bus-has-dead-letters',
        threshold: 1,
      },
      scope,
    );
  }

  #watchFreshness(source: SourceProps): void {
    const { threshold, evaluationPeriods } = freshnessAlarm(intervalSeconds(source));
    this.#alarm(`Freshness-${source.name}`, {
      metric: this.#props.metrics.secondsBehind(source.name),
      hurts: `Subscribers get changes of ${source.name} late or not at all: it is not being read completely.`,
      anchor: 'a-source-is-not-being-read',
      threshold,
      evaluationPeriods,
      missingData: cloudwatch.TreatMissingData.BREACHING,
    });
  }

  #watchSources(): void {
    const { metrics } = this.#props;
    this.#alarm('DispatcherStopped', {
      metric: metrics.dispatches(),
      hurts: 'Subscribers get no changes: nothing starts the polls.',
      anchor: 'sources-are-not-polled',
      ...{ threshold: 1, isBelow: true, missingData: cloudwatch.TreatMissingData.BREACHING },
    });
    this.#alarm('PolledLate', {
      metric: metrics.ofSources('secondsLate', { statistic: cloudwatch.Stats.percentile(99) }),
      hurts: 'Subscribers get changes late: a poll in a hundred begins more than a minute after it is due.',
      anchor: 'sources-are-not-polled',
      ...{ threshold: 60, evaluationPeriods: 5, datapointsToAlarm: 3 },
    });
    this.#alarm('SourcesBehind', {
      metric: metrics.ofSources('sourcesBehind'),
      hurts:
        'Subscribers get changes of some sources late or not at all: they are not being read completely.',
      anchor: 'a-source-is-not-being-read',
      // A dispatcher that fails reports nothing.
      ...{ threshold: 1, evaluationPeriods: 3, missingData: cloudwatch.TreatMissingData.BREACHING },
    });
    this.#alarm('SourcesFailing', {
      metric: metrics.failingPercent(),
      hurts:
        'Subscribers get changes late: polls of a tenth of the sources, or more, have failed for 15 minutes.',
      anchor: 'a-source-is-not-being-read',
      ...{ threshold: 10, evaluationPeriods: 3 },
    });
    this.#alarm('InvalidEntries', {
      metric: metrics.ofSources('invalidEntries'),
      hurts: 'Subscribers get no changes of a source: its settings are invalid, so it is not polled.',
      anchor: 'why-a-source-is-degraded',
      threshold: 1,
    });
  }

  /** The dispatcher reports them once a minute. Without it they keep their state, and its own alarm goes off. */
  #watchFindings(): void {
    const { metrics } = this.#props;
    const findings = { threshold: 1, missingData: cloudwatch.TreatMissingData.IGNORE };
    this.#alarm('Held', {
      ...findings,
      metric: metrics.holds(),
      hurts:
        'A guard holds changes that look wrong: subscribers get them when you release the hold, if they are right.',
      anchor: 'changes-are-held',
    });
    this.#alarm('SetAside', {
      ...findings,
      metric: metrics.setAsideGroups(),
      hurts:
        "Subscribers get no changes of some return groups: their rows can't be read or stored, or look-ups by id fail.",
      anchor: 'return-groups-are-set-aside',
    });
  }

  /**
   * Two alarms for each destination: its relay is late; and a relay has left a group behind. The second ends when a daily
   * sweep finds no such group.
   */
  #watchDestinations(): void {
    const { metrics, publishing } = this.#props;
    for (const name of RELAY_NAMES) {
      if (publishing.relays[name] === undefined) continue;
      const { suffix, late, behind } = DESTINATION_ALARMS[name];
      this.#alarm(`RelayTo${suffix}Late`, {
        metric: metrics.relayAge(name),
        hurts: late,
        anchor: 'events-do-not-leave-the-ledger',
        threshold: RELAY_LATE.toMilliseconds(),
      });
      this.#alarm(`BehindOn${suffix}`, {
        metric: metrics.groupsBehind(name),
        hurts: behind,
        anchor: 'a-return-group-is-behind',
        threshold: 1,
        missingData: cloudwatch.TreatMissingData.IGNORE,
      });
    }
  }

  #watchReaders(): void {
    this.#alarm('ReadersBehind', {
      metric: this.#props.metrics.readersBehind(),
      hurts: 'Subscribers that pull act on old states: they have not read events for longer than you allow.',
      anchor: 'a-reader-is-behind',
      // A dispatcher that can't count them reports nothing.
      ...{ threshold: 1, evaluationPeriods: 3, missingData: cloudwatch.TreatMissingData.BREACHING },
    });
  }

  #watchDeadLetters(): void {
    const { busDeadLetters } = this.#props.publishing;
    if (busDeadLetters !== undefined)
      this.#alarm('BusEncryption', {
        metric: countOf(busDeadLetters),
        hurts: 'Subscribers of the bus miss changes: the bus could not use your key for their events.',
        anchor: 'the-bus-cannot-use-your-key',
        threshold: 1,
      });
    this.#alarm('DeadLetters', {
      metric: this.#props.metrics.deadLetters(),
      hurts: 'Subscribers may get changes late: a tick, a stream record or a sweep failed for good.',
      anchor: 'the-feed-has-dead-letters',
      threshold: 1,
    });
  }

  /** One alarm for the topic: SNS reports this loss for all of its subscriptions together. */
  #watchLossOfSns(): void {
    if (this.node.tryFindChild('LostBySns') !== undefined) return;
    this.#alarm('LostBySns', {
      metric: this.#props.metrics.lostBySns(),
      hurts:
        'An ordered subscriber misses changes: SNS could write them neither to its queue nor to the dead-letter queue.',
      anchor: 'events-do-not-reach-a-queue',
      threshold: 1,
    });
  }

  #showSubscription(subscription: OrderedSubscription): void {
    const { metrics } = this.#props;
    const { name: label, deadLetters, undelivered } = subscription;
    this.#subscriptions?.addLeftMetric(metrics.queueAge(subscription, { label }));
    this.#subscriptions?.addRightMetric(countOf(deadLetters, { label: `failed by ${label}` }));
    this.#subscriptions?.addRightMetric(countOf(undelivered, { label: `not delivered to ${label}` }));
  }

  #alarm(id: string, options: AlarmOptions, scope: Construct = this): void {
    createAlarm(scope, id, this.#props, options);
  }
}
