// Budgets in memory. The store's time has whole seconds, like an answer's Date.
import { SECOND } from '../../shared/instant.ts';
import type { BudgetState, Budgets, Clock } from '../../shared/ports.ts';

/** @param clock the store's own clock, shared by all holders of a token */
export function createMemoryBudgets(clock: Pick<Clock, 'now'>): Budgets {
  const budgets = new Map<string, { readonly version: number; readonly state: BudgetState }>();
  return {
    async load(tokenHash) {
      const { version, state } = budgets.get(tokenHash) ?? { version: 0, state: undefined };
      return { version, state, storeTime: Math.floor(clock.now() / SECOND) * SECOND };
    },
    async save(tokenHash, state, expectedVersion) {
      if ((budgets.get(tokenHash)?.version ?? 0) !== expectedVersion) return 'conflict';
      budgets.set(tokenHash, { version: expectedVersion + 1, state });
      return 'saved';
    },
  };
}
