// Sends the ticks of one source on this machine, each with its slot, and returns their reports.

import { isSlotTooFarAhead } from '../../shared/tick/slot-ahead.ts';
import type { TickReport } from '../../shared/tick/tick-report.ts';

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
  let waiting: PromiseWithResolvers<TickReport> | undefined;
  return {
    async send() {
      lastSlot = slotAfter(lastSlot, now());
      waiting = withResolvers<TickReport>();
      const { promise } = waiting;
      await enqueue(JSON.stringify({ source, slot: lastSlot }));
      return promise;
    },
    done: (report) => waiting?.resolve(report),
    failed: (error) => waiting?.reject(error),
  };
}

/**
 * A slot after the last one: the poller drops a tick with an earlier slot. If the last slot is too far ahead, the local
 * time, which the poller then accepts.
 */
function slotAfter(last: number, now: number): number {
  return isSlotTooFarAhead(last, now) ? now : Math.max(now, last + 1);
}

interface PromiseWithResolvers<Value> {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value) => void;
  readonly reject: (error: unknown) => void;
}

/** Promise.withResolvers, which Node 20 does not have. */
function withResolvers<Value>(): PromiseWithResolvers<Value> {
  let resolve: (value: Value) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<Value>((fulfil, rejectPromise) => {
    resolve = fulfil;
    reject = rejectPromise;
  });
  return { promise, resolve, reject };
}
