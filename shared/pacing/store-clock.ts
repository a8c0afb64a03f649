// The time of the store that holds the budget, between two bounds. Its answers tell it in whole seconds, cut off;
// each answer bounds it from both sides by the moments of its sending and receiving, and the best bounds of several
// answers hold, carried on by the time that elapsed here. The local time is never asked what time it is; only when
// it runs ahead of the elapsed time (a machine that was suspended) the upper bound goes with it.
import { type Instant, SECOND } from '../instant.ts';

/** What one answer of the store told. */
export interface StoreAnswer {
  readonly storeTime: Instant;
  /** By {@link Clock.elapsed}. */
  readonly sentElapsed: number;
  readonly receivedElapsed: number;
  /** By {@link Clock.now}. */
  readonly receivedNow: Instant;
}

export interface StoreClock {
  /** Least and most that the store's time is ahead of the elapsed time. */
  readonly lower: number;
  readonly upper: number;
  /** When the last answer was received. */
  readonly elapsed: number;
  /** How far the local time was ahead of the elapsed time then. */
  readonly lead: number;
}

export interface StoreReading {
  readonly clock: StoreClock;
  /** How far the store's time jumped against the elapsed time since the answer before, below 0 if back, else 0. */
  readonly jump: number;
}

/** Clocks of machines are off by at most half of this; bounds grow old by it, in parts of the time passed. */
const DRIFT = 0.001;
/** The store's time is told without its fraction. */
const TOLD_TO = SECOND;

export function readStoreClock(known: StoreClock | undefined, answer: StoreAnswer): StoreReading {
  const lead = answer.receivedNow - answer.receivedElapsed;
  const told: StoreClock = {
    lower: answer.storeTime - answer.receivedElapsed,
    upper: answer.storeTime + TOLD_TO - answer.sentElapsed,
    elapsed: answer.receivedElapsed,
    lead,
  };
  if (known === undefined) return { clock: told, jump: 0 };
  const doubt = Math.ceil((told.elapsed - known.elapsed) * DRIFT);
  const lower = Math.max(told.lower, known.lower - doubt);
  const upper = Math.min(told.upper, known.upper + doubt);
  if (lower <= upper) return { clock: { ...told, lower, upper }, jump: 0 };
  // The two can't both be true, and the newer is what all holders see from now on.
  return { clock: told, jump: told.lower - known.lower };
}

/** A time that the store's clock has reached. */
export function storeAtLeast(clock: StoreClock, elapsed: number): Instant {
  return clock.lower + elapsed;
}

/** A time that the store's clock has not passed, unless time passed that neither local clock saw. */
export function storeAtMost(clock: StoreClock, elapsed: number, now: Instant): Instant {
  return clock.upper + elapsed + Math.max(0, now - elapsed - clock.lead);
}
