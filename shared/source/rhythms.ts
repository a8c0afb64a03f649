// How often each lane reads. Pure, for the lanes and for readers of the state.
import { knownGroups } from '../guarding/removals.ts';
import { HOUR, type Instant, MILLISECOND, MINUTE, SECOND } from '../instant.ts';
import { rowsOfPiece } from '../reading/room.ts';
import type { SourceSettings } from './source-settings.ts';
import type { SourceState } from './source-state.ts';

export type Pace = Pick<
  SourceSettings,
  'intervalMs' | 'lookbackMs' | 'reconcileMs' | 'requestsPerMinute' | 'walkShare'
>;

const LATE_RHYTHM = MINUTE;
/** The share of the budget that decides how often `late` reads. */
const LATE_SHARE = 0.2;
export const OLDER_RHYTHM: number = 12 * HOUR;
/** Walks over older groups alone take this part of the share: few of these still change. */
const OLDER_PART = 1 / 5;
/** The share that walks have for certain (pacing/turns.ts). */
const LEAST_SHARE = 1 / 8;
/** How often a walk over recent groups is promised, unless the settings say. */
const RECENT_RHYTHM = 10 * MINUTE;
/** A tick that comes a little early is not left out. */
const EARLY = 5 * SECOND;

/**
 * How often `late` is due: no more often than polls, and no less often than half of the lookback.
 *
 * @param requests of its last round
 */
export function lateRhythm(
  { intervalMs, lookbackMs, requestsPerMinute }: Omit<Pace, 'reconcileMs' | 'walkShare'>,
  requests = 0,
): number {
  const lookback = lookbackMs * MILLISECOND;
  const least = Math.max(intervalMs * MILLISECOND, Math.min(LATE_RHYTHM, lookback / 5));
  return Math.min(
    Math.max(least, lookback / 2),
    Math.max(least, timeOf(requests, requestsPerMinute, LATE_SHARE)),
  );
}

/** Whether `fresh` reads besides `late`: else both would read the same, equally often. @param requests of `late` */
export function hasFresh(pace: Pace, requests: number): boolean {
  return pace.intervalMs * MILLISECOND < lateRhythm(pace, requests);
}

/** How often a walk is promised. */
export function promisedRhythm(name: 'recent' | 'older', { reconcileMs }: Pick<Pace, 'reconcileMs'>): number {
  if (name === 'older') return OLDER_RHYTHM;
  return reconcileMs === undefined ? RECENT_RHYTHM : reconcileMs * MILLISECOND;
}

/** Whether `recent` walks all groups: where that takes its share of the budget in no longer than its rhythm. */
export function isJoined(state: SourceState, pace: Pace): boolean {
  if (state.baselineAt === undefined) return true;
  const pieces = knownGroups(state) / rowsOfPiece(state.room, state.limit);
  return timeOf(pieces, pace.requestsPerMinute, pace.walkShare) < promisedRhythm('recent', pace);
}

/**
 * How long after its start a walk is due again: as soon as its requests are a share of the budget since then. A walk over
 * recent groups alone keeps its rhythm, and so does one whose rhythm the settings give.
 *
 * @param requests of the last one
 */
export function walkRhythm(name: 'recent' | 'older', isWhole: boolean, requests: number, pace: Pace): number {
  const promised = promisedRhythm(name, pace);
  if (name === 'recent' && (!isWhole || pace.reconcileMs !== undefined)) return promised;
  const share = pace.walkShare * (name === 'older' ? OLDER_PART : 1);
  const cheap = timeOf(requests, pace.requestsPerMinute, share);
  return Math.min(promised, Math.max(pace.intervalMs * MILLISECOND, cheap));
}

/** Two rhythms of walks over recent groups, or two walks with the least share of the budget, whichever is longer. */
export function timeOfTwoWalks({ lanes }: Pick<SourceState, 'lanes'>, pace: Pace): number {
  const walk = timeOf(lanes.recent.requests, pace.requestsPerMinute, LEAST_SHARE);
  return 2 * Math.max(promisedRhythm('recent', pace), walk);
}

/** The time in which so many requests are a share of the budget: whole microseconds, as every instant. */
function timeOf(requests: number, requestsPerMinute: number, share: number): number {
  return Math.ceil((requests / (share * requestsPerMinute)) * MINUTE);
}

/**
 * When a lane in a rhythm is due: a little early, so that a tick that comes early is used. A moment further ahead than
 * the longest wait comes from a clock that was ahead.
 */
export function inRhythm(dueAt: Instant, rhythm: number, now: Instant, longest: number = rhythm): Instant {
  return dueAt > now + longest + earlier(rhythm) ? now : dueAt - earlier(rhythm);
}

/** How much before its slot a round may begin. */
export function earlier(rhythm: number): number {
  return Math.min(EARLY, rhythm / 10);
}

/**
 * The slot after the one in which a round begins. Slots are multiples of the rhythm, as those of a schedule are.
 *
 * @param spread moves them by this part of the rhythm, from 0 to 1: so sources of one process are read one after the other
 */
export function nextSlot(rhythm: number, startedAt: Instant, spread = 0): Instant {
  const phase = Math.floor(spread * rhythm);
  return (Math.floor((startedAt - phase + earlier(rhythm)) / rhythm) + 1) * rhythm + phase;
}
