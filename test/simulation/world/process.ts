// A process of the feed on a machine of its own: it may end or freeze at any call, its clock may jump, and its machine may
// be suspended.
import { MILLISECOND, MINUTE, SECOND } from '../../../shared/instant.ts';
import type { MachineClock, VirtualClock } from '../../fakes/virtual-clock.ts';
import { createMortalProcess, type MortalProcess } from '../../simulation-frame/mortal-process.ts';
import type { Trace } from '../../simulation-frame/trace.ts';
import { CALLS, type CallName } from './calls.ts';
import type { Fate, Fates } from './fates.ts';

export interface SimulatedProcess extends MortalProcess<CallName> {
  /** Whether it is between two ticks. Then it must be idle. */
  isAtRest: boolean;
  /** Writes that began between ticks. */
  readonly strayWrites: readonly CallName[];
  /** Lets time pass that its elapsed clock does not count. */
  suspend(duration: number): void;
}

export interface ProcessOptions {
  readonly name: string;
  readonly time: VirtualClock;
  readonly machine: MachineClock;
  readonly fates: Fates;
  readonly trace: Trace;
}

/** Latencies of a store, in the unit of Instant. */
const SHORTEST = MILLISECOND;
const LONGEST = 12 * MILLISECOND;
export const SLOWEST: number = 20 * SECOND;
const LONGEST_FREEZE = 3 * MINUTE;
const LARGEST_JUMP = 5 * MINUTE;

export function createProcess({ name, time, machine, fates, trace }: ProcessOptions): SimulatedProcess {
  let frozenUntil = 0;
  let sleepsThrough = false;
  /** Shared by all calls that a freeze stops, so that their clock is stopped once. */
  let thawing: Promise<void> | undefined;
  const strayWrites: CallName[] = [];

  async function thaw(): Promise<void> {
    const since = time.elapsed();
    while (time.elapsed() < frozenUntil) await time.sleep((frozenUntil - time.elapsed()) / MILLISECOND);
    // Some machines count the time of a suspension, some do not.
    if (sleepsThrough) machine.suspend(time.elapsed() - since);
    thawing = undefined;
  }

  const mortal = createMortalProcess<CallName, Fate>({
    ...{ name, time, machine, trace },
    next(call) {
      if (process.isAtRest && CALLS[call] === 'write') strayWrites.push(call);
      const fated = fates.next(call);
      if (CALLS[call] === 'request') return { fated, before: 0 };
      const { fate, chance } = fated;
      const latency = SHORTEST + chance * LONGEST;
      return {
        fated,
        before: fate === 'slow' ? chance * SLOWEST : latency,
        after: chance < 0.25 ? latency : 0,
      };
    },
    suffer({ fate, chance }) {
      if (fate === 'clock-jump') machine.jump(Math.round((chance - 0.5) * 2 * LARGEST_JUMP));
      if (fate !== 'freeze') return;
      frozenUntil = time.elapsed() + SECOND + chance * LONGEST_FREEZE;
      sleepsThrough = chance * 1_000 - Math.floor(chance * 1_000) < 0.5;
    },
    thaw() {
      if (time.elapsed() < frozenUntil) thawing ??= thaw();
      return thawing;
    },
  });
  const process: SimulatedProcess = Object.assign(mortal, {
    isAtRest: false,
    strayWrites,
    suspend: machine.suspend,
  });
  return process;
}
