// The state of a token's budget as its holders share it: read, changed, and written back if nobody else has written in
// between, else tried again. Each read also gives the store's time, the one clock that all holders share.
//
// This holder never forgets a later state that it has seen. If the store's clock jumps forward, that state moves along:
// a jump must not count as time passed.
import type { Instant } from '../instant.ts';
import type { BudgetState, Budgets, Clock } from '../ports.ts';
import { UNUSED_BUDGET } from './budget-state.ts';
import { BudgetUnavailable } from './errors.ts';
import { readStoreClock, type StoreClock, storeAtLeast, storeAtMost } from './store-clock.ts';

/** Lost writes in a row; each loss means that another holder won. */
const MAX_CONFLICTS = 20;
const SHORTEST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 500;
/** Before the first answer: nothing is booked with it. */
const UNREAD: StoreClock = { lower: 0, upper: 0, elapsed: 0, localLead: 0 };

export interface StoredBudget {
  /** A time that the store's clock has reached. Meaningless before the first update. */
  atLeast(elapsed?: number): Instant;
  /** A time that it has not passed. Meaningless before the first update. */
  atMost(): Instant;
  /** The end of the pause: the later of the one last seen in the store and the one that this holder keeps to. */
  pausedUntil(): Instant;
  /** Makes this holder keep to a pause even if the store can be neither read nor written. */
  keepPause(until: Instant): void;
  /**
   * Changes the state. `change` is called for each try; if it returns the state it was given, nothing is written,
   * unless the stored state is behind what this holder has seen. Its errors end the update.
   *
   * @throws {BudgetUnavailable} if other holders always were faster; and any error of the store
   */
  update<Change extends { readonly state: BudgetState }>(
    change: (state: BudgetState) => Change,
  ): Promise<Change>;
}

export interface StoredBudgetOptions {
  readonly budgets: Budgets;
  readonly clock: Clock;
  /** From 0 to below 1. */
  readonly random: () => number;
  readonly tokenHash: string;
}

export function createStoredBudget(options: StoredBudgetOptions): StoredBudget {
  const { budgets, clock, random, tokenHash } = options;
  let store: StoreClock | undefined;
  let seen = UNUSED_BUDGET;

  async function load(): Promise<{ readonly version: number; readonly stored: BudgetState }> {
    const sentElapsed = clock.elapsed();
    const { version, state, storeTime } = await budgets.load(tokenHash);
    const answer = { storeTime, sentElapsed, receivedElapsed: clock.elapsed(), receivedNow: clock.now() };
    const reading = readStoreClock(store, answer);
    store = reading.clock;
    // A clock that has gone back makes the seen state impossible.
    seen = reading.jump < 0 ? UNUSED_BUDGET : movedBy(seen, Math.ceil(reading.jump));
    return { version, stored: state ?? UNUSED_BUDGET };
  }

  return {
    atLeast: (elapsed = clock.elapsed()) => Math.floor(storeAtLeast(store ?? UNREAD, elapsed)),
    atMost: () => Math.ceil(storeAtMost(store ?? UNREAD, clock.elapsed(), clock.now())),
    pausedUntil: () => seen.pausedUntil,
    keepPause(until) {
      seen = { ...seen, pausedUntil: Math.max(seen.pausedUntil, until) };
    },
    async update(change) {
      for (let conflicts = 1; ; conflicts += 1) {
        const { version, stored } = await load();
        seen = laterOf(stored, seen);
        const changed = change(seen);
        const isSaved =
          changed.state === stored || (await budgets.save(tokenHash, changed.state, version)) === 'saved';
        if (isSaved) {
          seen = changed.state;
          return changed;
        }
        if (conflicts === MAX_CONFLICTS) {
          throw new BudgetUnavailable(
            `Others changed the budget ${MAX_CONFLICTS} times in a row. The next tick tries again.`,
          );
        }
        await clock.sleep(conflictPauseMs(conflicts, random()));
      }
    },
  };
}

/** Full jitter, so that holders that collided once do not collide again. */
function conflictPauseMs(conflicts: number, random: number): number {
  return Math.floor(random * Math.min(LONGEST_PAUSE_MS, SHORTEST_PAUSE_MS * 2 ** (conflicts - 1)));
}

function movedBy(state: BudgetState, jump: number): BudgetState {
  return {
    ...state,
    theoreticalArrival: state.theoreticalArrival + jump,
    reservedArrival: state.reservedArrival + jump,
    pausedUntil: state.pausedUntil + jump,
  };
}

/** The later of both states; the stored object itself if it is not behind. */
function laterOf(stored: BudgetState, seen: BudgetState): BudgetState {
  const isBehind =
    stored.theoreticalArrival < seen.theoreticalArrival ||
    stored.reservedArrival < seen.reservedArrival ||
    stored.pausedUntil < seen.pausedUntil;
  if (!isBehind) return stored;
  return {
    ...stored,
    theoreticalArrival: Math.max(stored.theoreticalArrival, seen.theoreticalArrival),
    reservedArrival: Math.max(stored.reservedArrival, seen.reservedArrival),
    pausedUntil: Math.max(stored.pausedUntil, seen.pausedUntil),
    reach: Math.max(stored.reach, seen.reach),
  };
}
