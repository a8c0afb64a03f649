/** Pseudo-random numbers from a seed (mulberry32). */
export interface Random {
  /** In [0, 1). */
  next(): number;
  /** An integer; both bounds are included. */
  between(least: number, most: number): number;
  pick<Value>(values: readonly Value[]): Value;
  chance(share: number): boolean;
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));

  return {
    next,
    between,
    pick: (values) => values[between(0, values.length - 1)]!,
    chance: (share) => next() < share,
  };
}
