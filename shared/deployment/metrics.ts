// The metrics that the functions report to CloudWatch and the infrastructure makes alarms of. CloudWatch bills each set
// of dimensions of a metric, so only freshness is kept apart by source, where settings ask for it; the rest is in the logs.

/** Shared by all feeds; the dimension `service` identifies one. */
export const METRICS_NAMESPACE = 'ReturnsChangeFeed';

export const METRICS = {
  /**
   * Of a source that has an alarm of its own (dimensions `service` and `source`), once a tick: seconds since when it is
   * not read completely; 0 if it is.
   */
  secondsBehind: 'SecondsBehind',
  /** Of the feed (dimension `service`), as all without another one, once a minute by the dispatcher: sources to poll. */
  sources: 'Sources',
  /** Sources that were due in the minute. */
  sourcesDue: 'SourcesDue',
  /** Sources that have not been read completely for five minutes, or three of their intervals. */
  sourcesBehind: 'SourcesBehind',
  /** Sources whose last tick failed. */
  sourcesFailing: 'SourcesFailing',
  /** Return groups and places of all sources that can't be read, and are set aside. */
  setAsideGroups: 'SetAsideGroups',
  /** Holds of all sources that wait for a release. */
  holds: 'Holds',
  /** Entries of sources that can't be used. */
  invalidEntries: 'InvalidEntries',
  /** With a pull feed, likewise: readers that lag for longer than their `--alarm-after`. */
  readersBehind: 'ReadersBehind',
  /** By the poller, of each shard, and of each tick of the long queue that opens a minute: the sources polled. */
  sourcesPolled: 'SourcesPolled',
  /** Likewise: seconds from when it was due until it began. */
  secondsLate: 'SecondsLate',
  /**
   * Of each destination (dimensions `service` and `destination`): return groups that stopped at an event that it
   * rejects. A relay reports those that stop; a sweep that came to the end reports all, even if there are none.
   */
  groupsBehind: 'GroupsBehind',
  /**
   * Of each webhook (dimensions `service` and `webhook`), once per failed attempt: seconds since its event first failed
   * or, if that is longer, since the endpoint's first failure after its last accepted event.
   */
  failingFor: 'FailingFor',
} as const;

/** Figures in the line that the poller logs for each tick; the dashboard sums them up. */
export type TickField = 'polls' | 'requests' | 'rateLimited' | 'events' | 'foundByWalks';

/** How long a source may go without being read completely; or three polls, if that is longer. */
const SILENCE_SECONDS = 300;

/** Returns when freshness sets off a source's alarm, by the time between its polls. Missing data sets it off too. */
export function freshnessAlarm(intervalSeconds: number): {
  readonly periodSeconds: number;
  readonly evaluationPeriods: number;
  readonly threshold: number;
} {
  const periodSeconds = Math.max(60, intervalSeconds);
  return {
    periodSeconds,
    evaluationPeriods: Math.max(3, Math.ceil(SILENCE_SECONDS / periodSeconds)),
    // The metric is about 0 right after a poll that covered everything, and an interval or more after any other poll.
    threshold: Math.max(30, intervalSeconds / 2),
  };
}
