// The costs of a baseline: requests beyond the minimum of one for each page.
import { describe, expect, it } from 'vitest';
import { storeOf, walk } from './model-walk.ts';
import { createWitness } from './witness.ts';

describe('a walk over all groups', () => {
  it.each(['created asc', 'created desc', 'shuffled'] as const)(
    'shows 20,000 groups sorted by %s, with at most a seventh more requests than pages',
    async (order) => {
      const list = storeOf(20_000, 100, order);
      const witness = createWitness(list, { maxPages: 160 });

      await walk(list, witness);

      expect(witness.seen.size).toBe(20_000);
      expect(list.requests).toBeLessThanOrEqual(1.15 * (20_000 / 100));
    },
  );

  it.each([50, 100])(
    'needs at most a tenth more requests than pages of %i, plus a few at the start',
    async (page) => {
      const list = storeOf(4_000, page, 'created asc');
      const witness = createWitness(list);

      await walk(list, witness);

      expect(witness.seen.size).toBe(4_000);
      expect(list.requests).toBeLessThanOrEqual((1.1 * 4_000) / page + 25);
    },
  );
});
