import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/** Waits this long, or until the signal is aborted. */
export async function untilAborted(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal }).catch(() => {});
}

/** Waits until the signal is aborted. */
export async function whenAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

/** @param moment in milliseconds since the epoch */
export function untilMoment(moment: number, signal: AbortSignal): Promise<void> {
  return untilAborted(Math.max(0, moment - Date.now()), signal);
}
