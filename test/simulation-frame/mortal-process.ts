// A process that runs the feed's code. Any call may be its last, it loses its memory when it ends, and a frozen process
// goes on later, after others have taken over. Its input and output pass through `call`, so it can crash before and after
// every call, and freeze after an answer arrived.
import { MILLISECOND } from '../../shared/instant.ts';
import type { Clock } from '../../shared/ports.ts';
import type { MachineClock, VirtualClock } from '../fakes/virtual-clock.ts';
import type { Drawn } from './drawn-fates.ts';
import type { Trace } from './trace.ts';

/** An injected fault, like an error of the store or the network. */
export class SimulatedFailure extends Error {
  override readonly name = 'SimulatedFailure';
}

export interface MortalProcess<Call extends string> {
  readonly name: string;
  readonly clock: Clock;
  readonly isAlive: boolean;
  /** Resolves when the process ends. */
  readonly ended: Promise<void>;
  /** The number of its calls that met a fault. */
  readonly faults: number;
  /** The number of them that threw, with or without an effect. */
  readonly thrown: number;
  kill(why: string): void;
  /** Resolves when the process is not frozen; never for a dead one. */
  awake(): Promise<void>;
  call<Result>(call: Call, effect: () => Result | Promise<Result>): Promise<Result>;
}

/** The fate of one call, and its time before and after its effect, in the unit of Instant. */
export interface Course<Fate> {
  readonly fated: Drawn<Fate>;
  readonly before: number;
  readonly after?: number;
}

export interface MortalProcessOptions<Call extends string, Fate extends string> {
  readonly name: string;
  readonly time: VirtualClock;
  readonly machine: MachineClock;
  readonly trace: Trace;
  /** Draws the course of the next call. */
  next(call: Call): Course<Fate>;
  /** Applies a fate to the process itself, after the call's effect: from then on it is frozen, for example. */
  suffer(fated: Drawn<Fate>): void;
  /** Resolves at the end of the freeze; undefined if the process is not frozen, so that its calls go on at once. */
  thaw(): Promise<void> | undefined;
  /** Called when a call has its answer, which may be lost. */
  answered?(call: Call): void;
}

type CommonFate = 'crash-before' | 'crash-after' | 'fail' | 'lost' | 'twice';

export function createMortalProcess<Call extends string, Fate extends string>(
  options: MortalProcessOptions<Call, Fate | CommonFate>,
): MortalProcess<Call> {
  const { name, time, machine, trace } = options;
  let isAlive = true;
  let faults = 0;
  let thrown = 0;
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const never = new Promise<never>(() => {});

  const sleep = (duration: number) => time.sleep(duration / MILLISECOND);

  async function awake(): Promise<void> {
    const thawed = options.thaw();
    if (thawed !== undefined) await thawed;
    if (!isAlive) await never;
  }

  function kill(why: string): void {
    if (!isAlive) return;
    isAlive = false;
    trace.note(name, `ends: ${why}`);
    end();
  }

  function fail(message: string): never {
    thrown += 1;
    throw new SimulatedFailure(message);
  }

  return {
    name,
    clock: {
      now: machine.now,
      elapsed: machine.elapsed,
      async sleep(durationMs, signal) {
        await machine.sleep(durationMs, signal);
        await awake();
      },
    },
    get isAlive() {
      return isAlive;
    },
    ended,
    get faults() {
      return faults;
    },
    get thrown() {
      return thrown;
    },
    kill,
    awake,
    async call<Result>(call: Call, effect: () => Result | Promise<Result>) {
      if (!isAlive) return never;
      const { fated, before, after = 0 } = options.next(call);
      const { fate, id } = fated;
      trace.note(name, call, () => fate ?? '');
      trace.count(`call ${call}`);
      if (fate !== undefined) {
        faults += 1;
        trace.count(`${fate} ${call}`);
      }
      if (fate === 'crash-before') {
        kill(id);
        return never;
      }
      if (before > 0) await sleep(before);
      if (fate === 'fail') {
        await awake();
        return fail(`${id} failed`);
      }
      let result: Awaited<Result>;
      try {
        if (fate === 'twice') {
          await effect();
          await sleep(before);
        }
        result = await effect();
      } catch (error) {
        // An error reaches a process no sooner than an answer: a frozen one when it thaws, a dead one never.
        await awake();
        throw error;
      }
      if (fate === 'crash-after') kill(id);
      if (fate !== undefined) options.suffer(fated);
      if (after > 0) await sleep(after);
      await awake();
      options.answered?.(call);
      return fate === 'lost' ? fail(`${id} was not answered in time`) : result;
    },
  };
}
