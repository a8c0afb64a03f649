import { describe, expect, it } from 'vitest';
import { DAY, HOUR } from '../../../shared/instant.ts';
import { coverRange } from '../../../shared/reading/cover-range.ts';
import { learnStamps, UNKNOWN_STAMPS } from '../../../shared/reading/stamps-clock.ts';
import { FIRST_WIDTH, walkOn } from '../../../shared/reading/walk.ts';
import { createModelList, type ModelList } from './model-list.ts';
import type { Order } from './model-orders.ts';
import { clampedTo } from './model-pages.ts';
import { createWitness, type Witness } from './witness.ts';
import { NOON, openWorld } from './worlds.ts';

const QUIET = { hasUnstableTies: false, distinct: 100_000, giants: 0, oddRows: 0, unrest: 0, atOnce: 1 };

describe('a list whose order is another at each request', () => {
  it.each([15, 40, 150])('is proved for %i rows in pages of 20 while it is quiet', async (rows) => {
    const world = { ...QUIET, seed: rows, order: 'random' as const, rows, pages: clampedTo(20) };
    const { list, range } = openWorld(world, 'updated');
    const witness = createWitness(list);

    const coverage = await coverRange(range, witness.reader);

    expect(coverage).toMatchObject({ outcome: 'proved' });
    expect(witness.missedOf(range)).toEqual([]);
    expect(list.requests).toBeLessThan(rows);
  });
});

describe('a walk over all groups', () => {
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

  it('needs few requests for a small store', async () => {
    const list = storeOf(300, 200, 'updated desc');
    const witness = createWitness(list);

    await walk(list, witness);

    expect(witness.seen.size).toBe(300);
    expect(list.requests).toBeLessThanOrEqual(10);
  });
});

/** Groups of three years, the more the later. */
function storeOf(groups: number, page: number, order: Order): ModelList {
  const list = createModelList({ seed: 7, now: NOON, order, pages: clampedTo(page) });
  for (let made = 0; made < groups; made += 1) {
    const age = Math.floor((1_000 * DAY * -Math.log(1 - list.random.next() * 0.98)) / 3.9) + HOUR;
    list.add({ createdAt: NOON - age, updatedAt: NOON - Math.floor(age * list.random.next()) });
  }
  return list;
}

async function walk(list: ModelList, { reader }: Witness): Promise<void> {
  let stamps = { ...UNKNOWN_STAMPS, newest: NOON, newestReceivedAt: NOON };
  let position: Parameters<typeof walkOn>[0] = { coveredThrough: undefined, rangeWidth: FIRST_WIDTH };
  for (let steps = 0; steps < 500; steps += 1) {
    const step = await walkOn(position, {
      ...reader,
      stamps: () => stamps,
      now: () => list.now,
      async take(page) {
        stamps = { ...stamps, ...learnStamps(stamps, page.rows, page.receivedAt), newest: stamps.newest };
        await reader.take(page);
      },
    });
    position = step.position;
    if (step.isDone) return;
  }
  throw new Error('The walk does not end.');
}
