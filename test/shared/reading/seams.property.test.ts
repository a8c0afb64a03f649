// R2 for a single seam, without paging: in a stable order a page that joins has skipped nothing.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createTrack } from '../../../shared/reading/track.ts';
import { runs } from '../../property-runs.ts';
import { aPage, aRow } from './some-rows.ts';
import { NOON } from './worlds.ts';

interface Listed {
  readonly id: number;
  readonly version: number;
}

/** Changes of a list between two pages: each row stays, leaves, or changes and moves elsewhere. */
const fates = fc.array(fc.constantFrom('stays', 'stays', 'stays', 'leaves', 'moves'), {
  minLength: 1,
  maxLength: 40,
});
const cuts = fc.record({
  read: fc.integer({ min: 1, max: 40 }),
  offset: fc.integer({ min: 0, max: 40 }),
  rows: fc.integer({ min: 0, max: 15 }),
  luck: fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 40, maxLength: 40 }),
});

const pageOf = (rows: readonly Listed[]) =>
  aPage(rows.map(({ id, version }) => aRow(id, { updatedAt: NOON + version })));

it('a page that joins by a row already read has skipped no row that stayed, even if others left or changed', () => {
  let joined = 0;
  const property = fc.property(fates, cuts, (fate, { read, offset, rows, luck }) => {
    const before: Listed[] = fate.map((_, id) => ({ id, version: 0 }));
    const after = before.filter(({ id }) => fate[id] === 'stays');
    for (const { id } of before.filter((row) => fate[row.id] === 'moves')) {
      after.splice(Math.min(luck[id] ?? 0, after.length), 0, { id, version: 1 });
    }
    const track = createTrack();
    track.join(track.place(pageOf(before.slice(0, read)), 0));

    const page = after.slice(offset, offset + rows);
    const seam = track.join(track.place(pageOf(page), offset));

    if (seam.verdict !== 'joined') return;
    joined += 1;
    const end = Math.max(...page.filter(({ version }) => version === 0).map(({ id }) => id));
    const seen = new Set([...before.slice(0, read), ...page].map(({ id }) => id));
    const skipped = after.filter(({ id, version }) => version === 0 && id <= end && !seen.has(id));
    expect(skipped).toEqual([]);
  });

  fc.assert(property, { numRuns: runs(2_000) });

  // About 250 of 2,000.
  expect(joined).toBeGreaterThan(runs(100));
});

it('a page of a stable order that rows only leave never makes the order unstable', () => {
  const property = fc.property(fates, cuts, (fate, { read, offset, rows }) => {
    const before: Listed[] = fate.map((_, id) => ({ id, version: 0 }));
    const after = before.filter(({ id }) => fate[id] !== 'leaves');
    const track = createTrack();
    track.join(track.place(pageOf(before.slice(0, read)), 0));

    const seam = track.join(track.place(pageOf(after.slice(offset, offset + rows)), offset));

    expect(seam.verdict).not.toBe('void');
  });

  fc.assert(property, { numRuns: runs(500) });
});
