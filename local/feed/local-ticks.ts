// Sends the ticks of one source on this machine, each with its slot, and returns their reports.
import { isSlotTooFarAhead } from '../../shared/lanes/start-tick.ts';
import type { TickReport } from '../../shared/lanes/tick-report.ts';

export interface LocalTicksOptions {
  readonly source: string;
  /** The slot of the last tick of an earlier process, 0 before the first. */
  readonly lastSlot: number;
  /** The local time, in milliseconds since the epoch. */
  readonly now: () => number;
  /** Sends the body of a tick's message. */
  readonly enqueue: (body: string) => Promise<unknown>;
}

export interface LocalTicks {
  /** Sends a tick. Resolves with its report, rejects with its error. */
  send(): Promise<TickReport>;
  done(report: TickReport): void;
  failed(error: unknown): void;
}

export function createLocalTicks({ source, now, enqueue, ...options }: LocalTicksOptions): LocalTicks {
  let { lastSlot } = options;
  let done: LocalTicks['done'] = () => {};
  let failed: LocalTicks['failed'] = () => {};
  return {
    send: () =>
      new Promise((resolve, reject) => {
        [done, failed] = [resolve, reject];
        lastSlot = slotAfter(lastSlot, now());
        enqueue(JSON.stringify({ source, slot: lastSlot })).catch(reject);
      }),
    done: (report) => done(report),
    failed: (error) => failed(error),
  };
}

/**
 * A slot after the last one: the poller drops a tick with an earlier slot. If the last slot is too far ahead, the local
 * time, which the poller then accepts.
 */
function slotAfter(last: number, now: number): number {
  return isSlotTooFarAhead(last, now) ? now : Math.max(now, last + 1);
}
