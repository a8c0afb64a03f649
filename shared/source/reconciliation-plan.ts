// Which walk is due. If a walk over all groups fits a cycle, it is the only one. Otherwise every cycle walks recently
// created groups and, in a share of the budget, older open ones; another share walks all groups, however long it takes.
import { type Instant, MILLISECOND, MINUTE, SECOND } from '../instant.ts';
import { MAX_WALK_PAGES, OPEN_WALK_SHARE, RECENT, SLOW_WALK_SHARE, WHOLE_WALK_SHARE } from '../limits.ts';
import type { CycleState, ReconciliationState, Tier } from './cycle-state.ts';
import type { SourceSettings } from './source-settings.ts';
import type { SourceState } from './source-state.ts';

type Planned = Pick<SourceState, 'baseline' | 'longestPage' | 'reconciliation'>;
type CyclePace = Pick<SourceSettings, 'reconcileMs' | 'requestsPerMinute'>;
type Pauses = Pick<SourceSettings, 'requestsPerMinute' | 'settleMs'>;

/**
 * Returns the tier whose next range is due now, if any. Of several, it is the one whose last range, with its pause,
 * ended first: where answers are slow, pauses end within a tick, and each range takes a whole tick.
 */
export function dueTier(state: Planned, settings: CyclePace & Pauses, now: Instant): Tier | undefined {
  const { recent, open, all } = state.reconciliation;
  if (fitsCycle(state, settings)) return isDue(all, settings, now) ? 'all' : undefined;
  const isOpenDue = !isPaused(open, 'open', settings, now) && isDue(open, settings, now);
  const due: readonly Tier[] = [
    ...(isPaused(all, 'all', settings, now) ? [] : ['all' as const]),
    ...(isOpenDue ? ['open' as const] : []),
    ...(isDue(recent, settings, now) ? ['recent' as const] : []),
  ];
  // An end in the future comes from a clock that was ahead.
  const endOfPause = (tier: Tier) => {
    const { pausedUntil } = state.reconciliation[tier];
    return pausedUntil <= now ? pausedUntil : 0;
  };
  return due.toSorted((a, b) => endOfPause(a) - endOfPause(b))[0];
}

/**
 * How long until the next cycle is due, in the unit of Instant; undefined while one is under way, and before the
 * baseline is done.
 */
export function nextCycleIn(state: Planned, settings: CyclePace, now: Instant): number | undefined {
  if (state.baseline.status !== 'completed') return undefined;
  const cycle = state.reconciliation[fitsCycle(state, settings) ? 'all' : 'recent'];
  if (cycle.isUnderWay) return undefined;
  const isDueAtOnce = cycle.isAsked || now < cycle.startedAt;
  return isDueAtOnce ? 0 : Math.max(0, dueAt(cycle, settings) - now);
}

/** Returns the tiers that are walked: `all` alone if it fits a cycle. */
export function plannedTiers(state: Planned, settings: CyclePace): readonly Tier[] {
  return fitsCycle(state, settings) ? ['all'] : ['recent', 'open', 'all'];
}

/** Whether a tier has anything to do: the slow walk over all groups always has. */
export function hasWork(tier: Tier, state: Planned, settings: CyclePace, now: Instant): boolean {
  const isSlow = tier === 'all' && !fitsCycle(state, settings);
  return isSlow || isDue(state.reconciliation[tier], settings, now);
}

/** Whether the walk leaves time to the others: if there are several, all except the recent one do. */
export function keepsToShare(state: WholeWalk, settings: CyclePace, tier: Tier): boolean {
  return tier !== 'recent' && !fitsCycle(state, settings);
}

/** Whether a walk over all groups is short enough to be done in every cycle. */
export function fitsCycle(state: WholeWalk, settings: CyclePace): boolean {
  const requests = requestsOfAll(state);
  const affordable = (settings.requestsPerMinute * settings.reconcileMs * MILLISECOND) / MINUTE;
  return requests <= Math.max(affordable * WHOLE_WALK_SHARE, ALWAYS_FITS);
}

type WholeWalk = Pick<SourceState, 'baseline' | 'longestPage'> & {
  readonly reconciliation: Pick<ReconciliationState, 'all'>;
};

/**
 * Requests that a walk over all groups takes: those of the last one. Before the first it is those of the baseline, or
 * fewer if pieces take fewer: only the baseline had to find out where to cut a list without order. If the walk under
 * way has taken more, its number counts: stores grow.
 */
