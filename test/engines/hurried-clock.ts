import { createSystemClock } from '../../functions/adapters/system-clock.ts';
import type { Clock } from '../../shared/ports.ts';

const TIMES_FASTER = 20;

/** The system's clock, with pauses of a twentieth of their length. */
export function createHurriedClock(): Clock {
  const clock = createSystemClock();
  return { ...clock, sleep: (durationMs, signal) => clock.sleep(durationMs / TIMES_FASTER, signal) };
}
