// Walks with room for a few requests at a time: proved ranges are kept, and each tick makes progress.
import { describe, expect, it } from 'vitest';
import { DAY, HOUR } from '../../../shared/instant.ts';
import { UNKNOWN_STAMPS } from '../../../shared/reading/stamps-clock.ts';
import { walkOn } from '../../../shared/reading/walk.ts';
import type { WalkPosition } from '../../../shared/reading/walk-step.ts';
import type { StampsState } from '../../../shared/source/source-state.ts';
import { STAMPS } from './at-noon.ts';
import { createModelList, type ModelList } from './model-list.ts';
import type { Order } from './model-orders.ts';
import { clampedTo } from './model-pages.ts';
import type { Looks } from './model-stamps.ts';
import { WALK_START, walk } from './model-walk.ts';
import { createWitness } from './witness.ts';
import { NOON } from './worlds.ts';

/** Thrown at the end of a tick. */
class TickIsOver extends Error {}

interface Ticks {
  /** The number of requests in one tick. */
  readonly requests: number;
  readonly stamps?: StampsState;
}

/** Walks tick by tick; a range that the end of a tick cuts off is half as wide in the next. @returns the ticks */
async function walkInTicks(list: ModelList, { requests, stamps = STAMPS }: Ticks) {
  const witness = createWitness(list);
  let position: WalkPosition = WALK_START;
  for (let ticks = 1; ticks <= 100; ticks += 1) {
    let left = requests;
    const fetch: ModelList['fetch'] = async (request) => {
      left -= 1;
      if (left < 0) throw new TickIsOver();
      return list.fetch(request);
    };
    try {
      for (;;) {
        const maxPages = Math.max(2, Math.floor(left * 0.8));
        const options = { ...witness.reader, maxPages, fetch, stamps: () => stamps, now: () => list.now };
        const step = await walkOn(position, options);
        if (step.covered !== undefined && !step.isDone) {
          expect(step.covered).toEqual({ from: position.coveredThrough, to: step.position.coveredThrough });
        }
        position = step.position;
        if (step.isDone) return { ticks, missed: witness.missedOf({}) };
      }
    } catch (error) {
      if (!(error instanceof TickIsOver)) throw error;
      position = { ...position, rangeWidth: Math.floor(position.rangeWidth / 2) };
    }
  }
  throw new Error('The walk does not end.');
}

interface Store {
  readonly order: Order;
  readonly groups: number;
  readonly page: number;
  /** The duration in which the groups were created. */
  readonly over: number;
  /** The looks of every third group. */
  readonly third?: Looks;
}

function storeOf({ order, groups, page, over, third = 'readable' }: Store): ModelList {
  const list = createModelList({ seed: 3, now: NOON, order, pages: clampedTo(page) });
  for (let made = 0; made < groups; made += 1) {
    const createdAt = NOON - HOUR - Math.floor((over * (groups - made)) / groups);
    list.add({ createdAt, looks: made % 3 === 0 ? third : 'readable' });
  }
  return list;
}

describe('a walk with little time in each tick', () => {
  it.each<Store>([
    { order: 'created asc', groups: 30, page: 1, over: 60 * DAY, third: 'without id' },
    { order: 'updated desc', groups: 30, page: 1, over: 400 * DAY, third: 'flickering' },
    { order: 'random', groups: 30, page: 1, over: 60 * DAY },
    { order: 'random', groups: 300, page: 10, over: 900 * DAY },
  ])('shows all of $groups groups sorted by $order, $page to a page', async (store) => {
    const list = storeOf(store);

    const { ticks, missed } = await walkInTicks(list, { requests: 60 });

    expect(missed).toEqual([]);
    expect(ticks).toBeLessThan(20);
  });

  it('passes decades without a group with only a few requests in each tick', async () => {
    const list = storeOf({ order: 'random', groups: 12, page: 6, over: 60 * DAY });

    const { ticks, missed } = await walkInTicks(list, { requests: 6 });

    expect(missed).toEqual([]);
    expect(ticks).toBeLessThan(60);
  });

  it('passes empty years in wider and wider steps where the latest groups come first', async () => {
    const list = storeOf({ order: 'created desc', groups: 1_000, page: 40, over: 10 * DAY });
    const witness = createWitness(list, { maxPages: 20 });
    const afterOneGroup = { coveredThrough: NOON - 1_000 * DAY, rangeWidth: 8_000 * DAY };

    const steps = await walk(list, witness, afterOneGroup);

    expect(witness.seen.size).toBe(1_000);
    expect(steps.length).toBeLessThan(30);
  });

  it('is narrowed further if its first ranges are far too wide for the remaining room', async () => {
    const list = storeOf({ order: 'updated desc', groups: 20, page: 2, over: 5_000 * DAY });

    const { ticks, missed } = await walkInTicks(list, { requests: 6 });

    expect(missed).toEqual([]);
    expect(ticks).toBeLessThan(60);
  });

  it.each<Order>(['created desc', 'random'])(
    'shows the newest groups if the stamps’ clock is unknown: %s',
    async (order) => {
      const list = storeOf({ order, groups: 16, page: 1, over: 20 * HOUR, third: 'without id' });

      const { missed } = await walkInTicks(list, { requests: 100, stamps: UNKNOWN_STAMPS });

      expect(missed).toEqual([]);
    },
  );

  it('is narrowed to the available room, even if its range is all time', async () => {
    const list = storeOf({ order: 'created desc', groups: 13, page: 5, over: 9 * DAY });
    const witness = createWitness(list, { maxPages: 4 });

    const steps = await walk(list, witness);

    expect(witness.seen.size).toBe(13);
    expect(steps.length).toBeLessThan(60);
  });
});
