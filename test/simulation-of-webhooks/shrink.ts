// Shrinks a run that breaks a guarantee: removes webhooks, outages and faults as long as the run still breaks the same
// guarantee.
import { shrinkRun } from '../simulation-frame/shrink-run.ts';
import type { Violation } from './checker/evidence.ts';
import { NO_FAULTS, type Plan, type WebhookPlan } from './plan.ts';
import { type Run, simulate } from './simulate.ts';

/** The maximum number of runs. */
const MOST_RUNS = 200;

/** @returns the smallest run found; the given one if nothing can be left out */
export function shrink(run: Run, guarantee: Violation['guarantee']): Promise<Run> {
  return shrinkRun<Plan, Run>(run, guarantee, {
    ...{ simulate, mostRuns: MOST_RUNS, mostRounds: 2 },
    async simplify(current, attempt) {
      for (const simpler of simplerPlans(current())) await attempt({ ...current(), ...simpler });
      for (const share of [0.5, 0.5, 0.7])
        await attempt({ ...current(), saves: Math.max(1, Math.floor(current().saves * share)) });
    },
  });
}

function simplerPlans(plan: Plan): Partial<Plan>[] {
  const without = <Of>(list: readonly Of[], at: number) => list.filter((_, index) => index !== at);
  const withOutages = (at: number, outages: WebhookPlan['outages']) => ({
    webhooks: plan.webhooks.map((webhook, index) => (index === at ? { ...webhook, outages } : webhook)),
  });
  return [
    { faults: NO_FAULTS, only: undefined },
    ...plan.webhooks.map((_, at) => ({ webhooks: without(plan.webhooks, at) })),
    ...plan.webhooks.flatMap(({ outages }, at) =>
      outages.map((_, index) => withOutages(at, without(outages, index))),
    ),
    ...plan.operations.map((_, at) => ({ operations: without(plan.operations, at) })),
    { sources: 1 },
    { newGenerationMs: undefined },
    { clockSkewMs: 0 },
    { clockAhead: undefined },
    { eventsAtOnce: 1 },
    { endsOverdue: true },
    ...[1, 2, 3].map((groups) => ({ groups })),
  ];
}
