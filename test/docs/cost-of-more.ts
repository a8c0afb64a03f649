// The cost of more than the table's feed has: sources, subscribers, webhooks, faster polls.
import { DAYS, MINUTES, PRICE, UNITS } from './cost-units.ts';

/** Read units of an overview for each source. */
const OVERVIEW_READS = 110;

/** The cost of a silent baseline: a snapshot and its index entry for each group. */
export function costOfFirstReading(groups: number): number {
  return groups * 2 * PRICE.write;
}

/** The extra cost of polls every ten seconds instead of every minute; most of them find nothing. */
export function costOfTenSeconds(): number {
  const more = 5 * UNITS.polls;
  const lambda = more * (0.4 * 0.5 * PRICE.lambdaGbSecond + PRICE.lambdaRequest);
  // State twice, two units each; one read of it.
  return lambda + more * (4 * PRICE.write + PRICE.read) + more * 2 * PRICE.sqs;
}

/** The cost of each further source without its polls and changes: metric and alarm, and the secret. */
export const COST_OF_SOURCE = { watched: PRICE.metric + PRICE.alarm, secret: PRICE.secret };

/** The cost of each further ordered subscriber that is a function and gets every event: its queue and three alarms. */
export function costOfSubscriber(): number {
  const { changes, emptyReceives, eventGb } = UNITS;
  const delivered = changes * (PRICE.delivered + eventGb * PRICE.deliveredGb);
  return (emptyReceives + 3 * changes) * PRICE.sqsFifo + delivered + 3 * PRICE.alarm;
}

/** The additional cost of an ordered subscriber with `feed.source_read` in its filter. */
export function costOfReportedSubscriber(): number {
  return UNITS.reports * (3 * PRICE.sqsFifo + PRICE.delivered + UNITS.reportGb * PRICE.deliveredGb);
}

/** The cost of an ordered subscriber without events. */
export function costOfIdleSubscriber(): number {
  return UNITS.emptyReceives * PRICE.sqsFifo + 3 * PRICE.alarm;
}

/** The cost of a webhook without events: Lambda's receives from its queue, its secret, its three alarms. */
export function costOfIdleWebhook(): number {
  return UNITS.emptyReceives * PRICE.sqsFifo + PRICE.secret + 3 * PRICE.alarm;
}

/** The cost of what tells a webhook's owner of a failed day. */
export const COST_OF_OWNER = PRICE.alarm;

/** The cost of each second that a sender stays for the sake of `maxPerSecond`, in a million deliveries. */
export function costOfMillionSeconds(): number {
  return 1e6 * 0.25 * PRICE.lambdaGbSecond;
}

/** An hour of the console, for each source: its state and activity, and both relays' marks of 50 returns. */
export function costOfConsole(everySeconds: number): number {
  return (3_600 / everySeconds) * OVERVIEW_READS * PRICE.read;
}

/** The cost of a million events that a webhook's endpoint accepts at the first attempt, in 0.3 s. */
export function costOfMillionDeliveries(): number {
  const lambda = 0.3 * 0.25 * PRICE.lambdaGbSecond + PRICE.lambdaRequest;
  const ring = 3 * PRICE.sqsFifo + PRICE.delivered + UNITS.eventGb * PRICE.deliveredGb;
  // The mark is read and moved; the event, the entries after it, and the endpoint's state are read.
  const tables = 4 * PRICE.read + PRICE.write;
  const line = 0.3e-6 * PRICE.logGb;
  return 1e6 * (lambda + ring + tables + line);
}

/** The daily sweep of a webhook. */
export function costOfSweep(): number {
  const { ledgerGb, changedGroups } = UNITS;
  const reads = (ledgerGb * 1e6) / 4 / 2 + changedGroups;
  return DAYS * (120 * 0.5 * PRICE.lambdaGbSecond + reads * PRICE.read);
}

/** The extra cost if the ordered subscriber's events arrive one by one instead of in three batches a minute. */
export function costOfSingleEvents(): number {
  return 2 * (UNITS.changes - 3 * MINUTES) * PRICE.sqsFifo;
}
