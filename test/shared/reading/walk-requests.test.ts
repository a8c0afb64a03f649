// What a baseline costs: requests beyond the least that there can be, one for each page.
import { describe, expect, it } from 'vitest';
import { storeOf, walk } from './model-walk.ts';
import { createWitness } from './witness.ts';

describe('a walk over all groups', () => {
  it.each(['created asc', 'created desc', 'shuffled'] as const)(
    'shows 20,000 sorted by %s, with a seventh more requests than pages at most',
    async (order) => {
      const list = storeOf(20_000, 100, order);
      const witness = createWitness(list, { maxPages: 160 });

      await walk(list, witness);

      expect(witness.seen.size).toBe(20_000);
      expect(list.requests).toBeLessThanOrEqual(1.15 * (20_000 / 100));
    },
  );

  it.each([50, 100])(
    'needs a tenth more requests than pages of %i, and a few to begin with',
    async (page) => {
      const list = storeOf(4_000, page, 'created asc');
      const witness = createWitness(list);

      await walk(list, witness);

      expect(witness.seen.size).toBe(4_000);
      expect(list.requests).toBeLessThanOrEqual((1.1 * 4_000) / page + 25);
    },
  );
});
