// R4: consecutive ranges leave no gap between them, for all ways in which a service may read bounds and round stamps.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { HOUR, type Instant, SECOND } from '../../../shared/instant.ts';
import { coverRange } from '../../../shared/reading/cover-range.ts';
import { runs } from '../../property-runs.ts';
import { createModelList } from './model-list.ts';
import { clampedTo } from './model-pages.ts';
import { type StampStyle, shown } from './model-stamps.ts';
import { createWitness } from './witness.ts';
import { NOON } from './worlds.ts';

const styles: fc.Arbitrary<StampStyle> = fc.record({
  digits: fc.constantFrom(0, 3, 6),
  zone: fc.constantFrom<StampStyle['zone']>('Z', 9, -5, 0),
  includesLower: fc.boolean(),
  includesUpper: fc.boolean(),
  compares: fc.constantFrom('kept', 'shown'),
});
/** Microseconds from the first bound, often at a bound or next to it. */
const moments = fc.oneof(
  fc.integer({ min: 0, max: 20 * SECOND }),
  fc
    .tuple(fc.integer({ min: 0, max: 20 }), fc.integer({ min: -1, max: 1 }))
    .map(([s, by]) => s * SECOND + by),
);
const cuts = fc.uniqueArray(moments, { minLength: 1, maxLength: 4 });

for (const axis of ['updated', 'created'] as const) {
  it(`no row between two ranges by ${axis} time is lost`, async () => {
    let rowsOnSeams = 0;
    const property = fc.asyncProperty(
      styles,
      cuts,
      fc.array(moments, { minLength: 1, maxLength: 25 }),
      async (stamps, cutAt, rows) => {
        const list = createModelList({ seed: 1, now: NOON, order: 'id asc', pages: clampedTo(20), stamps });
        const base = NOON - 2 * HOUR;
        for (const at of [...rows, ...cutAt]) list.add({ createdAt: base + at, updatedAt: base + at });
        const witness = createWitness(list);
        const bounds = [-SECOND, ...cutAt, 21 * SECOND]
          .sort((a, b) => a - b)
          .map((at): Instant => base + at + (stamps.zone === 'Z' ? 0 : stamps.zone * HOUR));

        for (const [index, to] of bounds.slice(1).entries()) {
          const range = { [axis]: { from: bounds[index], to } };
          expect(await coverRange(range, witness.reader)).toMatchObject({ outcome: 'proved' });
        }

        const [first = 0] = bounds;
        const missed = list.rows.filter((row) => !witness.seen.has(row));
        const inRange = missed.filter(
          ({ versions: [version] }) => shown(version?.updatedAt ?? 0, stamps) >= first,
        );
        expect(inRange.map(({ id }) => id)).toEqual([]);
        rowsOnSeams += cutAt.length;
      },
    );

    await fc.assert(property, { numRuns: runs(150) });

    expect(rowsOnSeams).toBeGreaterThan(runs(100));
  });
}
