// When a watch's next tick begins, and how long it may last. Pure.
import { findHold } from '../../shared/guarding/holds.ts';
import { MILLISECOND } from '../../shared/instant.ts';
import { isJoined } from '../../shared/lanes/rhythms.ts';
import type { TickReport } from '../../shared/lanes/tick-report.ts';
import type { SourceSettings } from '../../shared/source/source-settings.ts';
import { KEPT_LANES, type SourceState } from '../../shared/source/source-state.ts';

interface Times {
  /** When the last tick was due, in milliseconds since the epoch. */
  readonly last: number;
  readonly now: number;
}

/** Between a tick that left work and the next one. */
const LEAST_PAUSE_MS = 200;

/**
 * The time of the next poll, or of other work that is due before: a walk, a look-up, a round under way. Missed ticks are
 * skipped, because a late poll reads what they would have read.
 *
 * @param report of the completed tick
 * @returns milliseconds since the epoch; never further ahead than the time between polls
 */
export function nextTick(
  { last, now }: Times,
  settings: Pick<SourceSettings, 'intervalMs' | 'reconcileMs' | 'requestsPerMinute'>,
  { outcome, error, state }: Pick<TickReport, 'outcome' | 'error' | 'state'>,
): number {
  const { intervalMs } = settings;
  const missed = Math.floor((now - last) / intervalMs);
  // If the clock is set back, polls must not wait until it reaches the old time again.
  const nextPoll = Math.min(last + Math.max(1, missed) * intervalMs, now + intervalMs);
  if (outcome !== 'done' || error !== undefined || state === undefined) return nextPoll;
  if (findHold(state, 'other_store') !== undefined) return nextPoll;
  return Math.min(nextPoll, Math.max(now + LEAST_PAUSE_MS, workDueAt(state, settings) / MILLISECOND));
}

/**
 * How long a tick may last, in milliseconds: about as in Lambda, and less where polls are frequent. A tick that fails
 * retries until its end, and only then is an outage reported.
 */
export function longestTick({ intervalMs }: Pick<SourceSettings, 'intervalMs'>): number {
  return Math.min(50_000, Math.max(15_000, intervalMs));
}

/** When a lane has work. Polls are due with each tick, unless a round of theirs is under way. */
function workDueAt(state: SourceState, settings: Parameters<typeof isJoined>[1]): number {
  const { lanes, lookUps, pausedUntil } = state;
  const isUnderWay = KEPT_LANES.some((name) => lanes[name].round !== undefined);
  const dueAt = Math.min(
    isUnderWay ? 0 : lanes.recent.dueAt,
    isJoined(state, settings) ? Number.POSITIVE_INFINITY : lanes.older.dueAt,
    ...lookUps.map((lookUp) => lookUp.dueAt),
  );
  return Math.max(dueAt, pausedUntil);
}