export function requestsOfAll({ baseline, longestPage, reconciliation: { all } }: WholeWalk): number {
  const pieces = longestPage === 0 ? Number.POSITIVE_INFINITY : baseline.groups / longestPage;
  const inPieces = Math.ceil(REQUESTS_OF_PIECE * pieces) + REQUESTS_OF_ENDS;
  const known = all.lastRequests ?? Math.min(baseline.requests, inPieces);
  return all.isUnderWay ? Math.max(known, all.requests) : known;
}

/** Requests for a page's worth of groups, pieces being a little smaller than a page. */
const REQUESTS_OF_PIECE = 3.4;
/** Requests for the newest groups, and for what was not known. */
const REQUESTS_OF_ENDS = 8;

/** A walk of so few requests fits a cycle in any case. */
const ALWAYS_FITS = 100;

function isDue(cycle: CycleState, pace: CyclePace, now: Instant): boolean {
  if (cycle.isUnderWay || cycle.isAsked) return true;
  // A start in the future comes from a wrong clock.
  return now >= dueAt(cycle, pace) - earliness(pace) || now < cycle.startedAt;
}

function dueAt({ startedAt }: CycleState, { reconcileMs }: CyclePace): Instant {
  return startedAt + reconcileMs * MILLISECOND;
}

/** A tick slightly too early still begins the cycle: otherwise the cycle would wait a whole interval for the next. */
function earliness({ reconcileMs }: CyclePace): number {
  return Math.min((reconcileMs * MILLISECOND) / 10, 10 * SECOND);
}

/** How long a walk pauses after so many requests to keep to its share, in the unit of Instant. */
export function pauseAfterRange(
  tier: Tier,
  requests: number,
  { requestsPerMinute }: Pick<Pauses, 'requestsPerMinute'>,
): number {
  const share = tier === 'open' ? OPEN_WALK_SHARE : SLOW_WALK_SHARE;
  return Math.floor((requests * MINUTE) / (requestsPerMinute * share));
}

/** After so many of the longest pauses a walk counts as standing still. */
const PAUSES_UNTIL_STALLED = 2;

/**
 * The longest time without progress that a walk's share and `settle` between two look-ups explain, in the unit of
 * Instant.
 */
export function longestPause(tier: Tier, pace: Pauses): number {
  return PAUSES_UNTIL_STALLED * pauseAfterRange(tier, MAX_WALK_PAGES, pace) + pace.settleMs * MILLISECOND;
}

/** Whether a walk pauses to keep to its share. An end that no pause can have comes from a clock that was ahead. */
export function isPaused(
  { pausedUntil }: Pick<CycleState, 'pausedUntil'>,
  tier: Tier,
  pace: Pauses,
  now: Instant,
): boolean {
  return now < pausedUntil && pausedUntil - now <= longestPause(tier, pace);
}

/** The creation time up to which a cycle walks open groups: later ones are among the recent. */
export function openUntil({ startedAt }: Pick<CycleState, 'startedAt'>): Instant {
  return startedAt - RECENT;
}

export interface PlannedCycle {
  readonly tier: Tier;
  /** From one beginning to the next, in milliseconds; undefined before a walk has shown it. */
  readonly lengthMs: number | undefined;
  /** Requests that a cycle takes, by the last one. */
  readonly requests: number | undefined;
}

/** Returns how long cycles are, by the groups and the budget, the most frequent tier first. */
export function planCycles(state: Planned, settings: CyclePace): readonly PlannedCycle[] {
  const { reconcileMs, requestsPerMinute } = settings;
  const { recent, open } = state.reconciliation;
  const minutesMs = MINUTE / MILLISECOND;
  const allRequests = requestsOfAll(state) || undefined;
  const takes = (requests: number | undefined, share: number) =>
    requests === undefined ? undefined : Math.round((requests * minutesMs) / (requestsPerMinute * share));
  const atLeast = (time: number | undefined) =>
    time === undefined ? undefined : Math.max(reconcileMs, time);
  if (fitsCycle(state, settings)) {
    const lengthMs = atLeast(takes(allRequests ?? 0, WHOLE_WALK_SHARE));
    return [{ tier: 'all', lengthMs, requests: allRequests }];
  }
  const recentMs = atLeast(takes(recent.lastRequests, 1 - SLOW_WALK_SHARE - OPEN_WALK_SHARE));
  return [
    { tier: 'recent', lengthMs: recentMs, requests: recent.lastRequests },
    {
      tier: 'open',
      lengthMs: atLeast(takes(open.lastRequests, OPEN_WALK_SHARE)),
      requests: open.lastRequests,
    },
    { tier: 'all', lengthMs: takes(allRequests, SLOW_WALK_SHARE), requests: allRequests },
  ];
}
