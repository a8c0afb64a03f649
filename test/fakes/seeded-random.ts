/** Numbers that look random and follow from the seed (mulberry32). */
export interface SeededRandom {
  /** From 0 to below 1. */
  next(): number;
  /** An integer from 0 to the bound, inclusive. */
  upTo(bound: number): number;
  chance(probability: number): boolean;
}

export function createSeededRandom(seed: number): SeededRandom {
  let state = seed | 0;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    upTo: (bound) => Math.floor(next() * (bound + 1)),
    chance: (probability) => next() < probability,
  };
}
