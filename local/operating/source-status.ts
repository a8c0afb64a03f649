// Derives a source's status for operators from its state. Pure. format-status.ts makes the text, except for sentences
// that the feed's own events also use.
import {
  describeConsequence,
  describeHold,
  describeSample,
  releaseCommand,
} from '../../shared/guarding/describe-hold.ts';
import { standingHolds } from '../../shared/guarding/holds.ts';
import { formatInstant, MILLISECOND } from '../../shared/instant.ts';
import { stampsTime } from '../../shared/reading/stamps-clock.ts';
import { describeRead } from '../../shared/reporting/source-read.ts';
import type { CycleState, Tier } from '../../shared/source/cycle-state.ts';
import { planCycles } from '../../shared/source/reconciliation-plan.ts';
import type { SourceState } from '../../shared/source/source-state.ts';
import { formatKnownInstant } from './format-known-instant.ts';
import { type Circumstances, nextStepsOf, type Verdict, whyStopped } from './judge-source.ts';

/** Times are ISO 8601, durations milliseconds; null is unknown, or not known yet. */
export type SourceStatus = ReturnType<typeof describeSource>;
export type HoldStatus = SourceStatus['held'][number];
export type CycleStatus = SourceStatus['reconciliation'][number];
export type SetAsideStatus = SourceStatus['setAside'][number];

/** The known facts besides the state; only the time and the flags are necessary. */
export type StatusCircumstances = Pick<Circumstances, 'now' | 'flags'> &
  Partial<Pick<Circumstances, 'isLocal' | 'poller'>> & {
    /** The identity of the tables that hold the state; undefined if unknown. */
    readonly place?: string | undefined;
  };

export function describeSource(state: SourceState, known: StatusCircumstances) {
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
  const verdict: Verdict =
    held.length > 0 ? 'held' : stopped.length > 0 ? 'stopped' : isFailing ? 'failing' : 'well';
  const read = describeRead(state);
  const lastTick = state.lastSlot === 0 ? undefined : state.lastSlot * MILLISECOND;
  const time = stampsTime(stamps, now);
  return {
    source: state.source,
    generation: state.generation,
    verdict,
    /** Whether it is well: read completely, apart from an unfinished baseline. */
    isHealthy: verdict === 'well',
    held,
    /** Why it is not read completely; empty if it is. */
    reasons,
    /** Why the last ticks failed, the first of them, and how many; null after one that did not. */
    lastFailure:
      health.failure === undefined ? null : { ...health.failure, since: formatInstant(health.failure.since) },
    /** The next steps, besides releasing holds. */
    nextSteps: nextStepsOf(state, verdict, stopped, circumstances),
    // The next tick reports the end of a condition that is over.
    degradedSince: held.length + conditions.length === 0 ? null : formatKnownInstant(health.degradedSince),
    restsUntil: health.restUntil > now ? formatInstant(health.restUntil) : null,
    /** Polls have read everything before this instant, by the service's timestamps. */
    settledThrough: formatInstant(state.settledThrough),
    /** The value that `feed.source_read` reports. Null until the baseline is completed, and in restored tables. */
    readUpTo: isRestored ? null : read.read_up_to,
    reconciledThrough: isRestored ? null : read.reconciled_through,
    behindMs: time === undefined ? null : milliseconds(time - state.settledThrough),
    lookbackMs: pace?.lookbackMs ?? null,
    lastTickAt: formatKnownInstant(lastTick),
    sinceLastTickMs: lastTick === undefined ? null : milliseconds(now - lastTick),
    /** The process that polls, on this machine; null if there is none, or it is not known. */
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
      /** Rows that the feed asks for, and those of the longest page in this cycle; 0 before the first. */
      pageLimit: state.pageLimit,
      longestPage: state.longestPage,
      stampsHaveZone: stamps.zoned,
      stampsPrecision: stamps.precision,
      stampsLeadMs: milliseconds(stamps.lead),
    },
  };
}

function describeHolds(state: SourceState, flags: string) {
  return standingHolds(state).map((hold) => ({
    number: hold.number,
    guard: hold.guard,
    since: formatInstant(hold.since),
    /** The return groups or entities that are held, and a few of them. */
    suspects: hold.suspects,
    samples: hold.samples.map(describeSample),
    message: describeHold(hold),
    consequence: describeConsequence(hold),
    /** The command that releases it. */
    command: releaseCommand(hold, state.source, flags),
  }));
}

function describeCycles(state: SourceState) {
  const { pace, reconciliation, baseline } = state;
  if (baseline.status === 'running') return [];
  const tiers: readonly Tier[] = ['recent', 'open', 'all'];
  const plans =
    pace === undefined
      ? tiers.map((tier) => ({ tier, lengthMs: undefined, requests: undefined }))
      : planCycles(state, pace);
  return plans.map(({ tier, lengthMs, requests }) => ({
    tier,
    /** From one start to the next, as planned from the groups and the budget. */
    plannedMs: lengthMs ?? null,
    requests: requests ?? null,
    ...describeCycle(reconciliation[tier]),
  }));
}

function describeCycle({ isUnderWay, startedAt, coveredThrough, lastCompletedAt, ...cycle }: CycleState) {
  const { previousStartedAt } = cycle;
  return {
    /** From the start of the cycle before to that of the last one; null before there were two. */
    reachedMs: previousStartedAt === undefined ? null : milliseconds(startedAt - previousStartedAt),
    isUnderWay,
    startedAt: formatInstant(startedAt),
    /** Creation time up to which the running cycle has read all groups. */
    coveredThrough: isUnderWay ? formatKnownInstant(coveredThrough) : null,
    lastCompletedAt: formatKnownInstant(lastCompletedAt),
  };
}

function milliseconds(duration: number): number {
  return Math.round(duration / MILLISECOND);
}
