// The prices of AWS, and how much of what a feed uses in a month.

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
  /** Groups known to the feed. */
  groups: 100_000,
  /** Those of the last 45 days, which a walk reads every ten minutes; the others every twelve hours. */
  recentGroups: 45_000,
  recentWalks: 6 * 24 * DAYS,
  olderWalks: 2 * DAYS,
  /** Groups with events in the ledger, which keeps events for 30 days. */
  changedGroups: 50_000,
  newGroups: 30_000,
  /** Of a walk: a piece fills 0.8 of a page of 200. */
  groupsPerRequest: 160,
  /** Read units for a group's entry in the index, about 60 bytes: half a unit for 4 KB. */
  indexRead: 0.0075,
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
  logGb: 0.16,
  metrics: 3,
  alarms: 12,
} as const;
