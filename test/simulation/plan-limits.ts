// Limits that unusual plans put on what was drawn, so that a run has room for their case.
import type { Knobs } from '../../local/reference-service/knobs.ts';
import type { FaultRates, Plan } from './plan.ts';

/** Limits the faults that end a tick or part of it: a range takes hundreds of calls, and restarts when cut off. */
export function atMost(most: number, faults: FaultRates): Partial<FaultRates> {
  const names = ['crash', 'fail', 'lost', 'slow', 'freeze'] as const;
  return Object.fromEntries(names.map((name) => [name, Math.min(faults[name], most)]));
}

/** A clock that is set while `Date` is wrong dates a walk by the error (guarantees.md, "Where they end"). */
export function clockJumpOf({ faults, knobs }: Pick<Plan, 'faults' | 'knobs'>): number {
  return knobs.dateSkewSeconds === undefined ? faults.clockJump : 0;
}

export function withStableOrder({ order, ...knobs }: Partial<Knobs>): Partial<Knobs> {
  const isStable = order !== undefined && order !== 'random' && order !== 'shuffled' && order !== 'heap';
  return isStable ? { ...knobs, order } : knobs;
}

export function withoutRemovals({
  removals,
  groupRemovals,
  reappearances,
  ...knobs
}: Partial<Knobs>): Partial<Knobs> {
  return knobs;
}

/** Without the knobs that make pages or requests scarce, so that only limitMax decides how many rows a page has. */
export function withSteadyLimits({
  pageBytes,
  rateLimit,
  limitChanges,
  ...knobs
}: Partial<Knobs>): Partial<Knobs> {
  return knobs;
}

/** Whether stamps name their zone. */
export function namesZone({ stampForm = 'Z' }: Pick<Plan['knobs'], 'stampForm'>): boolean {
  return !stampForm.startsWith('none');
}
