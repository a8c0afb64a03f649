// The time that a reference service lives in. It can be made to run ahead, whichever it is: a test need not know.

import { type Instant, MILLISECOND } from '../../shared/instant.ts';

export interface ServiceClock {
  now(): Instant;
  /** Makes so much time pass at once. */
  advance(durationMs: number): void;
}

/** The time of the system, to the microsecond, never going back. */
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

/** A time that stands still until it is advanced. */
export function createVirtualClock(startAt: Instant): ServiceClock {
  let now = startAt;
  return {
    now: () => now,
    advance: (durationMs) => {
      now += Math.round(durationMs * MILLISECOND);
    },
  };
}
