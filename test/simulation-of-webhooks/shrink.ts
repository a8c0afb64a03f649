// Shrinks a run that breaks a guarantee: removes webhooks, troubles and faults as long as the run still breaks the same
// guarantee.
import { dropFaults } from '../simulation/drop-faults.ts';
import type { Violation } from './checker/evidence.ts';
import { NO_FAULTS, type Plan, type WebhookPlan } from './plan.ts';
import { type Run, simulate } from './simulate.ts';

/** The maximum number of runs. */
const MOST_RUNS = 200;

/** @returns the smallest run found; the given one if nothing can be left out */
export async function shrink(run: Run, guarantee: Violation['guarantee']): Promise<Run> {
  let best = run;
  let left = MOST_RUNS;

  async function attempt(plan: Plan): Promise<boolean> {
    if (left <= 0) return false;
    left -= 1;
    const tried = await simulate(plan);
    if (!tried.violations.some((violation) => violation.guarantee === guarantee)) return false;
    best = tried;
    return true;
  }

  for (let round = 0; round < 2; round += 1) {
    for (const simpler of simplerPlans(best.plan)) await attempt({ ...best.plan, ...simpler });
    for (const share of [0.5, 0.5, 0.7])
      await attempt({ ...best.plan, saves: Math.max(1, Math.floor(best.plan.saves * share)) });
    await dropFaults(() => best, attempt);
  }
  return best;
}

function simplerPlans(plan: Plan): Partial<Plan>[] {
  const without = <Of>(list: readonly Of[], at: number) => list.filter((_, index) => index !== at);
  const withTroubles = (at: number, troubles: WebhookPlan['troubles']) => ({
    webhooks: plan.webhooks.map((webhook, index) => (index === at ? { ...webhook, troubles } : webhook)),
  });
  return [
    { faults: NO_FAULTS, only: undefined },
    ...plan.webhooks.map((_, at) => ({ webhooks: without(plan.webhooks, at) })),
    ...plan.webhooks.flatMap(({ troubles }, at) =>
      troubles.map((_, index) => withTroubles(at, without(troubles, index))),
    ),
    ...plan.operations.map((_, at) => ({ operations: without(plan.operations, at) })),
    { sources: 1 },
    { newGenerationMs: undefined },
    { clockSkewMs: 0 },
    { eventsAtOnce: 1 },
    { endsOverdue: true },
    ...[1, 2, 3].map((groups) => ({ groups })),
  ];
}
