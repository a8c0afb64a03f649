// When a watch's next tick begins, and how long it may last. Pure.
import { findHold } from '../../shared/guarding/holds.ts';
import { MILLISECOND } from '../../shared/instant.ts';
import type { TickReport } from '../../shared/reporting/tick-report.ts';
import { isJoined, type Pace } from '../../shared/source/rhythms.ts';
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
 * When polls are due, or other work that is due before: a walk, a look-up, a round under way. After a tick that failed, the
 * time of the next poll; missed ones are skipped.
 *
 * @param report of the completed tick
 * @returns milliseconds since the epoch; never further ahead than the time between polls
 */
export function nextTick(
  { last, now }: Times,
  settings: Pace,
  { outcome, error, state, pollsAt }: Pick<TickReport, 'outcome' | 'error' | 'state' | 'pollsAt'>,
): number {
  const { intervalMs } = settings;
  // If the clock is set back, polls must not wait until it reaches the old time again.
  const latest = now + intervalMs;
  const isWorking = outcome === 'done' && error === undefined && state !== undefined;
  if (!isWorking || findHold(state, 'other_store') !== undefined) {
    const missed = Math.floor((now - last) / intervalMs);
    return Math.min(last + Math.max(1, missed) * intervalMs, latest);
  }
  const dueAt = Math.max(Math.min(pollsAt, workDueAt(state, settings)), state.pausedUntil) / MILLISECOND;
  return Math.min(latest, dueAt > now ? Math.ceil(dueAt) : now + LEAST_PAUSE_MS);
}

/**
 * How long a tick may last, in milliseconds: about as in Lambda, and less where polls are frequent. A tick that fails
 * retries until its end, and only then is an outage reported.
 */
export function longestTick({ intervalMs }: Pick<SourceSettings, 'intervalMs'>): number {
  return Math.min(50_000, Math.max(15_000, intervalMs));
}

/** When a lane of walks or of look-ups has work, or a round is under way. */
function workDueAt(state: SourceState, settings: Pace): number {
  const { lanes, lookUps } = state;
  if (KEPT_LANES.some((name) => lanes[name].round !== undefined)) return 0;
  return Math.min(
    lanes.recent.dueAt,
    isJoined(state, settings) ? Number.POSITIVE_INFINITY : lanes.older.dueAt,
    ...lookUps.map((lookUp) => lookUp.dueAt),
  );
}
