// The time of the store that holds the budget, between two bounds. Its answers give it in whole seconds, cut off. Each
// answer bounds it from both sides by the moments of sending and receiving; the best bounds of several answers hold,
// carried on by the elapsed time. The local time is used only if it runs ahead of the elapsed time (a suspended
// machine): the upper bound then moves with it.
import { type Instant, SECOND } from '../instant.ts';

/** One answer of the store. */
export interface StoreAnswer {
  readonly storeTime: Instant;
  /** By {@link Clock.elapsed}. */
  readonly sentElapsed: number;
  readonly receivedElapsed: number;
  /** By {@link Clock.now}. */
  readonly receivedNow: Instant;
}

export interface StoreClock {
  /** The least and the most that the store's time is ahead of the elapsed time. */
  readonly lower: number;
  readonly upper: number;
  /** When the last answer was received. */
  readonly elapsed: number;
  /** How far the local time was ahead of the elapsed time then. */
  readonly localLead: number;
}

export interface StoreReading {
  readonly clock: StoreClock;
  /**
   * How far the store's time jumped against the elapsed time since the last answer: below 0 if back, 0 if not at all.
   */
  readonly jump: number;
}

/** Machine clocks drift by at most half of this; bounds widen by it, as a share of the time passed. */
const DRIFT = 0.001;
/** The store's time comes without its fraction. */
const STORE_TIME_PRECISION = SECOND;

export function readStoreClock(known: StoreClock | undefined, answer: StoreAnswer): StoreReading {
  const localLead = answer.receivedNow - answer.receivedElapsed;
  const answered: StoreClock = {
    lower: answer.storeTime - answer.receivedElapsed,
    upper: answer.storeTime + STORE_TIME_PRECISION - answer.sentElapsed,
    elapsed: answer.receivedElapsed,
    localLead,
  };
  if (known === undefined) return { clock: answered, jump: 0 };
  const doubt = Math.ceil((answered.elapsed - known.elapsed) * DRIFT);
  const lower = Math.max(answered.lower, known.lower - doubt);
  const upper = Math.min(answered.upper, known.upper + doubt);
  if (lower <= upper) return { clock: { ...answered, lower, upper }, jump: 0 };
  // The two contradict each other, and all holders see the newer one from now on.
  return { clock: answered, jump: answered.lower - known.lower };
}

/** A time that the store's clock has reached. */
export function storeAtLeast(clock: StoreClock, elapsed: number): Instant {
  return clock.lower + elapsed;
}

/** A time that the store's clock has not passed, unless time passed that neither local clock saw. */
export function storeAtMost(clock: StoreClock, elapsed: number, now: Instant): Instant {
  return clock.upper + elapsed + Math.max(0, now - elapsed - clock.localLead);
}
