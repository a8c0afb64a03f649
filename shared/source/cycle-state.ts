// The state of the walks that find what polls can't, one for each tier: recent groups, older open ones, all.
import * as z from 'zod';
import type { Instant } from '../instant.ts';
import { FIRST_WIDTH, RECENT } from '../limits.ts';
import { instant, maybe, type Stored, storedObject } from './stored-object.ts';

/** The groups of a reconciliation walk: recently created ones, older ones that are open, or all. */
export const tier = z.enum(['recent', 'open', 'all']);
export type Tier = z.output<typeof tier>;

const cycle = storedObject({
  isUnderWay: z.boolean(),
  /** When this cycle began, or the last one if none is under way; before the first, when the state was created. */
  startedAt: instant,
  /** Creation time up to which this cycle has read all groups. */
  coveredThrough: maybe(instant),
  /** Width of the next range, in the unit of Instant. */
  rangeWidth: z.number(),
  /**
   * The next range is read no earlier, so that the walk keeps to its share of the budget. The recent walk, which has no
   * share, notes here when its last range began.
   */
  pausedUntil: instant,
  /** The slot, as an instant, of the last tick in which it made progress or was not due; undefined before the first. */
  progressedAt: maybe(instant),
  /** Requests of this cycle so far. */
  requests: z.int(),
  /** Known groups in the ranges that were read to their proved end. */
  known: z.int().default(0),
  /** Groups that look-ups did not find. */
  removals: z.int(),
  /** Groups of this cycle that were compared with their snapshots. */
  compared: z.int().default(0),
  /** Compared groups that differed although their stamp had not moved. */
  unstamped: z.int().default(0),
  /**
   * Changes of a group per hour without a newer stamp: the most that this cycle, and sweeps since the last, have shown.
   */
  ratePerHour: z.number().default(0),
  /** When the previous cycle began. */
  previousStartedAt: maybe(instant),
  /**
   * The start of the last cycle that ended while no changes without a newer stamp were held: what is published next has
   * added up since then. Undefined before the first.
   */
  unheldSince: maybe(instant),
  /** Whether it must begin, or go on, at once. */
  isAsked: z.boolean().default(false),
  /** Whether a release moved it back, so that it counts some groups twice. */
  isMovedBack: z.boolean().default(false),
  /** Requests of the last completed cycle; undefined before the first. */
  lastRequests: maybe(z.int()),
  /** Known groups of the last completed cycle; undefined before the first. */
  lastKnown: maybe(z.int()),
  lastCompletedAt: maybe(instant),
});

export type CycleState = Stored<typeof cycle>;

/** Returns the state of a tier before its first cycle. */
export function newCycle(now: Instant): CycleState {
  return {
    isUnderWay: false,
    startedAt: now,
    coveredThrough: undefined,
    rangeWidth: FIRST_WIDTH,
    pausedUntil: 0,
    progressedAt: undefined,
    requests: 0,
    known: 0,
    removals: 0,
    compared: 0,
    unstamped: 0,
    ratePerHour: 0,
    previousStartedAt: undefined,
    unheldSince: undefined,
    isAsked: false,
    isMovedBack: false,
    lastRequests: undefined,
    lastKnown: undefined,
    lastCompletedAt: undefined,
  };
}

/** When the last completed cycle began; undefined before the first. */
function lastStart(cycle: CycleState): Instant | undefined {
  if (cycle.isUnderWay) return cycle.previousStartedAt;
  return cycle.lastCompletedAt === undefined ? undefined : cycle.startedAt;
}

/**
 * When the groups of a tier were last walked.
 *
 * @returns the later start of the tier's last completed cycle and of the last one over all groups; undefined before
 *   both
 */
export function lastWalkedAt(
  reconciliation: ReconciliationState,
  tier: Tier,
  now: Instant,
): Instant | undefined {
  const [ofTier, ofAll] = [lastStart(reconciliation[tier]), lastStart(reconciliation.all)];
  // A start in the future comes from a clock that was ahead.
  if (ofTier === undefined || ofAll === undefined || ofAll > now) return ofTier ?? ofAll;
  return Math.max(ofTier, ofAll);
}

/** Returns the cycle as it begins. */
export function beginCycle(cycle: CycleState, tier: Tier, now: Instant): CycleState {
  // The widest range first: it may well hold all groups.
  const start =
    tier === 'recent'
      ? { coveredThrough: now - RECENT }
      : { coveredThrough: undefined, rangeWidth: FIRST_WIDTH };
  return {
    ...cycle,
    ...start,
    isUnderWay: true,
    isAsked: false,
    isMovedBack: false,
    startedAt: now,
    previousStartedAt: cycle.lastCompletedAt === undefined ? undefined : cycle.startedAt,
    requests: 0,
    known: 0,
    removals: 0,
    compared: 0,
    unstamped: 0,
  };
}

export const reconciliation = z
  .object({
    recent: cycle,
    /** Over older groups that are open. */
    open: cycle.optional(),
    all: cycle,
  })
  .transform(({ recent, open, all }) => ({ recent, open: open ?? newCycle(recent.startedAt), all }));

export type ReconciliationState = Stored<typeof reconciliation>;

/** The state with another cycle of the tier. */
export function withCycle<State extends { readonly reconciliation: ReconciliationState }>(
  state: State,
  tier: Tier,
  cycle: CycleState,
): State {
  return { ...state, reconciliation: { ...state.reconciliation, [tier]: cycle } };
}
