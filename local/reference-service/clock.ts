// The reference service's clock: the system's or a virtual one. Both can be advanced, so that tests work with either.

import { type Instant, MILLISECOND } from '../../shared/instant.ts';

export interface ServiceClock {
  now(): Instant;
  /** Moves the time forward immediately. */
  advance(durationMs: number): void;
}

/** The system's time, to the microsecond; it never goes back. */
export function createSystemClock(): ServiceClock {
  const startedAt = Date.now() - performance.now();
  let skippedMs = 0;
  return {
    now: () => Math.floor((startedAt + performance.now() + skippedMs) * MILLISECOND),
    advance: (durationMs) => {
      skippedMs += durationMs;
    },
  };
}

/** A time that only moves when it is advanced. */
export function createVirtualClock(startAt: Instant): ServiceClock {
  let now = startAt;
  return {
    now: () => now,
    advance: (durationMs) => {
      now += Math.round(durationMs * MILLISECOND);
    },
  };
}
