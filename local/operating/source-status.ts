// Derives a source's status for operators from its state. Pure. format-status.ts makes the text, except for sentences
// that the feed's own events also use.
import { describeConsequence, describeHold, releaseCommand } from '../../shared/guarding/describe-hold.ts';
import type { HoldSample } from '../../shared/guarding/guarding-state.ts';
import { standingHolds } from '../../shared/guarding/holds.ts';
import { formatInstant, MILLISECOND } from '../../shared/instant.ts';
import { stampsTime } from '../../shared/reading/stamps-clock.ts';
import { describeRead } from '../../shared/reporting/source-read.ts';
import type { CycleState } from '../../shared/source/cycle-state.ts';
import { planCycles } from '../../shared/source/reconciliation-plan.ts';
import type { SourceState, Tier } from '../../shared/source/source-state.ts';
import { formatKnownInstant } from './format-known-instant.ts';
import {
  type Circumstances,
  type NextStep,
  nextStepsOf,
  type Reason,
  type Verdict,
  whyStopped,
} from './judge-source.ts';

/** Times are ISO 8601, durations milliseconds; null is unknown, or not known yet. */
export interface SourceStatus {
  readonly source: string;
  readonly generation: string;
  readonly verdict: Verdict;
  /** Whether it is well: read completely, apart from an unfinished baseline. */
  readonly isHealthy: boolean;
  readonly held: readonly HoldStatus[];
  /** Why it is not read completely; empty if it is. */
  readonly reasons: readonly Reason[];
  /** Why the last ticks failed, the first of them, and how many; null after one that did not. */
  readonly lastFailure: (Reason & { readonly since: string; readonly ticks: number }) | null;
  /** The next steps, besides releasing holds. */
  readonly nextSteps: readonly NextStep[];
  readonly degradedSince: string | null;
  readonly restsUntil: string | null;
  /** Polls have read everything before this instant, by the service's timestamps. */
  readonly settledThrough: string;
  /** The value that `feed.source_read` reports. Null until the baseline is completed, and in restored tables. */
  readonly readUpTo: string | null;
  readonly reconciledThrough: string | null;
  readonly behindMs: number | null;
  readonly lookbackMs: number | null;
  readonly lastTickAt: string | null;
  readonly sinceLastTickMs: number | null;
  /** The process that polls, on this machine; null if there is none, or it is not known. */
  readonly polledBy: number | null;
  readonly baseline: {
    readonly status: 'running' | 'completed';
    readonly mode: 'silent' | 'emit';
    readonly groups: number;
    readonly estimatedGroups: number | null;
    readonly coveredThrough: string | null;
  };
  readonly reconciliation: readonly CycleStatus[];
  readonly setAside: readonly SetAsideStatus[];
  readonly service: {
    /** Rows that the feed asks for, and those of the longest page in this cycle; 0 before the first. */
    readonly pageLimit: number;
    readonly longestPage: number;
    readonly stampsHaveZone: boolean;
    readonly stampsPrecision: number;
    readonly stampsLeadMs: number;
  };
}

export interface HoldStatus {
  readonly number: number;
  readonly guard: string;
  readonly since: string;
  /** The return groups or entities that are held. */
  readonly suspects: number;
  /** A few of them. */
  readonly samples: readonly HoldSample[];
  readonly message: string;
  readonly consequence: string;
  /** The command that releases it. */
  readonly command: string;
}

export interface CycleStatus {
  readonly tier: Tier;
  /** From one start to the next, as planned from the groups and the budget. */
  readonly plannedMs: number | null;
  /** From the start of the cycle before to that of the last one; null before there were two. */
  readonly reachedMs: number | null;
  readonly requests: number | null;
  readonly isUnderWay: boolean;
  readonly startedAt: string;
  /** Creation time up to which the running cycle has read all groups. */
  readonly coveredThrough: string | null;
  readonly lastCompletedAt: string | null;
}

export interface SetAsideStatus {
  readonly returnGroupId: number | null;
  readonly reason: string;
  readonly since: string;
}

/** The known facts besides the state; only the time and the flags are necessary. */
export type StatusCircumstances = Pick<Circumstances, 'now' | 'flags'> &
  Partial<Pick<Circumstances, 'isLocal' | 'poller'>> & {
    /** The identity of the tables that hold the state; undefined if unknown. */
    readonly place?: string | undefined;
  };

