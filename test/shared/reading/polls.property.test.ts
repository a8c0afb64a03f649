// R6 over the life of a list: every settled row was taken in its current version.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '../../../shared/instant.ts';
import { askedAhead, stampsTime } from '../../../shared/reading/stamps-clock.ts';
import { runs } from '../../property-runs.ts';
import { createModelList, type ModelList } from './model-list.ts';
import { ORDERS, STABLE_ORDERS } from './model-orders.ts';
import { clampedTo } from './model-pages.ts';
import { createModelPoller, LOOKBACK } from './model-poller.ts';
import { EXACT_STAMPS, type StampStyle } from './model-stamps.ts';
import { anyRow, NOON } from './worlds.ts';

const styles = fc.record({
  digits: fc.constantFrom(0, 3, 6),
  zone: fc.constantFrom<StampStyle['zone']>('Z', 'Z', 9, -5, 0),
  includesLower: fc.boolean(),
  includesUpper: fc.boolean(),
  compares: fc.constantFrom('kept', 'shown'),
});

const lives = fc.record({
  seed: fc.integer(),
  order: fc.constantFrom(...STABLE_ORDERS, ...ORDERS),
  page: fc.integer({ min: 10, max: 60 }),
  stamps: styles,
  /** The maximum delay of changes, and the staleness of answers: together at most the lookback. */
  late: fc.integer({ min: 0, max: 4 }),
  staleShare: fc.constantFrom(0, 0.3),
  changesPerPoll: fc.integer({ min: 0, max: 60 }),
  unsavedShare: fc.constantFrom(0, 0, 0.1),
  trusts: fc.boolean(),
  /** Minutes from one poll to the next. */
  pauses: fc.array(fc.constantFrom(1, 1, 1, 1, 7, 90), { minLength: 4, maxLength: 14 }),
});

type Life = typeof lives extends fc.Arbitrary<infer Each> ? Each : never;

function open({ seed, order, page, stamps, late, staleShare }: Life) {
  const list = createModelList({
    seed,
    now: NOON,
    order,
    pages: clampedTo(page),
    stamps,
    staleShare,
    staleBy: 50 * SECOND,
    ...(late === 0 ? {} : { lateness: (random) => random.upTo(late * MINUTE) }),
  });
  for (let count = 0; count < 120; count += 1) {
    const createdAt = NOON - HOUR - list.random.upTo(30 * DAY);
    list.add({ createdAt, updatedAt: createdAt + list.random.upTo(NOON - createdAt) });
  }
  return list;
}

/** Advances the time and changes rows. */
function live(list: ModelList, minutes: number, changes: number): void {
  const step = Math.floor((minutes * MINUTE) / (changes + 1));
  for (let change = 0; change <= changes; change += 1) {
    list.now += step;
    const row = anyRow(list, () => true);
    if (change === changes || row === undefined) continue;
    if (list.random.chance(0.1)) list.add({ createdAt: list.now });
    else list.update(row);
  }
}

describe('settled rows', () => {
  it('were taken in their current version, in any order, with any delay and any failed saves', async () => {
    let settled = 0;
    const property = fc.asyncProperty(lives, async (life) => {
      const list = open(life);
      const start = NOON - HOUR + (life.stamps.zone === 'Z' ? 0 : life.stamps.zone * HOUR);
      const poller = createModelPoller(list, life.stamps, start, { trustsShortPages: life.trusts });
      poller.unsavedShare = life.unsavedShare;
      for (const pause of life.pauses) {
        const before = poller.settledThrough;
        live(list, pause, life.changesPerPoll);
        let isChanging = true;
        list.meanwhile = () => {
          const row = isChanging && list.random.chance(0.2) ? anyRow(list, () => true) : undefined;
          if (row !== undefined) list.update(row);
        };

        const polledAt = list.now;
        await poller.poll();
        isChanging = false;

        const time = stampsTime(poller.stamps, list.now) ?? Number.NEGATIVE_INFINITY;
        expect(poller.missed().map(({ id }) => id)).toEqual([]);
        expect(poller.settledThrough).toBeGreaterThanOrEqual(before);
        expect(poller.settledThrough).toBeLessThanOrEqual(Math.max(before, time - LOOKBACK));
        expect(poller.settledThrough).toBeLessThanOrEqual(
          Math.max(before, polledAt + askedAhead(poller.stamps) + 30 * SECOND),
        );
        settled += poller.settledThrough > before ? 1 : 0;
      }
    });

    await fc.assert(property, { numRuns: runs(80) });

    expect(settled).toBeGreaterThan(runs(80));
  });

  it('are all rows before the lookback once a list of stable order is quiet', async () => {
    const property = fc.asyncProperty(lives, async (life) => {
      const list = open({ ...life, order: 'updated desc', late: 0, staleShare: 0, stamps: EXACT_STAMPS });
      const poller = createModelPoller(list, EXACT_STAMPS, NOON - HOUR);
      for (const pause of life.pauses) {
        live(list, pause, life.changesPerPoll);
        await poller.poll();
      }

      live(list, 1, 1);
      const last = await poller.poll();

      expect(last.isComplete).toBe(true);
      expect(list.now - poller.settledThrough).toBeLessThan(LOOKBACK + 2 * MINUTE);
    });

    await fc.assert(property, { numRuns: runs(25) });
  });
});
