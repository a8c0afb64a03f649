import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createOrderedIndex } from '../../../../local/reference-service/store/ordered-index.ts';

const ROWS = 3_000;

interface Move {
  readonly row: number;
  readonly key: number;
}

const moves = fc.array(fc.record({ row: fc.nat(ROWS - 1), key: fc.oneof(fc.nat(20), fc.nat(100_000)) }), {
  maxLength: 300,
});

/** An index over similar keys, after rows were removed and reinserted with other keys. */
function indexAfter(
  list: readonly Move[],
  seed: number,
): { keys: number[]; index: ReturnType<typeof createOrderedIndex> } {
  const keys = Array.from({ length: ROWS }, (_, row) => ((row * 7_919 + seed) % 977) * 50);
  const index = createOrderedIndex((row) => keys[row] ?? 0, [...keys.keys()]);
  for (const { row, key } of list) {
    index.delete(row);
    keys[row] = key;
    index.add(row);
  }
  return { keys, index };
}

function sorted(keys: readonly number[]): number[] {
  return [...keys.keys()].sort((one, other) => (keys[one] ?? 0) - (keys[other] ?? 0) || one - other);
}

describe('an ordered index', () => {
  it('has the rows in the order of their keys, also after moves', () => {
    fc.assert(
      fc.property(moves, fc.nat(), (list, seed) => {
        const { keys, index } = indexAfter(list, seed);

        const rows = index.slice(0, ROWS);

        expect(index.size).toBe(ROWS);
        expect(rows).toEqual(sorted(keys));
      }),
      { numRuns: 40 },
    );
  });

  it('counts the rows below a key and returns any range', () => {
    fc.assert(
      fc.property(
        moves,
        fc.nat(),
        fc.nat(60_000),
        fc.nat(ROWS),
        fc.nat(50),
        (list, seed, key, from, length) => {
          const { keys, index } = indexAfter(list, seed);
          const expected = sorted(keys);

          const below = index.countBelow(key);

          expect(below).toBe(keys.filter((own) => own < key).length);
          expect(index.slice(from, from + length)).toEqual(expected.slice(from, from + length));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('can be emptied and filled again', () => {
    const index = createOrderedIndex((row) => -row, [0, 1, 2]);

    for (const row of [1, 0, 2]) index.delete(row);
    const empty = index.slice(0, 10);
    for (const row of [5, 7, 6]) index.add(row);

    expect(empty).toEqual([]);
    expect(index.slice(0, 10)).toEqual([7, 6, 5]);
  });
});
