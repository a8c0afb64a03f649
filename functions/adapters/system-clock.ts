// The clock of this machine. The time has whole milliseconds: Node offers no more.
import { MILLISECOND } from '../../shared/instant.ts';
import type { Clock } from '../../shared/ports.ts';

export function createSystemClock(): Clock {
  return {
    now: () => Date.now() * MILLISECOND,
    elapsed: () => Math.round(performance.now() * MILLISECOND),
    sleep: (durationMs, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        const wake = () => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', wake);
          resolve();
        };
        const timer = setTimeout(wake, durationMs);
        signal?.addEventListener('abort', wake, { once: true });
      }),
  };
}
