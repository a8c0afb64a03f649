// Shrinks a run that breaks a guarantee, while it still breaks the same one: simplifies its plan, then drops faults. The
// violation needs the rest.
import { dropFaults, type FaultyRun } from './drop-faults.ts';

interface CheckedRun<Plan> extends FaultyRun<Plan> {
  readonly violations: readonly { readonly guarantee: string }[];
}

/** @returns whether the plan breaks the guarantee too; then it is the current one */
export type Attempt<Plan> = (plan: Plan) => Promise<boolean>;

export interface Shrinking<Plan, Run> {
  simulate(plan: Plan): Promise<Run>;
  /** Attempts simpler plans, one after the other. */
  simplify(current: () => Plan, attempt: Attempt<Plan>): Promise<void>;
  readonly mostRuns: number;
  readonly mostRounds: number;
}

/** @returns the smallest run found; the given one if nothing can be removed */
export async function shrinkRun<Plan extends object, Run extends CheckedRun<Plan>>(
  run: Run,
  guarantee: string,
  { simulate, simplify, mostRuns, mostRounds }: Shrinking<Plan, Run>,
): Promise<Run> {
  let best = run;
  let left = mostRuns;

  async function attempt(plan: Plan): Promise<boolean> {
    if (left <= 0) return false;
    left -= 1;
    const tried = await simulate(plan);
    if (!tried.violations.some((violation) => violation.guarantee === guarantee)) return false;
    best = tried;
    return true;
  }

  for (let round = 0; round < mostRounds; round += 1) {
    const before = JSON.stringify(best.plan);
    await simplify(() => best.plan, attempt);
    await dropFaults(() => best, attempt);
    if (JSON.stringify(best.plan) === before) break;
  }
  return best;
}
