// Removes knobs and faults from a run that breaks a guarantee, and shortens its time.
import { type Attempt, shrinkRun } from '../simulation-frame/shrink-run.ts';
import type { Violation } from './checker/evidence.ts';
import { type FaultRates, NO_FAULTS, type Plan } from './plan.ts';
import { type Run, simulate } from './simulate.ts';

/** Maximum number of runs to shrink one violation. */
const MOST_RUNS = 400;

/** @returns the smallest run found; the given one if nothing can be removed */
export function shrink(run: Run, guarantee: Violation['guarantee'], mostRuns = MOST_RUNS): Promise<Run> {
  return shrinkRun<Plan, Run>(run, guarantee, {
    ...{ simulate, mostRuns, mostRounds: 3 },
    async simplify(current, attempt) {
      await dropParts(current, attempt);
      await shortenTime(current, attempt);
    },
  });
}

/** Tries one simplification after the other, and keeps those that keep the violation. */
async function dropParts(current: () => Plan, attempt: Attempt<Plan>): Promise<void> {
  for (const simpler of SIMPLER) {
    const plan = current();
    const next = { ...plan, ...simpler };
    if (JSON.stringify(next) !== JSON.stringify(plan)) await attempt(next);
  }
  for (const name of Object.keys(current().knobs) as (keyof Plan['knobs'])[]) {
    const knobs: Plan['knobs'] = { ...current().knobs };
    delete knobs[name];
    // staleSeconds bounds a deviation that the checker allows for: keep it while that is on.
    const isHeldTo = name === 'staleSeconds' && knobs.staleShare !== undefined;
    if (!isHeldTo) await attempt({ ...current(), knobs });
  }
  for (const name of Object.keys(NO_FAULTS) as (keyof FaultRates)[]) {
    const { faults } = current();
    if (faults[name] > 0) await attempt({ ...current(), faults: { ...faults, [name]: 0 } });
  }
}

const SIMPLER: readonly Partial<Plan>[] = [
  { faults: NO_FAULTS, only: undefined },
  { sources: 1 },
  { outages: [] },
  { turns: [] },
  { bulks: [] },
  { operations: [] },
  { mishap: undefined },
  { secret: undefined },
  { earlySlot: undefined },
  { oldChanges: undefined },
  { night: undefined },
  { cache: undefined },
  { lag: undefined },
  { rotationMs: undefined },
  { sweepMs: undefined },
  { handsPerMinute: 0 },
  { stops: undefined },
  { tooLarge: undefined },
  { rareValues: undefined },
  { clockSkewMs: 0 },
  { warm: 1 },
  { endsOverdue: true },
];

async function shortenTime(current: () => Plan, attempt: Attempt<Plan>): Promise<void> {
  for (const share of [0.5, 0.5, 0.7, 0.8, 0.9]) {
    const { activeMs } = current();
    await attempt({ ...current(), activeMs: Math.ceil(activeMs * share) });
  }
  for (const share of [0.5, 0.7]) {
    const { groups } = current();
    if (groups > 1) await attempt({ ...current(), groups: Math.max(1, Math.floor(groups * share)) });
  }
}
