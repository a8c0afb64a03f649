// The fate of each call through a port. Calls are counted by name, and the seed alone decides the fate of the n-th call
// of a name. Faults can therefore be removed one by one while the others stay, which is how a failure is shrunk.
import { mix } from '../../../local/reference-service/store/seeded-random.ts';
import type { FaultRates, Plan } from '../plan.ts';

export type Fate = 'crash-before' | 'crash-after' | 'fail' | 'lost' | 'slow' | 'freeze';
export type CallKind = 'read' | 'write' | 'request';

export interface Fated {
  readonly fate: Fate | undefined;
  /** Identifies this call within the run. */
  readonly id: string;
  /** This call's own number, from 0 to below 1, for durations. */
  readonly chance: number;
}

export interface Fates {
  next(call: string, kind: CallKind): Fated;
  /** Whether a fault with its own rate happens this time. */
  happens(name: string, rate: keyof FaultRates): boolean;
  /** Ends all faults. */
  calm(): void;
  /** The ids of the calls with a fault, in order. */
  readonly struck: readonly string[];
}

const DYING: readonly (readonly [Fate, keyof FaultRates, number])[] = [
  ['crash-before', 'crash', 0.5],
  ['crash-after', 'crash', 0.5],
  ['freeze', 'freeze', 1],
];

const FATES: Record<CallKind, readonly (readonly [Fate, keyof FaultRates, number])[]> = {
  // The receiver makes the faults on the way to it.
  request: DYING,
  read: [...DYING, ['fail', 'fail', 1], ['slow', 'slow', 1]],
  write: [...DYING, ['fail', 'fail', 1], ['slow', 'slow', 1], ['lost', 'lost', 1]],
};

export function createFates({ seed, faults, only }: Plan): Fates {
  const counts = new Map<string, { seed: number; count: number }>();
  const allowed = only && new Set(only);
  const struck: string[] = [];
  let isCalm = false;

  function draw(name: string): { id: string; at: number } {
    let known = counts.get(name);
    if (known === undefined) {
      known = { seed: mix(seed, hashOf(name)), count: 0 };
      counts.set(name, known);
    }
    known.count += 1;
    return { id: `${name}#${known.count}`, at: mix(known.seed, known.count) };
  }

  const fractionOf = (at: number, purpose: number) => mix(at, purpose) / 4_294_967_296;
  const isSpared = (id: string) => isCalm || (allowed !== undefined && !allowed.has(id));

  return {
    next(call, kind) {
      const { id, at } = draw(call);
      const chance = fractionOf(at, 2);
      if (isSpared(id)) return { fate: undefined, id, chance };
      let left = fractionOf(at, 1);
      for (const [fate, rate, share] of FATES[kind]) {
        left -= faults[rate] * share;
        if (left >= 0) continue;
        struck.push(id);
        return { fate, id, chance };
      }
      return { fate: undefined, id, chance };
    },
    happens(name, rate) {
      if (faults[rate] === 0) return false;
      const { id, at } = draw(name);
      const happens = !isSpared(id) && fractionOf(at, 1) < faults[rate];
      if (happens) struck.push(id);
      return happens;
    },
    calm() {
      isCalm = true;
    },
    struck,
  };
}

export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
