// When a watch ticks again. Pure.

import type { SourceSettings } from '../../shared/source/source-settings.ts';
import type { TickReport } from '../../shared/tick/tick-report.ts';

interface Times {
  /** When the last tick was due, in milliseconds since the epoch. */
  readonly last: number;
  readonly now: number;
}

/**
 * When the next poll or the next reconciliation cycle is due, whichever comes first. Ticks that could not be done in
 * time are left out: a late poll reads what they would have read.
 *
 * @param report of the tick that was done
 * @returns milliseconds since the epoch; never further ahead than the time between polls
 */
export function nextTick(
  { last, now }: Times,
  { intervalMs, reconcileMs }: Pick<SourceSettings, 'intervalMs' | 'reconcileMs'>,
  { nextCycleInMs, error }: Pick<TickReport, 'nextCycleInMs' | 'error'>,
): number {
  const missed = Math.max(0, Math.floor((now - last) / intervalMs));
  // A clock that was set back must not make polls wait until it is where it was.
  const nextPoll = Math.min(last + Math.max(1, missed) * intervalMs, now + intervalMs);
  if (nextCycleInMs === undefined || error !== undefined) return nextPoll;
  // A cycle that was due and did not begin is held, and is not tried all the time.
  const nextCycle = nextCycleInMs > 0 ? now + nextCycleInMs : Math.max(now, last + reconcileMs);
  return Math.min(nextPoll, nextCycle);
}
