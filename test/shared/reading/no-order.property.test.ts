// R5 for a range that can't be cut: rows that were all created and changed at once, in an order that changes with each
// request, while some of them leave. All rows of a proved range were seen; an unproved range is not covered.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DAY, HOUR, SECOND } from '../../../shared/instant.ts';
import { coverRange } from '../../../shared/reading/cover-range.ts';
import { runs } from '../../property-runs.ts';
import { createModelList } from './model-list.ts';
import { clampedTo } from './model-pages.ts';
import { createWitness } from './witness.ts';
import { NOON, rowsLeave } from './worlds.ts';

const CROWDED_AT = NOON - HOUR;

const crowds = fc.record({
  seed: fc.integer(),
  rows: fc.integer({ min: 0, max: 80 }),
  page: fc.integer({ min: 5, max: 20 }),
  unrest: fc.constantFrom(0, 0.05, 0.3),
  atOnce: fc.integer({ min: 1, max: 3 }),
});

it('a crowd without an order is proved only if every row that stayed was seen', async () => {
  const outcomes = { proved: 0, unproved: 0, overlong: 0 };
  const property = fc.asyncProperty(crowds, async ({ rows, page, unrest, atOnce, seed }) => {
    const list = createModelList({ seed, now: NOON, order: 'random', pages: clampedTo(page) });
    for (let count = 0; count < rows; count += 1) {
      list.add({ createdAt: CROWDED_AT - DAY, updatedAt: CROWDED_AT });
    }
    const range = { updated: { from: CROWDED_AT - SECOND, to: CROWDED_AT + SECOND } };
    const witness = createWitness(list);
    rowsLeave(list, { unrest, atOnce });

    const { outcome, through } = await coverRange(range, witness.reader);

    outcomes[outcome] += 1;
    const covered = { updated: { from: range.updated.from, to: through } };
    expect(witness.missedOf(covered)).toEqual([]);
    expect(list.requests).toBeLessThan(2_500);
  });

  await fc.assert(property, { numRuns: runs(100) });

  expect(outcomes.proved).toBeGreaterThan(runs(40));
});
