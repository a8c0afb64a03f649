// The props of a source in a stack, and the settings in its entry.
import type { Duration } from 'aws-cdk-lib';
import type * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager';
import type * as ssm from 'aws-cdk-lib/aws-ssm';
import type { Includable } from '../shared/returns-service/read-included.ts';
import { DEFAULT_INTERVAL_MS, type SourceSettings } from '../shared/source/source-settings.ts';

/** One store's account at the returns service. */
export interface SourceProps {
  /** The source's name in events, ids and metrics: 1 to 30 of a-z, 0-9 and -. A new name makes it a new source. */
  readonly name: string;
  /** The service's URL with its path prefix, https. */
  readonly baseUrl: string;
  /**
   * The token: a secret of Secrets Manager or a SecureString of Parameter Store
   * (`StringParameter.fromSecureStringParameterAttributes`) that contains only the token. The token itself must not be
   * in the template.
   */
  readonly token: secretsmanager.ISecret | ssm.IStringParameter;
  /**
   * Time between polls: 2 to 30 whole seconds that divide a minute, or whole minutes up to a day.
   * @default Duration.minutes(1)
   */
  readonly interval?: Duration;
  /**
   * Whether to publish events for the groups present at the start (`emit`) or not (`silent`).
   * @default 'silent'
   */
  readonly baseline?: SourceSettings['baseline'];
  /**
   * Maximum time from a change's timestamp until the service shows it. Polls find changes that show within this time. At
   * least twice `settle`.
   * @default Duration.minutes(5)
   */
  readonly lookback?: Duration;
  /**
   * Maximum staleness of a read.
   * @default Duration.minutes(1)
   */
  readonly settle?: Duration;
  /**
   * Time between the starts of two walks over the groups of the last 45 days, which find changes that do not update the
   * group's `updated_at`. A change of a shipment that leaves `updated_at` alone is published up to this much late. The
   * dashboard shows the events that only walks found. At least a minute, and at least `interval`.
   * @default as often as walks take a tenth of the budget, and at least every ten minutes
   */
  readonly reconcile?: Duration;
  /**
   * Maximum number of requests with the source's token in any 60 seconds. The service allows 300 with one key: leave
   * some to other clients with the same key.
   * @default 240
   */
  readonly requestsPerMinute?: number;
  /**
   * Whether events contain the customer's name, e-mail and phone. Read SECURITY.md first.
   * @default false
   */
  readonly customerData?: boolean;
  /**
   * Further fields of events, as `data.included`: where a shipment goes (city, province and country), the order's tags,
   * the totals of the suggested refund. Read SECURITY.md first.
   * @default none
   */
  readonly include?: readonly Includable[];
  /**
   * Whether to publish `feed.source_read` once a minute. It reports the moment up to which the source is read
   * completely. docs/cost.md has its price.
   * @default true
   */
  readonly sourceRead?: boolean;
  /**
   * Timeout of a request.
   * @default Duration.seconds(10)
   */
  readonly requestTimeout?: Duration;
  /**
   * Whether the source has a freshness metric and an alarm of its own. The alarms of the feed notice it as well, but do
   * not name it.
   * @default true for up to ten sources
   */
  readonly alarm?: boolean;
}

/** A metric and an alarm cost 0.40 $ a month. */
const MOST_ALARMED_BY_DEFAULT = 10;

/** Those of a feed's sources that have a metric and an alarm of their own. */
export function alarmedOf(sources: readonly SourceProps[]): SourceProps[] {
  return sources.filter(({ alarm = sources.length <= MOST_ALARMED_BY_DEFAULT }) => alarm);
}

/** The source's settings for the poller, which has defaults for omitted ones. */
export function settingsOf(source: SourceProps): Record<string, unknown> {
  const settings = {
    name: source.name,
    baseUrl: source.baseUrl,
    intervalMs: source.interval?.toMilliseconds(),
    baseline: source.baseline,
    lookbackMs: source.lookback?.toMilliseconds(),
    settleMs: source.settle?.toMilliseconds(),
    reconcileMs: source.reconcile?.toMilliseconds(),
    requestsPerMinute: source.requestsPerMinute,
    customerData: source.customerData,
    include: source.include,
    sourceRead: source.sourceRead,
    requestTimeoutMs: source.requestTimeout?.toMilliseconds(),
  };
  return Object.fromEntries(
    Object.entries(settings).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

export function isSecret(token: SourceProps['token']): token is secretsmanager.ISecret {
  return 'secretArn' in token;
}

/** Seconds between polls. */
export function intervalSeconds({ interval }: SourceProps): number {
  return interval?.toSeconds() ?? DEFAULT_INTERVAL_MS / 1_000;
}

/** Names the token, the same for all sources that use it. */
export function tokenOf({ token }: SourceProps): string {
  return isSecret(token) ? token.secretArn : token.parameterArn;
}
