// Hands the events over to this process's output, each group's in order. It is the same relay as in AWS; its mark moves
// once an event is written. One group is never relayed twice at once, so no event is written twice.
import type { Clock, Destination, GroupKey } from '../../shared/ports.ts';
import type { RelayPorts } from '../../shared/publishing/lane.ts';
import { createRelay, type Relay } from '../../shared/publishing/relay.ts';
import type { StepOverPorts } from '../../shared/publishing/step-over.ts';
import { sweepLedger } from '../../shared/publishing/sweep.ts';
import { formatGroupKey } from '../../shared/recording/group-key.ts';

export interface OutputRelay {
  /** Hands over the unsent events of these groups. Returns at once. */
  wake(groups: readonly GroupKey[]): void;
  /** Tries the groups again that stopped at an event: an operator may have skipped it. */
  retryStopped(): void;
  /** Hands over what an earlier process left unsent. Rejects if the relay is stopped meanwhile. */
  sweep(): Promise<void>;
  /** Resolves once everything that was named is handed over, or has stopped. */
  idle(): Promise<void>;
  /** Resolves when the running hand-over has ended. */
  stop(): Promise<void>;
}

export type OutputRelayPorts = RelayPorts & StepOverPorts & { readonly destination: Destination };

/** Groups of one run: a group that is named during a run waits for its end. */
const GROUPS_AT_ONCE = 100;
const RUN_MS = 30_000;
const SWEEP_MS = 600_000;
/** Events that a kill repeats at most: a mark costs as much as an event. */
const MAX_UNMARKED = 100;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;

export function createOutputRelay(ports: OutputRelayPorts): OutputRelay {
  const stopping = new AbortController();
  const { signal } = stopping;
  const relay = createRelay({
    ...ports,
    maxUnmarked: MAX_UNMARKED,
    log: { ...ports.log, error: (...entry) => signal.aborted || ports.log.error(...entry) },
    destination: {
      ...ports.destination,
      async send(events) {
        signal.throwIfAborted();
        return ports.destination.send(events);
      },
    },
  });
  /** Named and not yet taken, in this order. */
  const named = new Map<string, GroupKey>();
  const stopped = new Map<string, GroupKey>();
  let running: Promise<void> | undefined;
  let sweeping: Promise<unknown> = Promise.resolve();
  let relaying: Promise<unknown> = Promise.resolve();

  const oneAtATime: Relay = (groups, timeLeftMs) => {
    const outcomes = relaying.then(() => relay(groups, timeLeftMs));
    relaying = outcomes;
    return outcomes;
  };

  /** @returns whether all groups of the run are sent as far as possible */
  async function run(): Promise<boolean> {
    const taken = [...named].slice(0, GROUPS_AT_ONCE);
    for (const [name] of taken) named.delete(name);
    const keys = taken.map(([, key]) => key);
    const outcomes = await oneAtATime(keys, RUN_MS);
    for (const [index, [name, key]] of taken.entries()) {
      const state = outcomes[index]?.state;
      if (state === 'failed') named.set(name, key);
      if (state === 'behind') stopped.set(name, key);
      else stopped.delete(name);
    }
    return outcomes.every(({ state }) => state !== 'failed');
  }

  async function runAll(): Promise<void> {
    for (let failures = 0; named.size > 0 && !signal.aborted; ) {
      failures = (await run()) ? 0 : failures + 1;
      const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1));
      if (failures > 0) await ports.clock.sleep(pauseMs, signal);
    }
    running = undefined;
  }

  function wake(groups: readonly GroupKey[]): void {
    for (const key of groups) named.set(formatGroupKey(key), key);
    if (named.size > 0 && !signal.aborted) running ??= runAll();
  }

  return {
    wake,
    retryStopped: () => wake([...stopped.values()]),
    sweep() {
      const untilStopped: Relay = async (groups, timeLeftMs) => {
        signal.throwIfAborted();
        return oneAtATime(groups, timeLeftMs);
      };
      const swept = sweepLedger({ ...ports, clock: withoutPauses(ports.clock) }, untilStopped, SWEEP_MS);
      sweeping = swept.catch(() => {});
      return swept.then(() => {});
    },
    async idle() {
      await sweeping;
      while (running !== undefined) await running;
    },
    async stop() {
      stopping.abort();
      await sweeping;
      await running;
    },
  };
}

/** Numbers that are missing here are lost: a transaction of these stores shows all of its events, or none. */
export function withoutPauses(clock: Clock): Clock {
  return { ...clock, sleep: async () => {} };
}
