// The cost of the pull feed and of its readers, in a month.
import { LONG_POLL_MS } from '../../shared/pulling/answer-read.ts';
import { MOST_GROUPS } from '../../shared/pulling/assign-positions.ts';
import { costOfSweep } from './cost-of-more.ts';
import { MINUTES, PRICE } from './cost-units.ts';

const FUNCTION_GB = 0.25;

/** Without events: three alarms, the metric of late readers, the list of readers once a minute, and the daily sweep. */
export function costOfIdlePull(): number {
  return 3 * PRICE.alarm + PRICE.metric + MINUTES * PRICE.read + costOfSweep();
}

/** Of a million events, each of another return, so many in a transaction. */
export function costOfMillionPositions(eventsTogether: number): number {
  // Of each event its position and its return's mark, and once the counter: two units each in a transaction.
  const writes = 4 + 2 / eventsTogether;
  // The relay reads the mark and the event.
  const tables = writes * PRICE.write + 2 * PRICE.read;
  const lambda = 0.15 * FUNCTION_GB * PRICE.lambdaGbSecond + PRICE.lambdaRequest;
  return 1e6 * (tables + lambda / eventsTogether);
}

export const FULL_BATCH = MOST_GROUPS;

/** Of a million events that a reader gets: each event's position, and the event. */
export function costOfMillionPulled(): number {
  return 1e6 * 2 * PRICE.read;
}

/** Of a million whole returns that it gets, each of one event: also the snapshot, before and after its events. */
export function costOfMillionReturnsPulled(): number {
  return costOfMillionPulled() + 1e6 * 3 * PRICE.read;
}

/** Of a request without news: the reader, and the counter twice. */
function costOfRequest(seconds: number): number {
  return seconds * FUNCTION_GB * PRICE.lambdaGbSecond + PRICE.lambdaRequest + 3 * PRICE.read;
}

/** The last offset of each reader, once a minute. */
const COST_OF_NOTES = MINUTES * (PRICE.write + PRICE.read);

export function costOfMinutely(): number {
  return MINUTES * costOfRequest(0.05) + COST_OF_NOTES;
}

/** Looks for news once a second. */
export function costOfWaiting(): number {
  const seconds = LONG_POLL_MS / 1_000;
  const polls = (MINUTES * 60) / seconds;
  return polls * (costOfRequest(seconds) + seconds * PRICE.read) + COST_OF_NOTES;
}
