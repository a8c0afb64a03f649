// What the poller tells CloudWatch in figures, and the infrastructure makes alarms of. CloudWatch bills each metric's
// each set of dimensions, so only freshness is kept apart by source; the rest is in the logs.

/** Of all feeds; the dimension `service` tells one from another. */
export const METRICS_NAMESPACE = 'ReturnsChangeFeed';

export const METRICS = {
  /** Of each source (dimensions `service` and `source`), once a tick: seconds since polls last covered everything, or since walks last got on if that is longer. */
  secondsBehind: 'SecondsBehind',
  /** Of the feed (dimension `service`): return groups of a source that can't be read, and are set aside. */
  setAsideGroups: 'SetAsideGroups',
  /** Of the feed (dimension `service`): findings of a source that are held because they look wrong. */
  holds: 'Holds',
  /**
   * Of each destination (dimensions `service` and `destination`): return groups that stopped at an event which it refuses.
   * A relay reports those that stop, a sweep that came to the end reports all, also that there are none.
   */
  groupsBehind: 'GroupsBehind',
} as const;

/** Figures in the line that the poller logs of each tick; the dashboard sums them up. */
export type TickField = 'polls' | 'requests' | 'rateLimited' | 'events' | 'foundByReconciliation';

/** How long a source may go without being read completely; or three polls, if that is longer. */
const SILENCE_SECONDS = 300;

/** When a source's freshness sets off its alarm, by the time between its polls. Missing data sets it off as well. */
export function freshnessAlarm(intervalSeconds: number): {
  readonly periodSeconds: number;
  readonly evaluationPeriods: number;
  readonly threshold: number;
} {
  const periodSeconds = Math.max(60, intervalSeconds);
  return {
    periodSeconds,
    evaluationPeriods: Math.max(3, Math.ceil(SILENCE_SECONDS / periodSeconds)),
    // Right after a poll that covered everything it is about 0, after one that did not an interval or more.
    threshold: Math.max(30, intervalSeconds / 2),
  };
}
