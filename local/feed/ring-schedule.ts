// Rings of returns on one machine, instead of a queue per webhook: a return is handled by one sender at a time, and
// comes again after the pause that the sender asks for. A return is kept once, however many of its events rang: a queue
// would keep a message for each event of a dead endpoint. Nothing is stored, because each start rings for every return
// beyond its mark.
import { setMaxListeners } from 'node:events';
import type { Clock } from '../../shared/ports.ts';
import { formatGroupKey } from '../../shared/recording/group-key.ts';
import type { Ring, RingOutcome } from '../../shared/webhooks/webhook-sender.ts';

export interface RingScheduleOptions {
  readonly send: (ring: Ring) => Promise<RingOutcome>;
  readonly clock: Clock;
  /** How many returns are handled at the same time. */
  readonly atOnce: number;
  readonly onError: (error: unknown) => void;
}

/** Returns that wait for a sender, after which a sweep waits for them: it would take the time of their posts. */
const MOST_WAITING = 200;
const LOOK_EVERY_MS = 20;
/** A ring that failed for a reason of this machine comes again after this. */
const AFTER_ERROR_MS = 5_000;

export function createRingSchedule({ send, clock, atOnce, onError }: RingScheduleOptions) {
  const stopping = new AbortController();
  // Each pause listens; many returns may pause, and Node would take that for a leak.
  setMaxListeners(0, stopping.signal);
  /** Waiting for a sender, in the order of their rings. */
  const ready = new Map<string, Ring>();
  /** Rang again while a sender handled them. */
  const again = new Map<string, Ring>();
  const running = new Map<string, Promise<void>>();
  const pausing = new Map<string, Ring>();
  /** Those among these that were not tried: the endpoint tries few retries at once. */
  const untried = new Set<string>();
  /** Paused since they were last done. */
  const retries = new Set<string>();
  /** Failed after `finish` was called. */
  const failed = new Map<string, Ring>();
  let isFinishing = false;

  function ring(ring: Ring): void {
    const name = formatGroupKey(ring.key);
    if (running.has(name)) again.set(name, ring);
    // An earlier event of the return fails; this one is posted after it.
    else if (!pausing.has(name)) ready.set(name, ready.get(name) ?? ring);
    startNext();
  }

  function startNext(): void {
    for (const [name, next] of ready) {
      if (running.size >= atOnce || stopping.signal.aborted) return;
      ready.delete(name);
      running.set(name, handle(name, next));
    }
  }

  async function handle(name: string, current: Ring): Promise<void> {
    const outcome = await send(current).catch((error: unknown): RingOutcome => {
      onError(error);
      return { isDone: false, retryInMs: AFTER_ERROR_MS, failingForMs: undefined };
    });
    running.delete(name);
    const next = again.get(name);
    again.delete(name);
    failed.delete(name);
    const wasTried = outcome.isDone || outcome.failingForMs !== undefined;
    if (wasTried && retries.has(name)) wakeUntried();
    if (outcome.isDone) retries.delete(name);
    if (!outcome.isDone && isFinishing && wasTried) failed.set(name, current);
    else if (!outcome.isDone) pause(name, current, outcome.retryInMs, wasTried);
    else if (next !== undefined) ready.set(name, next);
    startNext();
  }

  /** A retry that has ended leaves its place to one that found none: that one need not wait for its pause as well. */
  function wakeUntried(): void {
    const [name] = untried;
    if (name !== undefined) endPause(name);
  }

  function endPause(name: string): void {
    const paused = pausing.get(name);
    pausing.delete(name);
    untried.delete(name);
    if (paused !== undefined) ready.set(name, paused);
  }

  function pause(name: string, paused: Ring, pauseMs: number, wasTried: boolean): void {
    pausing.set(name, paused);
    retries.add(name);
    if (!wasTried) untried.add(name);
    if (isFinishing) return;
    void clock.sleep(pauseMs, stopping.signal).then(() => {
      if (pausing.get(name) !== paused || isFinishing || stopping.signal.aborted) return;
      endPause(name);
      startNext();
    });
  }

  /** Ends the pauses: of all returns if the endpoint works again, or of those that are chosen. */
  async function wake(chooses: (paused: Ring) => Promise<boolean> = async () => true): Promise<void> {
    for (const [name, paused] of [...pausing]) {
      if ((await chooses(paused)) && pausing.get(name) === paused) endPause(name);
    }
    startNext();
  }

  async function untilQuiet(): Promise<void> {
    while (running.size > 0) await Promise.all(running.values());
  }

  return {
    ring,
    wake,
    /** Whether returns wait for a sender. */
    hasWaiting: () => ready.size > 0,
    /** Resolves once few returns wait for a sender, or the schedule is stopped. */
    async untilFewWait(): Promise<void> {
      while (ready.size >= MOST_WAITING && !stopping.signal.aborted)
        await clock.sleep(LOOK_EVERY_MS, stopping.signal);
    },
    /** Tries the waiting returns without their pauses, until a round frees none; resolves with those still not done. */
    async finish(): Promise<Ring[]> {
      isFinishing = true;
      // The endpoint's state may delay some returns until others are done.
      for (let delayed = Number.POSITIVE_INFINITY; ; delayed = pausing.size) {
        await wake();
        await untilQuiet();
        if (pausing.size === 0 || pausing.size >= delayed) return [...failed.values(), ...pausing.values()];
      }
    },
    /** Ends the pauses. Resolves once no sender runs. */
    async stop(): Promise<void> {
      stopping.abort();
      await untilQuiet();
    },
  };
}
