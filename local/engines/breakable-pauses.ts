import type { Clock } from '../../shared/ports.ts';

/** Pauses that can be cut short, all at once, when something has happened that they need not be waited for. */
export interface BreakablePauses {
  pause(durationMs: number): Promise<void>;
  cutShort(): void;
  /** Cuts short what goes on and whatever comes. */
  close(): void;
}

export function createBreakablePauses(clock: Clock): BreakablePauses {
  const running = new Set<AbortController>();
  let closed = false;

  function cutShort(): void {
    for (const pausing of running) pausing.abort();
  }

  return {
    async pause(durationMs) {
      if (closed) return;
      // A signal for each: listeners on one that lives as long as the process would pile up.
      const pausing = new AbortController();
      running.add(pausing);
      await clock.sleep(durationMs, pausing.signal);
      running.delete(pausing);
    },
    cutShort,
    close() {
      closed = true;
      cutShort();
    },
  };
}
