// The prices of AWS, and how much of what a feed uses in a month.

import { PAGE_LIMIT } from '../../shared/limits.ts';

/** us-east-1, November 2026, in dollars: https://aws.amazon.com/<service>/pricing/ */
export const PRICE = {
  lambdaGbSecond: 13.3334e-6,
  lambdaRequest: 0.2e-6,
  write: 0.625e-6,
  read: 0.125e-6,
  storageGb: 0.25,
  recoveryGb: 0.2,
  sqs: 0.4e-6,
  sqsFifo: 0.5e-6,
  published: 0.3e-6,
  publishedGb: 0.017,
  delivered: 0.01e-6,
  deliveredGb: 0.001,
  keyRequest: 3e-6,
  key: 1,
  busEvent: 1e-6,
  archiveGb: 0.1,
  archivedGb: 0.023,
  schedule: 1e-6,
  secret: 0.4,
  metric: 0.3,
  alarm: 0.1,
  logGb: 0.53,
} as const;

/** An account's free units per month. */
export const FREE = {
  lambdaRequests: 1_000_000,
  lambdaGbSeconds: 400_000,
  sqsRequests: 1_000_000,
  keyRequests: 20_000,
  storageGb: 25,
  metrics: 10,
  alarms: 10,
  logGb: 5,
  schedules: 14_000_000,
};

export const DAYS = 30;
export const MINUTES = DAYS * 24 * 60;

/** The assumptions, and their consequences. */
export const UNITS = {
  polls: MINUTES,
  changes: 10_000 * DAYS,
  /** Groups known to the feed, and those of the last 45 days. */
  known: { groups: 100_000, recentGroups: 45_000 },
  /** Groups with events in the ledger, which keeps events for 30 days. */
  changedGroups: 50_000,
  newGroups: 30_000,
  pollerGb: 0.5,
  /** The longest that a tick of the long queue works. */
  tickSeconds: 45,
  /** A walk's request to the service. */
  requestSeconds: 0.4,
  /** A group's entry in the index has 67 bytes: half a read unit for 4 KB. */
  indexRead: (67 / 4_096) * 0.5,
  /** Entries that a query reads at once (dynamodb-snapshot-store.ts). */
  indexPage: PAGE_LIMIT,
  /** The poller's time for an entry: 0.18 s of a processor for 1 MB (November 2026), of which it has 0.29. */
  entrySeconds: 0.18 / 0.29 / (2 ** 20 / 67),
  /** Two relays, three batches a minute. */
  relays: 2 * 3 * MINUTES,
  /** Two a day. */
  sweeps: 2 * DAYS,
  /** Per queue: five long polls of 20 seconds. */
  emptyReceives: 5 * 3 * MINUTES,
  storedGb: 0.43,
  ledgerGb: 0.3,
  /** SNS reuses a data key for five minutes: https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html */
  keyRequests: 2 * (MINUTES / 5),
  /** Recorded events have 1.5 KB on average, and their attributes 0.1 KB. Before `items` and `changed`: 1.3 KB. */
  eventGb: 1.6e-6,
  /** `feed.source_read`, once a minute: about 0.7 KB. */
  reports: MINUTES,
  reportGb: 0.7e-6,
  logGb: 0.2,
  metrics: 10,
  /** Metrics that alarms watch: each is billed. */
  alarms: 18,
} as const;
