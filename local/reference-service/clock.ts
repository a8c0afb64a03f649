// The reference service's clock. It can be advanced, as the virtual one of tests can.

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
