// The time of a watch's next tick. Pure.

import type { SourceSettings } from '../../shared/source/source-settings.ts';
import type { TickReport } from '../../shared/lanes/tick-report.ts';

interface Times {
  /** When the last tick was due, in milliseconds since the epoch. */
  readonly last: number;
  readonly now: number;
}

/**
 * The time of the next poll or the next reconciliation cycle, whichever is earlier. Missed ticks are skipped: a late
 * poll reads what they would have read. `nextInRhythm` is called when a poll begins. This function is called when a
 * tick has ended, so an overdue poll is due at once.
 *
 * @param report of the completed tick
 * @returns milliseconds since the epoch; never further ahead than the time between polls
 */
export function nextTick(
  { last, now }: Times,
  { intervalMs, reconcileMs }: Pick<SourceSettings, 'intervalMs' | 'reconcileMs'>,
  { nextCycleInMs, error }: Pick<TickReport, 'nextCycleInMs' | 'error'>,
): number {
  const missed = Math.floor((now - last) / intervalMs);
  // If the clock is set back, polls must not wait until it reaches the old time again.
  const nextPoll = Math.min(last + Math.max(1, missed) * intervalMs, now + intervalMs);
  if (nextCycleInMs === undefined || error !== undefined) return nextPoll;
  // A cycle that was due and did not start is held: do not retry it at once.
  const nextCycle = nextCycleInMs > 0 ? now + nextCycleInMs : Math.max(now, last + reconcileMs);
  return Math.min(nextPoll, nextCycle);
}
