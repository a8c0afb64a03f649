import { setTimeout as sleep } from 'node:timers/promises';

/** Waits, or until the signal ends the waiting. */
export async function untilAborted(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal }).catch(() => {});
}
