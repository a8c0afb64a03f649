import type { KnownStates } from './known-states.ts';
import type { ReaderClock } from './paced-client.ts';

/** A reader of the service under measurement. */
export interface Reader {
  readonly name: string;
  readonly token: string;
  readonly learnt: KnownStates['learnt'];
  /** Whether it knows what was there at the start without having said so. */
  readonly knewTheStart: boolean;
  /** The process that does its work; undefined if the bench's own process does. */
  readonly pid: number | undefined;
  hasReadAll(): boolean;
  /** The reason why it does not work; undefined if it does. */
  failure(): string | undefined;
  stop(): Promise<void>;
}

/** A reader that reads when it is told to. */
export interface PollingReader extends Pick<KnownStates, 'learnt'> {
  poll(): Promise<void>;
}

/** Polls at even times, and at once if the last poll took longer. */
export function startPolling(
  reader: PollingReader,
  { name, token, everyMs, clock }: { name: string; token: string; everyMs: number; clock: ReaderClock },
): Reader {
  let polls = 0;
  let isStopped = false;
  let error: unknown;

  async function run(): Promise<void> {
    let next = clock.now();
    while (!isStopped) {
      await reader.poll();
      polls += 1;
      next = Math.max(next + everyMs, clock.now());
      while (!isStopped && clock.now() < next) await clock.sleep(Math.min(next - clock.now(), 100));
    }
  }
  const running = run().catch((thrown) => {
    if (!isStopped) error = thrown;
  });

  return {
    name,
    token,
    learnt: reader.learnt,
    knewTheStart: false,
    pid: undefined,
    hasReadAll: () => polls > 0,
    failure: () => (error === undefined ? undefined : String(error)),
    async stop() {
      isStopped = true;
      await running;
    },
  };
}
