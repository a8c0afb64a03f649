// Lists for property tests: the number and kinds of rows, their order and pages, and their changes during the read. A
// world follows from its description only, so that a failing one can be repeated.
import fc from 'fast-check';
import { DAY, HOUR } from '../../../shared/instant.ts';
import type { Range } from '../../../shared/reading/page.ts';
import { createModelList, type ModelList } from './model-list.ts';
import { ORDERS, type Order, STABLE_ORDERS } from './model-orders.ts';
import type { PagePolicy } from './model-pages.ts';
import type { ModelRow } from './model-row.ts';
import type { Looks } from './model-stamps.ts';

export const NOON = Date.UTC(2026, 10, 20, 12) * 1_000;

export interface World {
  readonly seed: number;
  readonly order: Order;
  readonly hasUnstableTies: boolean;
  readonly rows: number;
  /** The number of different stamps; a small number makes many ties. */
  readonly distinct: number;
  readonly pages: PagePolicy;
  /** The share of rows with more bytes than a page may have. */
  readonly giants: number;
  readonly oddRows: number;
  /** The probability of changes before an answer, and the maximum of changed rows. */
  readonly unrest: number;
  readonly atOnce: number;
}

export const RANGE_FROM = NOON - 2 * HOUR;
export const RANGE_TO = NOON - HOUR;

const policies = fc.oneof(
  fc.integer({ min: 1, max: 60 }).map((rows) => ({ limits: [{ fromRequest: 0, rows }], bytes: Infinity })),
  fc
    .tuple(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 6 }))
    .map(([rows, later, fromRequest]) => ({
      limits: [
        { fromRequest: 0, rows },
        { fromRequest, rows: later },
      ],
      bytes: Infinity,
    })),
  fc.integer({ min: 10_000, max: 150_000 }).map((bytes) => ({ limits: [], bytes })),
  fc
    .integer({ min: 2, max: 40 })
    .map((rows) => ({ limits: [{ fromRequest: 0, rows }], bytes: Infinity, isWhimsical: true })),
);

export function worlds(orders: readonly Order[] = STABLE_ORDERS): fc.Arbitrary<World> {
  return fc.record({
    seed: fc.integer(),
    order: fc.constantFrom(...orders),
    hasUnstableTies: fc.constant(false),
    rows: fc.integer({ min: 0, max: 150 }),
    distinct: fc.constantFrom(1, 5, 1_000),
    pages: policies,
    giants: fc.constantFrom(0, 0, 0.05, 0.3),
    oddRows: fc.constantFrom(0, 0, 0.2),
    unrest: fc.constantFrom(0, 0.2, 0.8),
    atOnce: fc.integer({ min: 1, max: 8 }),
  });
}

export const ALL_ORDERS = ORDERS;

/** A list of rows that were all last updated, or all created, between RANGE_FROM and RANGE_TO. */
export function openWorld(world: World, axis: 'updated' | 'created'): { list: ModelList; range: Range } {
  const list = createModelList({ ...world, now: NOON });
  const { random } = list;
  const within = () =>
    RANGE_FROM + Math.floor(((RANGE_TO - RANGE_FROM) * random.upTo(world.distinct - 1)) / world.distinct);
  const odd: Looks[] = ['unreadable', 'without id', 'flickering', 'alike'];
  for (let count = 0; count < world.rows; count += 1) {
    const stamp = within();
    const looks = random.chance(world.oddRows) ? (odd[random.upTo(3)] ?? 'alike') : 'readable';
    const bytes = random.chance(world.giants) ? 400_000 : 2_000 + random.upTo(3_000);
    const createdAt = axis === 'created' ? stamp : stamp - random.upTo(30 * DAY);
    const updatedAt = axis === 'created' ? stamp + random.upTo(NOON - stamp - 1) : stamp;
    list.add({ createdAt, updatedAt, bytes, looks });
  }
  return { list, range: { [axis]: { from: RANGE_FROM, to: RANGE_TO } } };
}

/** A random eligible row of the list. */
export function anyRow(list: ModelList, isEligible: (row: ModelRow) => boolean): ModelRow | undefined {
  const eligible = list.rows.filter((row) => list.current(row) !== undefined && isEligible(row));
  return eligible[list.random.upTo(eligible.length - 1)];
}

/** Makes some rows leave the range before each request: they are updated, or removed from the store. */
export function rowsLeave(
  list: ModelList,
  { unrest, atOnce }: Pick<World, 'unrest' | 'atOnce'>,
  removedShare = 0.3,
): void {
  list.meanwhile = () => {
    if (!list.random.chance(unrest)) return;
    const count = 1 + list.random.upTo(atOnce - 1);
    for (let left = 0; left < count; left += 1) {
      const row = anyRow(list, ({ versions }) => versions.length === 1);
      if (row === undefined) return;
      if (list.random.chance(removedShare)) list.remove(row);
      else list.update(row);
    }
  };
}
