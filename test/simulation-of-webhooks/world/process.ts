// A process that runs the feed's code. Its clock has an error of its own, it loses its memory when it ends, and it may
// end at any call. A frozen process continues later, when others have taken over.
import { MILLISECOND, MINUTE, SECOND } from '../../../shared/instant.ts';
import type { Clock } from '../../../shared/ports.ts';
import type { MachineClock, VirtualClock } from '../../fakes/virtual-clock.ts';
import type { Trace } from '../../simulation/world/trace.ts';
import type { CallKind, Fates } from './fates.ts';

/** An injected fault, as the tables or the network would throw it. */
export class SimulatedFailure extends Error {
  override readonly name = 'SimulatedFailure';
}

export interface SimulatedProcess {
  readonly name: string;
  readonly clock: Clock;
  readonly isAlive: boolean;
  /** Resolves when the process ends. */
  readonly ended: Promise<void>;
  /** Its calls that met a fault. */
  readonly faults: number;
  /** Its calls that threw because of a fault, with or without an effect. */
  readonly thrown: number;
  kill(why: string): void;
  call<Result>(call: string, kind: CallKind, effect: () => Result | Promise<Result>): Promise<Result>;
}

export interface ProcessOptions {
  readonly name: string;
  readonly time: VirtualClock;
  readonly machine: MachineClock;
  readonly fates: Fates;
  readonly trace: Trace;
  /** The share of calls that take time. */
  readonly latency: number;
}

const SHORTEST = 2 * MILLISECOND;
const LONGEST = 10 * MILLISECOND;
const SLOWEST = 20 * SECOND;
const LONGEST_FREEZE = 5 * MINUTE;

export function createProcess({
  name,
  time,
  machine,
  fates,
  trace,
  latency,
}: ProcessOptions): SimulatedProcess {
  let isAlive = true;
  let frozenUntil = 0;
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const never = new Promise<never>(() => {});
  const sleep = (duration: number) => time.sleep(duration / MILLISECOND);
  let faults = 0;
  let thrown = 0;

  async function awake(): Promise<void> {
    while (time.elapsed() < frozenUntil) await sleep(frozenUntil - time.elapsed());
    if (!isAlive) await never;
  }

  const process: SimulatedProcess = {
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
    get faults() {
      return faults;
    },
    get thrown() {
      return thrown;
    },
    ended,
    kill(why) {
      if (!isAlive) return;
      isAlive = false;
      trace.note(name, `ends: ${why}`);
      end();
    },
    async call(call, kind, effect) {
      if (!isAlive) return never;
      const { fate, id, chance } = fates.next(call, kind);
      trace.note(name, call, () => fate ?? '');
      trace.count(`call ${call}`);
      if (fate !== undefined) {
        faults += 1;
        trace.count(`${fate} ${call}`);
      }
      if (fate === 'crash-before') {
        process.kill(id);
        return never;
      }
      const takesTime = kind !== 'request' && (fate === 'slow' || chance <= latency);
      if (takesTime) await sleep(fate === 'slow' ? chance * SLOWEST : SHORTEST + chance * LONGEST);
      if (fate === 'fail') {
        await awake();
        thrown += 1;
        throw new SimulatedFailure(`${id} failed`);
      }
      const result = await effect();
      if (fate === 'crash-after') process.kill(id);
      if (fate === 'freeze') frozenUntil = time.elapsed() + SECOND + chance * LONGEST_FREEZE;
      await awake();
      if (fate !== 'lost') return result;
      thrown += 1;
      throw new SimulatedFailure(`${id} was not answered in time`);
    },
  };
  return process;
}
