// The only source of randomness in the reference service, so that a seed always gives the same store, changes and
// faults. `mix` turns coordinates (seed, row, purpose) into a seed of their own: a group's details can be made at any
// time and in any order with the same result.

import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

export interface Random {
  /** A fraction in [0, 1). */
  fraction(): number;
  /** An integer in [0, bound). */
  below(bound: number): number;
  /** True with the given probability. */
  chance(share: number): boolean;
  /** One of the list; the list must not be empty. */
  pick<T>(list: readonly T[]): T;
  /** Shuffles the list in place. */
  shuffle<T>(list: T[]): T[];
}

export function createRandom(seed: number): Random {
  const generator = xoroshiro128plus(mix(seed));
  // Discard the first outputs of this generator: they resemble the seed.
  for (let skipped = 0; skipped < 4; skipped += 1) generator.next();

  const fraction = () => (generator.next() >>> 0) / 4_294_967_296;
  const below = (bound: number) => Math.floor(fraction() * bound);

  return {
    fraction,
    below,
    chance: (share) => share > 0 && fraction() < share,
    pick: (list) => {
      if (list.length === 0) throw new RangeError('nothing to pick from');
      return list[below(list.length)] as (typeof list)[number];
    },
    shuffle: (list) => {
      for (let last = list.length - 1; last > 0; last -= 1) {
        const other = below(last + 1);
        const moved = list[last] as (typeof list)[number];
        list[last] = list[other] as (typeof list)[number];
        list[other] = moved;
      }
      return list;
    },
  };
}

/** A 32-bit hash of integers (murmur3's mixing), evenly spread even for neighbouring input. */
export function mix(...parts: readonly number[]): number {
  let hash = 0x9e3779b9;
  for (const part of parts) {
    hash = Math.imul(hash ^ part, 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13) ^ Math.floor(part / 4_294_967_296), 0xc2b2ae35);
    hash ^= hash >>> 16;
  }
  return hash >>> 0;
}
