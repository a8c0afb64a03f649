// The feed's metrics, for alarms, for the dashboard, and for the construct's `metric…` methods.

import { Duration } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import type * as sqs from 'aws-cdk-lib/aws-sqs';
import { markOf, type RelayName } from '../shared/deployment/destinations.ts';
import { METRICS, METRICS_NAMESPACE } from '../shared/deployment/metrics.ts';
import type { OrderedSubscription } from './ordered-subscription.ts';
import type { Polling } from './polling.ts';
import type { Publishing } from './publishing.ts';
import { alarmedOf, intervalSeconds, type SourceProps } from './source-props.ts';

export interface FeedMetricsProps {
  readonly serviceName: string;
  readonly sources: readonly SourceProps[];
  readonly deadLetters: sqs.IQueue;
  readonly polling: Polling;
  readonly publishing: Publishing;
}

type Options = cloudwatch.MetricOptions | undefined;

const PERIOD = Duration.minutes(1);
const FIVE_MINUTES = Duration.minutes(5);

type SourcesMetric = Extract<keyof typeof METRICS, `sources${string}` | 'invalidEntries' | 'secondsLate'>;

export class FeedMetrics {
  readonly #props: FeedMetricsProps;

  constructor(props: FeedMetricsProps) {
    this.#props = props;
  }

  /**
   * The default period is the source's interval, at least a minute: each period of a healthy source has a value.
   *
   * @throws Error for a source without a metric of its own
   */
  secondsBehind(name: string, options?: Options): cloudwatch.Metric {
    this.checkSources([name]);
    if (!alarmedOf(this.#props.sources).some((it) => it.name === name))
      throw new Error(`Source "${name}" has no metric of its own: set "alarm: true".`);
    const source = this.#props.sources.find((it) => it.name === name);
    const period = Duration.seconds(Math.max(60, source === undefined ? 60 : intervalSeconds(source)));
    return this.#own(METRICS.secondsBehind, { source: name }, { period, ...options });
  }

  /** Of the sources as a whole. */
  ofSources(name: SourcesMetric, options?: Options): cloudwatch.Metric {
    return this.#own(METRICS[name], {}, options);
  }

  /** The share of the sources whose last tick failed, in percent. */
  failingPercent(): cloudwatch.MathExpression {
    return new cloudwatch.MathExpression({
      ...{ expression: '100 * failing / sources', period: FIVE_MINUTES },
      usingMetrics: {
        failing: this.ofSources('sourcesFailing', { period: FIVE_MINUTES }),
        sources: this.ofSources('sources', { period: FIVE_MINUTES }),
      },
    });
  }

  /** AWS's own metric: it needs no code of the feed. */
  dispatches(): cloudwatch.Metric {
    return this.#props.polling.dispatcher.function.metricInvocations({ period: FIVE_MINUTES });
  }

  setAsideGroups(options?: Options): cloudwatch.Metric {
    return this.#own(METRICS.setAsideGroups, {}, options);
  }

  holds(options?: Options): cloudwatch.Metric {
    return this.#own(METRICS.holds, {}, options);
  }

  readersBehind(options?: Options): cloudwatch.Metric {
    return this.#own(METRICS.readersBehind, {}, options);
  }

  groupsBehind(destination: RelayName, options?: Options): cloudwatch.Metric {
    return this.#own(METRICS.groupsBehind, { destination: markOf(destination) }, options);
  }

  /** Seconds since a webhook's posted event, or its endpoint, began to fail. */
  failingFor(webhook: string, options?: Options): cloudwatch.Metric {
    return this.#own(METRICS.failingFor, { webhook }, options);
  }

  /** @throws Error without a pull feed */
  relayAge(destination: RelayName, options?: Options): cloudwatch.Metric {
    const relay = this.#props.publishing.relays[destination];
    if (relay === undefined) throw new Error('The feed has no pull feed: set the property `pull`.');
    return relay.function.metric('IteratorAge', {
      ...{ statistic: cloudwatch.Stats.MAXIMUM, period: PERIOD },
      ...options,
    });
  }

  queueAge({ queue }: Pick<OrderedSubscription, 'queue'>, options?: Options): cloudwatch.Metric {
    return queue.metricApproximateAgeOfOldestMessage({
      ...{ statistic: cloudwatch.Stats.MAXIMUM, period: PERIOD },
      ...options,
    });
  }

  deadLetters(options?: Options): cloudwatch.Metric {
    return countOf(this.#props.deadLetters, options);
  }

  /** Events that SNS dropped: neither a subscription's queue nor its dead-letter queue accepted them. */
  lostBySns(options?: Options): cloudwatch.Metric {
    return this.#props.publishing.topic.metric('NumberOfNotificationsFailedToRedriveToDlq', {
      ...{ statistic: cloudwatch.Stats.SUM, period: PERIOD },
      ...options,
    });
  }

  /** @throws Error for the name of a source that the feed does not have */
  checkSources(names: readonly string[]): void {
    const known = this.#props.sources.map(({ name }) => name);
    const unknown = names.find((name) => !known.includes(name));
    if (unknown !== undefined)
      throw new Error(`There is no source "${unknown}": write one of "${known.join('", "')}".`);
  }

  #own(metricName: string, dimensions: Record<string, string>, options: Options): cloudwatch.Metric {
    return new cloudwatch.Metric({
      namespace: METRICS_NAMESPACE,
      metricName,
      dimensionsMap: { service: this.#props.serviceName, ...dimensions },
      statistic: cloudwatch.Stats.MAXIMUM,
      period: PERIOD,
      ...options,
    });
  }
}

/** The number of visible messages in a queue. */
export function countOf(queue: sqs.IQueue, options?: Options): cloudwatch.Metric {
  return queue.metricApproximateNumberOfMessagesVisible({
    ...{ statistic: cloudwatch.Stats.MAXIMUM, period: PERIOD },
    ...options,
  });
}

/** The number of visible and invisible messages in a queue. */
export function waitingIn(queue: sqs.IQueue, label: string): cloudwatch.IMetric {
  const id = queue.node.addr;
  return new cloudwatch.MathExpression({
    label,
    period: PERIOD,
    expression: `visible_${id} + hidden_${id}`,
    usingMetrics: {
      [`visible_${id}`]: countOf(queue),
      [`hidden_${id}`]: queue.metricApproximateNumberOfMessagesNotVisible({
        ...{ statistic: cloudwatch.Stats.MAXIMUM, period: PERIOD },
      }),
    },
  });
}
