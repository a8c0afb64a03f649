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
  /** The time that its machine was suspended undetectably, because its clock was set back by the same time. */
  suspendedUnseen(): number;
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
const SLOWEST = 20 * SECOND;
const LONGEST_FREEZE = 3 * MINUTE;
const LARGEST_JUMP = 5 * MINUTE;
/** The feed ignores smaller differences of clocks between two answers of the service (service-clock.ts). */
const LEAST_PARTING = 2 * SECOND;

export function createProcess({ name, time, machine, fates, trace }: ProcessOptions): SimulatedProcess {
  let frozenUntil = 0;
  let sleepsThrough = false;
  /** Shared by all calls that a freeze stops, so that their clock is stopped once. */
  let thawing: Promise<void> | undefined;
  let suspended = 0;
  let suspendedUnseen = 0;
  let atLastAnswer: { readonly lead: number; readonly suspended: number } | undefined;
  const strayWrites: CallName[] = [];

  function suspend(duration: number): void {
    suspended += duration;
    machine.suspend(duration);
  }

  function noteAnswer(): void {
    const lead = machine.now() - machine.elapsed();
    const before = atLastAnswer ?? { lead, suspended };
    if (Math.abs(lead - before.lead) <= LEAST_PARTING) suspendedUnseen += suspended - before.suspended;
    atLastAnswer = { lead, suspended };
  }

  async function thaw(): Promise<void> {
    const since = time.elapsed();
    while (time.elapsed() < frozenUntil) await time.sleep((frozenUntil - time.elapsed()) / MILLISECOND);
    // Some machines count the time of a suspension, some do not.
    if (sleepsThrough) suspend(time.elapsed() - since);
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
    answered(call) {
      if (CALLS[call] === 'request') noteAnswer();
    },
  });
  const process: SimulatedProcess = Object.assign(mortal, {
    isAtRest: false,
    strayWrites,
    suspend,
    suspendedUnseen: () => suspendedUnseen,
  });
  return process;
}
