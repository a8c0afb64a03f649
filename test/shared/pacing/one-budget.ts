// A budget in virtual time, with its burst.
import { HOUR } from '../../../shared/instant.ts';
import { type BudgetOptions, createBudget, type Want } from '../../../shared/pacing/budget.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';
import { type BudgetStoreOptions, createBudgetStore } from './budget-world.ts';

/** The common part of 240 requests: 19 at once, then one each interval. */
export const INTERVAL = 367_817;
export const BURST = 19;
export const POLL: Want = { purpose: 'poll', expect: 1, deadline: HOUR };
export const RECONCILIATION: Want = { ...POLL, purpose: 'reconciliation' };

export function setUp(
  options: { readonly requestsPerMinute?: number; readonly store?: BudgetStoreOptions } = {},
) {
  const clock = createVirtualClock();
  const store = createBudgetStore(clock, options.store);
  const budgetOf = (changes: Partial<BudgetOptions> = {}) =>
    createBudget({
      budgets: store.seenBy(clock),
      clock,
      random: () => 0.5,
      tokenHash: 'a',
      requestsPerMinute: options.requestsPerMinute ?? 240,
      ...changes,
    });
  return { clock, store, budgetOf, budget: budgetOf() };
}

export async function times(count: number, work: () => Promise<void>): Promise<void> {
  for (let i = 0; i < count; i += 1) await work();
}
