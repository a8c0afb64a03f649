// A process that runs our code: with a clock that is wrong in its own way, a memory that is gone when it ends, and
// calls that may be its last. Everything that leaves it or comes back to it passes through `call`, which is what makes
// a crash possible before and after every call, and a pause with the answer at hand.
import { MILLISECOND, MINUTE, SECOND } from '../../../shared/instant.ts';
import type { Clock } from '../../../shared/ports.ts';
import type { MachineClock, VirtualClock } from '../../fakes/virtual-clock.ts';
import { CALLS, type CallName } from './calls.ts';
import type { Fated, Fates } from './fates.ts';
import type { Trace } from './trace.ts';

/** What goes wrong with a call on purpose, as the store or the network would have it. */
export class SimulatedFailure extends Error {
  override readonly name = 'SimulatedFailure';
}

export interface SimulatedProcess {
  readonly name: string;
  readonly clock: Clock;
  readonly isAlive: boolean;
  /** Resolves when the process has come to its end. */
  readonly ended: Promise<void>;
  kill(why: string): void;
  /** Whether it is between two ticks, when it has nothing to do. */
  isAtRest: boolean;
  /** Writes that began then. */
  readonly strayWrites: readonly CallName[];
  /** Time passed that its elapsed clock has not seen. */
  suspend(duration: number): void;
  /** How long its machine was suspended while its clock was set back by as much, so that nothing told of it. */
  readonly suspendedUnseen: number;
  call<Result>(call: CallName, effect: () => Result | Promise<Result>): Promise<Result>;
  /** Lets what has come back be looked at: when the process is not standing still, and never by a dead one. */
  awake(): Promise<void>;
  /** What is done to the process at a call, apart from the call itself. */
  suffer(fated: Fated): void;
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
/** Clocks that part by less from one answer of the service to the next tell nothing (service-clock.ts). */
const LEAST_PARTING = 2 * SECOND;

export function createProcess({ name, time, machine, fates, trace }: ProcessOptions): SimulatedProcess {
  let isAlive = true;
  let frozenUntil = 0;
  let sleepsThrough = false;
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const never = new Promise<never>(() => {});
  const strayWrites: CallName[] = [];

  let suspended = 0;
  let suspendedUnseen = 0;
  let atLastAnswer: { readonly lead: number; readonly suspended: number } | undefined;

  const sleep = (duration: number) => time.sleep(duration / MILLISECOND);

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
    while (time.elapsed() < frozenUntil) {
      const duration = frozenUntil - time.elapsed();
      await sleep(duration);
      // Some machines count the time that they were suspended, some do not.
      if (sleepsThrough && time.elapsed() >= frozenUntil) suspend(duration);
    }
  }

  const process: SimulatedProcess = {
    name,
    clock: {
      now: machine.now,
      elapsed: machine.elapsed,
      async sleep(durationMs, signal) {
        await machine.sleep(durationMs, signal);
        await process.awake();
      },
    },
    get isAlive() {
      return isAlive;
    },
    ended,
    isAtRest: false,
    strayWrites,
    kill(why) {
      if (!isAlive) return;
      isAlive = false;
      trace.note(name, `ends: ${why}`);
      end();
    },
    suspend,
    get suspendedUnseen() {
      return suspendedUnseen;
    },
    async awake() {
      if (time.elapsed() < frozenUntil) await thaw();
      if (!isAlive) await never;
    },
    suffer({ fate, chance }) {
      if (fate === 'clock-jump') machine.jump(Math.round((chance - 0.5) * 2 * LARGEST_JUMP));
      if (fate !== 'freeze') return;
      frozenUntil = time.elapsed() + SECOND + chance * LONGEST_FREEZE;
      sleepsThrough = chance * 1_000 - Math.floor(chance * 1_000) < 0.5;
    },
    async call(call, effect) {
      if (!isAlive) return never;
      if (process.isAtRest && CALLS[call] === 'write') strayWrites.push(call);
      const fated = fates.next(call);
      const { fate, chance } = fated;
      trace.note(name, call, () => fate ?? '');
      trace.count(`call ${call}`);
      if (fate !== undefined) trace.count(`${fate} ${call}`);
      if (fate === 'crash-before') {
        process.kill(fated.id);
        return never;
      }
      const latency = CALLS[call] === 'request' ? 0 : SHORTEST + chance * LONGEST;
      if (latency > 0) await sleep(fate === 'slow' ? chance * SLOWEST : latency);
      if (fate === 'fail') {
        await process.awake();
        throw new SimulatedFailure(`${fated.id} failed`);
      }
      if (fate === 'twice') {
        await effect();
        await sleep(latency);
      }
      const result = await effect();
      if (fate === 'crash-after') process.kill(fated.id);
      if (fate !== undefined) process.suffer(fated);
      if (latency > 0 && chance < 0.25) await sleep(latency);
      await process.awake();
      if (CALLS[call] === 'request') noteAnswer();
      if (fate === 'lost') throw new SimulatedFailure(`${fated.id} was not answered in time`);
      return result;
    },
  };
  return process;
}
