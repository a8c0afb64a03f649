// Plans for what ordinary ones never get to: stores that are large for their pages, polls that are longer than a page.
import type { Knobs } from '../../local/reference-service/knobs.ts';
import type { Random } from '../../local/reference-service/store/seeded-random.ts';
import type { FaultRates, Plan } from './plan.ts';

/** Too large, for its pages and its budget, to be walked as a whole in each cycle. */
export function vast(plan: Plan, random: Random): Plan {
  // With these its baseline alone would take all the time.
  const { pageBytes, faultRate, latencyMs, ...knobs } = plan.knobs;
  return {
    ...plan,
    groups: 25 + random.below(10),
    activeMs: 300_000,
    changesPerSecond: 0.06,
    crowds: false,
    outage: undefined,
    tickMs: 50_000,
    faults: { ...plan.faults, ...atMost(0.002, plan.faults) },
    knobs: { ...withStableOrder(knobs), limitMax: 1 },
    settings: { ...plan.settings, reconcileMs: 30_000, intervalMs: 30_000 },
  };
}

/** Of what ends a tick or a part of it: each range takes hundreds of calls, and one that was cut off begins anew. */
function atMost(most: number, faults: FaultRates): Partial<FaultRates> {
  const names = ['crash', 'fail', 'lost', 'slow', 'freeze'] as const;
  return Object.fromEntries(names.map((name) => [name, Math.min(faults[name], most)]));
}

function withStableOrder({ order, ...knobs }: Partial<Knobs>): Partial<Knobs> {
  const isStable = order !== undefined && order !== 'random' && order !== 'shuffled' && order !== 'heap';
  return isStable ? { ...knobs, order } : knobs;
}

/** Groups go, are told as removed, and come back. */
export function returning(plan: Plan, random: Random): Plan {
  const share = random.pick([0.15, 0.3]);
  // How stale reads may be follows from the settle.
  const { staleShare, ...knobs } = plan.knobs;
  return {
    ...plan,
    activeMs: 400_000,
    changesPerSecond: 0.1,
    outage: undefined,
    knobs: { ...knobs, groupRemovals: share, reappearances: share },
    settings: {
      ...plan.settings,
      reconcileMs: 30_000,
      intervalMs: 15_000,
      settleMs: Math.min(plan.settings.settleMs, 15_000),
    },
  };
}

/** Much changes while it is read page after page, and little of it is read again. */
export function bustling(plan: Plan, random: Random): Plan {
  // How late and how stale things may show follows from the lookback.
  const { lateSeconds, staleShare, ...knobs } = plan.knobs;
  return {
    ...plan,
    groups: 40 + random.below(20),
    activeMs: 90_000,
    changesPerSecond: 2,
    knobs: {
      ...withStableOrder(knobs),
      limitMax: 10,
      latencyMs: { least: 100, most: 900 },
    },
    settings: { ...plan.settings, lookbackMs: 5_000, intervalMs: random.pick([15_000, 30_000]) },
  };
}
