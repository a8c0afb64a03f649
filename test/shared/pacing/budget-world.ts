// A store that holds budgets, and machines that use it, all in virtual time. The store tells its time as HTTP does,
// in whole seconds; every call takes its time, and some fail with or without having taken effect.
import { type Instant, SECOND } from '../../../shared/instant.ts';
import type { BudgetState, Budgets, Clock } from '../../../shared/ports.ts';
import type { VirtualClock } from '../../fakes/virtual-clock.ts';

export interface BudgetStore {
  /** As one machine sees it. */
  seenBy(machine: Clock): Budgets;
  state(): BudgetState | undefined;
  put(state: BudgetState): void;
  /** Sets its clock forward or back. */
  jump(by: number): void;
  /** How often each was called. */
  readonly calls: { loads: number; saves: number; conflicts: number };
}

export interface BudgetStoreOptions {
  /** How long one way to the store takes, for each call anew. @default at once */
  readonly latencyMs?: () => number;
  /** Whether a save fails, and how. @default never */
  readonly fault?: () => 'lost' | 'done' | undefined;
  /** Whether it tells its own time or leaves it to the machine's clock. @default true */
  readonly hasClock?: boolean;
}

export function createBudgetStore(clock: VirtualClock, options: BudgetStoreOptions = {}): BudgetStore {
  const { latencyMs = () => 0, fault = () => undefined, hasClock = true } = options;
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
        const answer = { version: 0, state: undefined, ...stored };
        const told = ownTime();
        await way();
        return { ...answer, storeTime: hasClock ? told : machine.now() };
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
