// A source as it is written in a stack, and as the poller reads it from its parameter.
import { Duration } from 'aws-cdk-lib';
import type * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager';
import type * as ssm from 'aws-cdk-lib/aws-ssm';
import type { SourceSettings } from '../shared/source/source-settings.ts';

/** One store's account at the returns service. */
export interface SourceProps {
  /** What it is called in events, ids and metrics: 1 to 30 of a-z, 0-9 and -. Another name is another source. */
  readonly name: string;
  /** Address of the service, path prefix included; https. */
  readonly baseUrl: string;
  /**
   * Where its token is kept, as the whole text: a secret of Secrets Manager, or a SecureString of Parameter Store
   * (`StringParameter.fromSecureStringParameterAttributes`). Never the token itself: it would stand in the template.
   */
  readonly token: secretsmanager.ISecret | ssm.IStringParameter;
  /**
   * Time between polls: whole seconds that divide a minute, or whole minutes.
   * @default Duration.minutes(1)
   */
  readonly interval?: Duration;
  /**
   * Whether the groups that are there at the start are announced (`emit`), or only known (`silent`).
   * @default 'silent'
   */
  readonly baseline?: SourceSettings['baseline'];
  /**
   * How late a change may show after its stamp and still be found by polls.
   * @default Duration.minutes(5)
   */
  readonly lookback?: Duration;
  /**
   * How long a read may be stale.
   * @default Duration.minutes(1)
   */
  readonly settle?: Duration;
  /**
   * Length of a reconciliation cycle: how long a change may stay unseen that did not move the group's `updated_at`.
   * Each cycle reads every known group and its snapshot, 0.014 $ for 100,000 groups (docs/cost.md): 0.84 $ a month at
   * twelve hours, 60 $ at ten minutes. If shipments do not move `updated_at` at your service (the dashboard shows what
   * reconciliation alone found), that is how late they are told: then shorten it. At least a minute, and no shorter
   * than `interval`.
   * @default Duration.hours(12)
   */
  readonly reconcile?: Duration;
  /**
   * Requests that may be sent with the source's token in any 60 seconds. The service allows 300 with one key: leave
   * some to whoever else uses it.
   * @default 240
   */
  readonly requestsPerMinute?: number;
  /**
   * Whether events carry the customer's name, e-mail and phone. Read SECURITY.md before.
   * @default false
   */
  readonly customerData?: boolean;
  /**
   * A request is given up after this long.
   * @default Duration.seconds(10)
   */
  readonly requestTimeout?: Duration;
}

/** Longer than on one machine, where reading again costs nothing. */
const DEFAULT_RECONCILE = Duration.hours(12);

/** As the poller's settings; what is not given is left to their defaults. */
export function settingsOf(source: SourceProps): Record<string, string | number | boolean> {
  const settings = {
    name: source.name,
    baseUrl: source.baseUrl,
    intervalMs: source.interval?.toMilliseconds(),
    baseline: source.baseline,
    lookbackMs: source.lookback?.toMilliseconds(),
    settleMs: source.settle?.toMilliseconds(),
    reconcileMs: (source.reconcile ?? DEFAULT_RECONCILE).toMilliseconds(),
    requestsPerMinute: source.requestsPerMinute,
    customerData: source.customerData,
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
  return interval?.toSeconds() ?? 60;
}
