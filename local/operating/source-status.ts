// Derives a source's status for operators from its state. Pure. format-status.ts makes the text, except for sentences
// that the feed's own events also use.
import { describeConsequence, describeHold, releaseCommand } from '../../shared/guarding/describe-hold.ts';
import { standingHolds } from '../../shared/guarding/holds.ts';
import { formatInstant, type Instant, MILLISECOND, MINUTE } from '../../shared/instant.ts';
import { stampsTime } from '../../shared/reading/stamps-clock.ts';
import { patienceOf } from '../../shared/reporting/health.ts';
import { planCycles } from '../../shared/source/reconciliation-plan.ts';
import type { CycleState, SourceState, Tier } from '../../shared/source/source-state.ts';

/** Times are ISO 8601, durations milliseconds; null is unknown, or not known yet. */
export interface SourceStatus {
  readonly source: string;
  readonly generation: string;
  /** Whether it is read completely, apart from an unfinished baseline. */
  readonly isHealthy: boolean;
  readonly held: readonly HoldStatus[];
  /** Why it is not read completely; empty if it is. */
  readonly reasons: readonly { readonly code: string; readonly message: string }[];
  readonly degradedSince: string | null;
  readonly restsUntil: string | null;
  /** Polls have read everything before this instant, by the service's timestamps. */
  readonly settledThrough: string;
  readonly behindMs: number | null;
  readonly lookbackMs: number | null;
  readonly lastTickAt: string | null;
  readonly sinceLastTickMs: number | null;
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
    readonly pageLimit: number;
    readonly stampsHaveZone: boolean;
    readonly stampsPrecision: number;
    readonly stampsLeadMs: number;
  };
}

export interface HoldStatus {
  readonly number: number;
  readonly guard: string;
  readonly since: string;
  readonly suspects: number;
  readonly message: string;
  readonly consequence: string;
  /** The command that releases it. */
  readonly command: string;
}

export interface CycleStatus {
  readonly tier: Tier;
  /** From one start to the next, as planned from the groups and the budget. */
  readonly plannedMs: number | null;
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

/**
 * @param now by the local clock
 * @param flags that name the place of this state, for instance ` --data state`
 * @param place the identity of the tables that hold the state; undefined if unknown
 */
export function describeSource(
  state: SourceState,
  now: Instant,
  flags: string,
  place?: string | undefined,
): SourceStatus {
  const { health, baseline, stamps, pace } = state;
  const held = standingHolds(state).map((hold) => ({
    number: hold.number,
    guard: hold.guard,
    since: formatInstant(hold.since),
    suspects: hold.suspects,
    message: describeHold(hold),
    consequence: describeConsequence(hold),
    command: `${releaseCommand(hold, state.source)}${flags}`,
  }));
  const lastTick = state.lastSlot === 0 ? undefined : state.lastSlot * MILLISECOND;
  const silence = lastTick === undefined ? Number.POSITIVE_INFINITY : now - lastTick;
  const isSilent = silence > patienceOf((pace?.intervalMs ?? 0) * MILLISECOND);
  const isAhead = -silence > LARGEST_LEAD;
  const time = stampsTime(stamps, now);
  // `held` describes the holds, with the command that releases each.
  const reasons = [
    ...(isSilent ? [SILENT] : []),
    ...(isAhead ? [AHEAD] : []),
    ...(place === undefined || place === state.mintedIn ? [] : [restored(state, flags)]),
    ...health.reasons.filter(({ code }) => code !== 'held'),
  ];
  return {
    source: state.source,
    generation: state.generation,
    isHealthy: held.length === 0 && reasons.length === 0 && health.restUntil <= now,
    held,
    reasons,
    degradedSince: orNull(health.degradedSince),
    restsUntil: health.restUntil > now ? formatInstant(health.restUntil) : null,
    settledThrough: formatInstant(state.settledThrough),
    behindMs: time === undefined ? null : milliseconds(time - state.settledThrough),
    lookbackMs: pace?.lookbackMs ?? null,
    lastTickAt: orNull(lastTick),
    sinceLastTickMs: lastTick === undefined ? null : milliseconds(silence),
    baseline: {
      status: baseline.status,
      mode: baseline.mode,
      groups: baseline.groups,
      estimatedGroups: baseline.estimatedGroups ?? null,
      coveredThrough: orNull(baseline.coveredThrough),
    },
    reconciliation: describeCycles(state),
    setAside: state.setAside.map(({ groupId, reason, since }) => ({
      returnGroupId: groupId ?? null,
      reason,
      since: formatInstant(since),
    })),
    service: {
      pageLimit: state.pageLimit,
      stampsHaveZone: stamps.zoned,
      stampsPrecision: stamps.precision,
      stampsLeadMs: milliseconds(stamps.lead),
    },
  };
}

const SILENT = { code: 'silent', message: 'Nothing polls this source.' };

/** The clocks of two machines differ by less than this. */
const LARGEST_LEAD = MINUTE;
const AHEAD = {
  code: 'ahead',
  message:
    'The last tick is in the future: a clock was ahead. Check the clock of this machine and of the one that ' +
    'polls. Once both are right, polling continues within an hour; a restart of "watch" continues at once.',
};

function restored({ source }: SourceState, flags: string) {
  const message =
    'Its tables were restored from a backup, or copied, so it is stopped. To start a new generation, which ' +
    `publishes every return group again: returns-feed sources restore ${source}${flags}`;
  return { code: 'restored', message };
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

function describeCycle({ isUnderWay, startedAt, coveredThrough, lastCompletedAt }: CycleState) {
  return {
    isUnderWay,
    startedAt: formatInstant(startedAt),
    coveredThrough: isUnderWay ? orNull(coveredThrough) : null,
    lastCompletedAt: orNull(lastCompletedAt),
  };
}

function orNull(instant: Instant | undefined): string | null {
  return instant === undefined ? null : formatInstant(instant);
}

function milliseconds(duration: number): number {
  return Math.round(duration / MILLISECOND);
}
