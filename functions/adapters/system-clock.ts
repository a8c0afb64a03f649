// The clock of this machine. The time has whole milliseconds: Node offers no more.
import { setTimeout as sleep } from 'node:timers/promises';
import { MILLISECOND } from '../../shared/instant.ts';
import type { Clock } from '../../shared/ports.ts';

export function createSystemClock(): Clock {
  return {
    now: () => Date.now() * MILLISECOND,
    elapsed: () => Math.round(performance.now() * MILLISECOND),
    sleep: (durationMs, signal) => sleep(durationMs, undefined, { signal }).catch(() => {}),
  };
}
