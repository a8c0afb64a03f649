// What a user of the construct may set.
import type { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { SourceProps } from './source-props.ts';
import type { FeedTables } from './storage.ts';

export interface ReturnsChangeFeedProps {
  /** The stores that are watched, at least one. */
  readonly sources: readonly SourceProps[];
  /**
   * Tables that are there already, for instance of a stack that was removed. `snapshots`, `ledger` and `sources` belong
   * together.
   * @default all are made
   */
  readonly tables?: Partial<FeedTables>;
  /**
   * A key of your own for tables, queues, bus and archive. The policy of an imported key must have the statements that
   * SECURITY.md lists ("A key of your own").
   * @default keys of the services, at no charge
   */
  readonly encryptionKey?: kms.IKey;
  /**
   * How long the bus's archive keeps events, for replays to rules.
   * @default Duration.days(30), as long as the ledger keeps them
   */
  readonly archiveRetention?: Duration;
  /**
   * How long logs are kept.
   * @default RetentionDays.ONE_MONTH
   */
  readonly logRetention?: RetentionDays;
  /**
   * What becomes of the tables when they leave the stack. With RETAIN they are protected from being deleted, too.
   * @default RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy;
  /**
   * What alarms set off, for instance `new SnsAction(topic)`. A topic that has a policy, as `enforceSSL` makes one, must
   * let `cloudwatch.amazonaws.com` publish (`sns:Publish`, with `aws:SourceAccount` for a condition): the policy replaces
   * SNS's own, which would, and `SnsAction` adds nothing to it.
   * @default nothing: alarms show in CloudWatch alone
   */
  readonly alarmAction?: cloudwatch.IAlarmAction;
  /**
   * Where your people find docs/runbook.md; alarms link its paragraphs.
   * @default 'docs/runbook.md'
   */
  readonly runbookUrl?: string;
  /**
   * Whether there is a dashboard. The first three of an account are free, each further costs 3 $ a month.
   * @default true
   */
  readonly dashboard?: boolean;
}
