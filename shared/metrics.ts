// What the poller tells CloudWatch in figures, and the infrastructure makes alarms of. CloudWatch bills each metric's
// each set of dimensions, so only freshness is kept apart by source; the rest is in the logs.

/** Of all feeds; the dimension `service` tells one from another. */
export const METRICS_NAMESPACE = 'ReturnsChangeFeed';

export const METRICS = {
  /** Of each source (dimensions `service` and `source`), once a tick: seconds since a poll last covered everything. */
  secondsBehind: 'SecondsBehind',
  /** Of the feed (dimension `service`): return groups of a source that can't be read, and are set aside. */
  setAsideGroups: 'SetAsideGroups',
  /** Of the feed (dimension `service`): findings of a source that are held because they look wrong. */
  holds: 'Holds',
} as const;

/** Figures in the line that the poller logs of each tick; the dashboard sums them up. */
export type TickField = 'polls' | 'requests' | 'rateLimited' | 'events' | 'foundByReconciliation';
