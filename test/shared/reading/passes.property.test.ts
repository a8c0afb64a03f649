import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { coverRange } from '../../../shared/reading/cover-range.ts';
import { readPass } from '../../../shared/reading/read-pass.ts';
import { runs } from '../../property-runs.ts';
import { createWitness } from './witness.ts';
import { ALL_ORDERS, openWorld, rowsLeave, worlds } from './worlds.ts';

/** Far more requests than any of these lists needs; more of them count as endless reading. */
const MOST_REQUESTS = 2_500;

for (const axis of ['updated', 'created'] as const) {
  describe(`a closed range by ${axis} time`, () => {
    it('has shown every row that stayed once a pass over a stable order is complete, even if rows left', async () => {
      let complete = 0;
      const property = fc.asyncProperty(worlds(), async (world) => {
        const { list, range } = openWorld(world, axis);
        const witness = createWitness(list);
        rowsLeave(list, world, axis === 'created' ? 0 : 0.3);

        const pass = await readPass(range, witness.reader);

        if (pass.outcome === 'complete') complete += 1;
        if (pass.outcome === 'complete') expect(witness.missedOf(range)).toEqual([]);
        expect(list.requests).toBeLessThan(MOST_REQUESTS);
      });
      await fc.assert(property, { numRuns: runs(200) });

      expect(complete).toBeGreaterThan(runs(60));
    });

    it('has shown every row that stayed once it is proved, in every order', async () => {
      let proved = 0;
      const property = fc.asyncProperty(worlds(ALL_ORDERS), async (world) => {
        const { list, range } = openWorld(world, axis);
        const witness = createWitness(list);
        rowsLeave(list, world, axis === 'created' ? 0 : 0.3);

        const coverage = await coverRange(range, witness.reader);

        if (coverage.outcome === 'proved') proved += 1;
        if (coverage.outcome === 'proved') expect(witness.missedOf(range)).toEqual([]);
        expect(list.requests).toBeLessThan(MOST_REQUESTS);
      });
      await fc.assert(property, { numRuns: runs(60) });

      expect(proved).toBeGreaterThan(runs(20));
    });
  });
}
