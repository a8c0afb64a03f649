import type { Clock } from '../../shared/ports.ts';

/** Pauses that can all be ended early, when there is new work. */
export interface BreakablePauses {
  pause(durationMs: number): Promise<void>;
  cutShort(): void;
  /** Ends all current and future pauses at once. */
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
      // One signal for each pause: listeners would pile up on a signal that lives as long as the process.
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
