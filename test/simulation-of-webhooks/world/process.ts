// A process of a relay or a webhook: it may end or freeze at any call. Most of its calls take no time, because a run lasts
// for virtual weeks.
import { MILLISECOND, MINUTE, SECOND } from '../../../shared/instant.ts';
import type { MachineClock, VirtualClock } from '../../fakes/virtual-clock.ts';
import { createMortalProcess, type MortalProcess } from '../../simulation-frame/mortal-process.ts';
import type { Trace } from '../../simulation-frame/trace.ts';
import { CALLS, type CallName, type Fate, type Fates } from './fates.ts';

export type SimulatedProcess = MortalProcess<CallName>;

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

export function createProcess({ fates, latency, ...parts }: ProcessOptions): SimulatedProcess {
  const { time } = parts;
  let frozenUntil = 0;

  async function thaw(): Promise<void> {
    while (time.elapsed() < frozenUntil) await time.sleep((frozenUntil - time.elapsed()) / MILLISECOND);
  }

  return createMortalProcess<CallName, Fate>({
    ...parts,
    next(call) {
      const fated = fates.next(call);
      const { fate, chance } = fated;
      if (CALLS[call] === 'request') return { fated, before: 0 };
      if (fate === 'slow') return { fated, before: chance * SLOWEST };
      return { fated, before: chance <= latency ? SHORTEST + chance * LONGEST : 0 };
    },
    suffer({ fate, chance }) {
      if (fate === 'freeze') frozenUntil = time.elapsed() + SECOND + chance * LONGEST_FREEZE;
    },
    thaw: () => (time.elapsed() < frozenUntil ? thaw() : undefined),
  });
}
