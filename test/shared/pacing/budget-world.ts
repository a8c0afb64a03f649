// A store of budgets and machines that use it, in virtual time. The store returns its time in whole seconds, like HTTP.
// Calls take time, and some fail before or after they take effect.
import { type Instant, SECOND } from '../../../shared/instant.ts';
import type { BudgetState, Budgets, Clock } from '../../../shared/ports.ts';
import type { VirtualClock } from '../../fakes/virtual-clock.ts';

export interface BudgetStore {
  /** The store for one machine. */
  seenBy(machine: Clock): Budgets;
  state(): BudgetState | undefined;
  put(state: BudgetState): void;
  /** Sets the store's clock forward or back. */
  jump(by: number): void;
  /** The number of calls and of conflicts. */
  readonly calls: { loads: number; saves: number; conflicts: number };
}

export interface BudgetStoreOptions {
  /** The time of one way to the store, in ms, for each call anew. @default none */
  readonly latencyMs?: () => number;
  /** Whether a save fails, and how. @default never */
  readonly fault?: () => 'lost' | 'done' | undefined;
  /** Whether a load fails. @default never */
  readonly failsToLoad?: () => boolean;
  /** Whether the store returns its own time instead of the machine's. @default true */
  readonly hasClock?: boolean;
}

export function createBudgetStore(clock: VirtualClock, options: BudgetStoreOptions = {}): BudgetStore {
  const { latencyMs = () => 0, fault = () => undefined, failsToLoad, hasClock = true } = options;
  let stored: { version: number; state: BudgetState } | undefined;
  let ahead = 0;
  const calls = { loads: 0, saves: 0, conflicts: 0 };
  const way = async () => {
    const duration = latencyMs();
    if (duration > 0) await clock.sleep(duration);
  };
  const ownTime = (): Instant => Math.floor((clock.now() + ahead) / SECOND) * SECOND;

  return {
    seenBy: (machine) => ({
      async load() {
        calls.loads += 1;
        await way();
        if (failsToLoad?.() === true) throw new Error('The load was lost on its way.');
        const answer = { version: 0, state: undefined, ...stored };
        const storeTime = ownTime();
        await way();
        return { ...answer, storeTime: hasClock ? storeTime : machine.now() };
      },
      async save(_tokenHash, state, expectedVersion) {
        calls.saves += 1;
        await way();
        const failing = fault();
        if (failing === 'lost') throw new Error('The save was lost on its way.');
        const isCurrent = (stored?.version ?? 0) === expectedVersion;
        if (isCurrent) stored = { version: expectedVersion + 1, state };
        else calls.conflicts += 1;
        await way();
        if (failing === 'done') throw new Error('The answer to the save was lost on its way.');
        return isCurrent ? 'saved' : 'conflict';
      },
    }),
    state: () => stored?.state,
    put(state) {
      stored = { version: (stored?.version ?? 0) + 1, state };
    },
    jump(by) {
      ahead += by;
    },
    calls,
  };
}
