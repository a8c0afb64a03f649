import type { ServiceClock } from '../../../local/reference-service/control.ts';
import { type Instant, MILLISECOND } from '../../../shared/instant.ts';

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
