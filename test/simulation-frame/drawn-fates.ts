// The fate of each call through a port. Calls are counted by name, and the seed alone decides the fate of the n-th call
// of a name. Faults can therefore be removed one by one while the others stay, which is how a failure is shrunk.
import { mix } from '../../local/reference-service/store/seeded-random.ts';

export interface Drawn<Fate> {
  readonly fate: Fate | undefined;
  /** Identifies this call within the run. */
  readonly id: string;
  /** This call's own number, from 0 to below 1, for durations and amounts. */
  readonly chance: number;
}

/** The fates that a call may have, each with its rate and the share of that rate that applies. */
export type Chances<Fate, Rate> = readonly (readonly [Fate, Rate, number])[];

export interface DrawnFates<Rate> {
  /** @param oftener factor of the rates */
  next<Fate>(call: string, chances: Chances<Fate, Rate>, oftener?: number): Drawn<Fate>;
  /** Returns whether a fault with its own rate happens this time. */
  happens(name: string, rate: Rate): boolean;
  /** Ends all faults. */
  calm(): void;
  isCalm(): boolean;
  /** The ids of the calls with a fault, in order. */
  readonly struck: readonly string[];
  /** The count of each fault with its own rate. */
  readonly happened: ReadonlyMap<string, number>;
}

export interface FaultPlan<Rate extends string> {
  readonly seed: number;
  readonly faults: Readonly<Record<Rate, number>>;
  /** The faults that may happen, by id; undefined for all. */
  readonly only?: readonly string[] | undefined;
}

export function drawFates<Rate extends string>({ seed, faults, only }: FaultPlan<Rate>): DrawnFates<Rate> {
  const counts = new Map<string, { seed: number; count: number }>();
  const allowed = only && new Set(only);
  const struck: string[] = [];
  const happened = new Map<string, number>();
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
    next(call, chances, oftener = 1) {
      const { id, at } = draw(call);
      const chance = fractionOf(at, 2);
      if (isSpared(id)) return { fate: undefined, id, chance };
      let left = fractionOf(at, 1);
      for (const [fate, rate, share] of chances) {
        left -= faults[rate] * share * oftener;
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
      if (!happens) return false;
      struck.push(id);
      happened.set(name, (happened.get(name) ?? 0) + 1);
      return true;
    },
    calm() {
      isCalm = true;
    },
    isCalm: () => isCalm,
    struck,
    happened,
  };
}

export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
