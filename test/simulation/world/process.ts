// A process that runs the feed's code. Its clock has an error of its own, it loses its memory when it ends, and it may end
// at any call. Its input and output pass through `call`, so it can crash before and after every call, and freeze after an
// answer arrived.
import { MILLISECOND, MINUTE, SECOND } from '../../../shared/instant.ts';
import type { Clock } from '../../../shared/ports.ts';
import type { MachineClock, VirtualClock } from '../../fakes/virtual-clock.ts';
import { CALLS, type CallName } from './calls.ts';
import type { Fated, Fates } from './fates.ts';
import type { Trace } from './trace.ts';

/** An injected fault, like an error of the store or the network. */
export class SimulatedFailure extends Error {
  override readonly name = 'SimulatedFailure';
}

export interface SimulatedProcess {
  readonly name: string;
  readonly clock: Clock;
  readonly isAlive: boolean;
  /** Resolves when the process ends. */
  readonly ended: Promise<void>;
  kill(why: string): void;
  /** Whether it is between two ticks. Then it must be idle. */
  isAtRest: boolean;
  /** Writes that began between ticks. */
  readonly strayWrites: readonly CallName[];
  /** Lets time pass that its elapsed clock does not count. */
  suspend(duration: number): void;
  /** The time that its machine was suspended undetectably, because its clock was set back by the same time. */
  readonly suspendedUnseen: number;
  call<Result>(call: CallName, effect: () => Result | Promise<Result>): Promise<Result>;
  /** Resolves when the process is not frozen; never for a dead one. */
  awake(): Promise<void>;
  /** Applies a fate to the process itself, apart from the call. */
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
/** The feed ignores smaller differences of clocks between two answers of the service (service-clock.ts). */
const LEAST_PARTING = 2 * SECOND;

export function createProcess({ name, time, machine, fates, trace }: ProcessOptions): SimulatedProcess {
  let isAlive = true;
  let frozenUntil = 0;
  let sleepsThrough = false;
  /** Shared by all calls that a freeze stops, so that their clock is stopped once. */
  let thawing: Promise<void> | undefined;
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
    const since = time.elapsed();
    while (time.elapsed() < frozenUntil) await sleep(frozenUntil - time.elapsed());
    // Some machines count the time of a suspension, some do not.
    if (sleepsThrough) suspend(time.elapsed() - since);
    thawing = undefined;
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
      if (time.elapsed() < frozenUntil) thawing ??= thaw();
      await thawing;
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