export function describeSource(state: SourceState, known: StatusCircumstances): SourceStatus {
  const { now, flags, place, poller, isLocal = false } = known;
  const { health, baseline, stamps, pace } = state;
  const isRestored = place !== undefined && place !== state.mintedIn;
  const circumstances: Circumstances = { now, flags, isLocal, isRestored, poller };
  const stopped = whyStopped(state, circumstances);
  // `held` describes the holds, with the command that releases each.
  const conditions = health.reasons.filter(({ code }) => code !== 'held');
  const reasons = [...stopped, ...conditions];
  const held = describeHolds(state, flags);
  const isFailing = reasons.length > 0 || health.failure !== undefined || health.restUntil > now;
  const verdict =
    held.length > 0 ? 'held' : stopped.length > 0 ? 'stopped' : isFailing ? 'failing' : ('well' as const);
  const read = describeRead(state);
  const lastTick = state.lastSlot === 0 ? undefined : state.lastSlot * MILLISECOND;
  const time = stampsTime(stamps, now);
  return {
    source: state.source,
    generation: state.generation,
    verdict,
    isHealthy: verdict === 'well',
    held,
    reasons,
    lastFailure:
      health.failure === undefined ? null : { ...health.failure, since: formatInstant(health.failure.since) },
    nextSteps: nextStepsOf(state, verdict, stopped, circumstances),
    // The next tick reports the end of a condition that is over.
    degradedSince: held.length + conditions.length === 0 ? null : formatKnownInstant(health.degradedSince),
    restsUntil: health.restUntil > now ? formatInstant(health.restUntil) : null,
    settledThrough: formatInstant(state.settledThrough),
    readUpTo: isRestored ? null : read.read_up_to,
    reconciledThrough: isRestored ? null : read.reconciled_through,
    behindMs: time === undefined ? null : milliseconds(time - state.settledThrough),
    lookbackMs: pace?.lookbackMs ?? null,
    lastTickAt: formatKnownInstant(lastTick),
    sinceLastTickMs: lastTick === undefined ? null : milliseconds(now - lastTick),
    polledBy: poller?.pid ?? null,
    baseline: {
      status: baseline.status,
      mode: baseline.mode,
      groups: baseline.groups,
      estimatedGroups: baseline.estimatedGroups ?? null,
      coveredThrough: formatKnownInstant(baseline.coveredThrough),
    },
    reconciliation: describeCycles(state),
    setAside: state.setAside.map(({ groupId, reason, since }) => ({
      returnGroupId: groupId ?? null,
      reason,
      since: formatInstant(since),
    })),
    service: {
      pageLimit: state.pageLimit,
      longestPage: state.longestPage,
      stampsHaveZone: stamps.zoned,
      stampsPrecision: stamps.precision,
      stampsLeadMs: milliseconds(stamps.lead),
    },
  };
}

function describeHolds(state: SourceState, flags: string): HoldStatus[] {
  return standingHolds(state).map((hold) => ({
    number: hold.number,
    guard: hold.guard,
    since: formatInstant(hold.since),
    suspects: hold.suspects,
    samples: hold.samples,
    message: describeHold(hold),
    consequence: describeConsequence(hold),
    command: releaseCommand(hold, state.source, flags),
  }));
}

function describeCycles(state: SourceState): CycleStatus[] {
  const { pace, reconciliation, baseline } = state;
  if (baseline.status === 'running') return [];
  const tiers: readonly Tier[] = ['recent', 'open', 'all'];
  const plans =
    pace === undefined
      ? tiers.map((tier) => ({ tier, lengthMs: undefined, requests: undefined }))
      : planCycles(state, pace);
  return plans.map(({ tier, lengthMs, requests }) => ({
    tier,
    plannedMs: lengthMs ?? null,
    requests: requests ?? null,
    ...describeCycle(reconciliation[tier]),
  }));
}

function describeCycle({ isUnderWay, startedAt, coveredThrough, lastCompletedAt, ...cycle }: CycleState) {
  const { previousStartedAt } = cycle;
  return {
    reachedMs: previousStartedAt === undefined ? null : milliseconds(startedAt - previousStartedAt),
    isUnderWay,
    startedAt: formatInstant(startedAt),
    coveredThrough: isUnderWay ? formatKnownInstant(coveredThrough) : null,
    lastCompletedAt: formatKnownInstant(lastCompletedAt),
  };
}

function milliseconds(duration: number): number {
  return Math.round(duration / MILLISECOND);
}
