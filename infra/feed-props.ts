// The props of the construct.
import type { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { PullOptions } from './pull-endpoint.ts';
import type { SourceProps } from './source-props.ts';
import type { FeedTables } from './storage.ts';

export interface ReturnsChangeFeedProps {
  /** The stores to watch; at least one without `addSources`. */
  readonly sources: readonly SourceProps[];
  /**
   * Whether commands may add sources with tokens of theirs: creates a key that encrypts these (about 1 $ a month), and is
   * retained like the tables. Or the key that outlived a stack. Read SECURITY.md first.
   * @default false
   */
  readonly addSources?: boolean | kms.IKey;
  /**
   * How many messages the poller handles at once, from 4 to 1,000: a fifth for quick polls of twenty sources each, the
   * rest for ticks of single sources, which may take 45 seconds. Beyond it sources are polled late, which the feed
   * reports. The account's own limit is 1,000 invocations, unless it was changed.
   * @default 100
   */
  readonly maxConcurrency?: number;
  /**
   * Existing tables, for instance of a removed stack. Pass `snapshots`, `ledger` and `sources` together or not at all.
   * @default new tables
   */
  readonly tables?: Partial<FeedTables>;
  /**
   * A key of your own for tables, queues, bus, archive and logs. The policy of an imported key must have the
   * statements listed in SECURITY.md ("A key of your own").
   * @default AWS's own keys, at no charge
   */
  readonly encryptionKey?: kms.IKey;
  /**
   * How long the bus's archive keeps events, for replays to rules; whole days.
   * @default Duration.days(30), like the ledger
   */
  readonly archiveRetention?: Duration;
  /**
   * How long logs are kept.
   * @default RetentionDays.ONE_MONTH
   */
  readonly logRetention?: RetentionDays;
  /**
   * The removal policy of the tables. RETAIN also protects them from deletion.
   * @default RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy;
  /**
   * Whether clients can pull events from a URL, `PullUrl`, with tokens that `readers add` makes (docs/pulling.md).
   * @default false
   */
  readonly pull?: boolean | PullOptions;
  /**
   * The action of the alarms, for instance `new SnsAction(topic)`. If the topic has a policy (`enforceSSL` adds one), the
   * policy must let `cloudwatch.amazonaws.com` publish (`sns:Publish`, with the condition `aws:SourceAccount`). SNS's
   * default policy allows that, but another policy replaces it, and `SnsAction` adds no statement.
   * @default none: alarms show only in CloudWatch
   */
  readonly alarmAction?: cloudwatch.IAlarmAction;
  /**
   * The URL of docs/runbook.md for your operators. Alarms link its sections.
   * @default 'docs/runbook.md'
   */
  readonly runbookUrl?: string;
  /**
   * Whether to create a dashboard. The first three of an account are free, each further one costs 3 $ a month.
   * @default true
   */
  readonly dashboard?: boolean;
}
