// A relay on this machine. In AWS the ledger's stream names the groups with new events; here the process that writes
// the events names them, so that a relay need not poll and begins at once. It treats them as Lambda treats a stream's
// records: in order, a bounded number at a time, and again until they are sent.

import type { Clock, GroupKey } from '../../shared/ports.ts';
import type { RelayPorts } from '../../shared/publishing/lane.ts';
import { createRelay, type Relay } from '../../shared/publishing/relay.ts';
import type { StepOverPorts } from '../../shared/publishing/step-over.ts';
import { sweepLedger } from '../../shared/publishing/sweep.ts';
import { formatGroupKey } from '../../shared/recording/group-key.ts';
import {
  type EventSourceMapping,
  pauseAfter,
  stoppedBeforeIdle,
} from '../../test/engines/event-source-mapping.ts';

/** Groups of one run: a group that is named during a run waits for its end. */
const GROUPS_AT_ONCE = 100;
const RELAY_MS = 30_000;
const SWEEP_MS = 600_000;

export interface LocalRelay extends EventSourceMapping {
  /** Sends the unsent events of these groups. Returns at once. */
  wake(groups: readonly GroupKey[]): void;
  /** Sends what was left unsent by an earlier process. Rejects if the relay is stopped meanwhile. */
  sweep(): Promise<void>;
}

export type LocalRelayPorts = RelayPorts & StepOverPorts;

/** Starts a relay that sends the events of the groups that {@link LocalRelay.wake} names. */
export function startLocalRelay(ports: LocalRelayPorts): LocalRelay {
  const relay = createRelay(ports);
  const stopping = new AbortController();
  /** Named and not yet taken, in this order. */
  const named = new Map<string, GroupKey>();
  let running: Promise<void> | undefined;
  let sweeping: Promise<unknown> | undefined;

  /** @returns whether all groups of the run are sent as far as possible */
  async function run(): Promise<boolean> {
    const taken = [...named].slice(0, GROUPS_AT_ONCE);
    for (const [name] of taken) named.delete(name);
    const outcomes = await relay(
      taken.map(([, key]) => key),
      RELAY_MS,
    );
    const failed = taken.filter((_, index) => outcomes[index]?.state === 'failed');
    for (const [name, key] of failed) named.set(name, key);
    return failed.length === 0;
  }

  async function runAll(): Promise<void> {
    for (let failures = 0; named.size > 0 && !stopping.signal.aborted; ) {
      failures = (await run()) ? 0 : failures + 1;
      if (failures > 0) await ports.clock.sleep(pauseAfter(failures), stopping.signal);
    }
    running = undefined;
  }

  return {
    wake(groups) {
      for (const key of groups) named.set(formatGroupKey(key), key);
      if (named.size > 0 && !stopping.signal.aborted) running ??= runAll();
    },
    async idle() {
      while (running !== undefined && !stopping.signal.aborted) await running;
      if (stopping.signal.aborted) throw stoppedBeforeIdle();
    },
    async stop() {
      stopping.abort();
      await running;
      await sweeping?.catch(() => undefined);
    },
    async sweep() {
      const { signal } = stopping;
      const clock: Clock = { ...ports.clock, sleep: (durationMs) => ports.clock.sleep(durationMs, signal) };
      const untilStopped: Relay = async (groups, timeLeftMs) => {
        if (signal.aborted) throw stoppedBeforeIdle();
        return relay(groups, timeLeftMs);
      };
      sweeping = sweepLedger({ ...ports, clock }, untilStopped, SWEEP_MS);
      await sweeping;
    },
  };
}
