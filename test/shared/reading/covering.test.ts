import { describe, expect, it } from 'vitest';
import { coverRange } from '../../../shared/reading/cover-range.ts';
import { clampedTo } from './model-pages.ts';
import { createWitness } from './witness.ts';
import { openWorld } from './worlds.ts';

const QUIET = { hasUnstableTies: false, distinct: 100_000, giants: 0, oddRows: 0, unrest: 0, atOnce: 1 };

describe('a list with another order at each request', () => {
  it.each([15, 40, 150])('is proved for %i rows in pages of 20 while no row changes', async (rows) => {
    const world = { ...QUIET, seed: rows, order: 'random' as const, rows, pages: clampedTo(20) };
    const { list, range } = openWorld(world, 'updated');
    const witness = createWitness(list);

    const coverage = await coverRange(range, witness.reader);

    expect(coverage).toMatchObject({ outcome: 'proved' });
    expect(witness.missedOf(range)).toEqual([]);
    expect(list.requests).toBeLessThan(rows);
  });
});
