import type { Change } from './measure.ts';
import type { ReaderClock } from './paced-client.ts';

/** A reader of the service under measurement. */
export interface Reader {
  readonly name: string;
  readonly token: string;
  readonly learnt: readonly Change[];
  /** The process that does its work; undefined if the bench's own process does. */
  readonly pid: number | undefined;
  hasReadAll(): boolean;
  /** The reason why it does not work; undefined if it does. */
  failure(): string | undefined;
  stop(): Promise<void>;
}

export interface Polling {
  readonly poll: () => Promise<void>;
  readonly everyMs: number;
  readonly clock: ReaderClock;
}

/** Polls at regular times, or immediately if the last poll took longer. */
export function startPolling({
  poll,
  everyMs,
  clock,
}: Polling): Pick<Reader, 'hasReadAll' | 'failure' | 'stop'> {
  let polls = 0;
  let isStopped = false;
  let error: unknown;

  async function run(): Promise<void> {
    let next = clock.now();
    while (!isStopped) {
      await poll();
      polls += 1;
      next = Math.max(next + everyMs, clock.now());
      while (!isStopped && clock.now() < next) await clock.sleep(Math.min(next - clock.now(), 100));
    }
  }
  const running = run().catch((thrown) => {
    if (!isStopped) error = thrown;
  });

  return {
    hasReadAll: () => polls > 0,
    failure: () => (error === undefined ? undefined : String(error)),
    async stop() {
      isStopped = true;
      await running;
    },
  };
}
