import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Knobs, ORDERS } from '../../../../local/reference-service/knobs.ts';
import type { Store } from '../../../../local/reference-service/store/store.ts';
import type { StoredGroup } from '../../../../local/reference-service/store/stored-group.ts';
import type { GroupQuery, Range } from '../../../../local/reference-service/store/view.ts';
import { DAY } from '../../../../shared/instant.ts';
import { aStore, STARTED_AT } from './a-store.ts';

const SORTED_ORDERS = ORDERS.filter((order) => order.includes(':'));

const range = fc.tuple(fc.integer({ min: 0, max: 700 }), fc.integer({ min: 0, max: 400 })).map(
  ([daysAgo, days]): Range => ({
    from: STARTED_AT - daysAgo * DAY,
    until: STARTED_AT + (days - daysAgo) * DAY,
  }),
);
const ranges = fc.record({ created: range, updated: range, shipped: range }, { requiredKeys: [] });

/** The expected result of a query, computed by a plain filter, sort and slice. */
function naively(store: Store, query: GroupQuery, order: Knobs['order']): number[] {
  const [key, direction] = order.split(':') as ['id' | 'created_at' | 'updated_at', string];
  const sign = direction === 'desc' ? -1 : 1;
  return matching(store, query)
    .sort((one, other) => sign * (one[key] - other[key] || one.id - other.id))
    .slice(query.offset, query.offset + query.limit)
    .map((group) => group.id);
}

function isWithin(instant: number, range: Range | undefined): boolean {
  return range === undefined || (instant >= range.from && instant < range.until);
}

function matching(store: Store, query: GroupQuery): StoredGroup[] {
  return [...store.groups()].filter(
    (group) =>
      isWithin(group.created_at, query.created) &&
      isWithin(group.updated_at, query.updated) &&
      (query.shipped === undefined ||
        group.shipments.some(
          ({ shipped_at }) => shipped_at !== null && isWithin(shipped_at, query.shipped),
        )) &&
      (query.groupId === undefined || group.id === query.groupId) &&
      (query.email === undefined || group.customer.email === query.email) &&
      (query.orderId === undefined || group.order.id === query.orderId) &&
      (query.orderName === undefined || group.order.name === query.orderName) &&
      (query.trackingCode === undefined ||
        group.shipments.some(({ tracking_number }) => tracking_number === query.trackingCode)),
  );
}

const ids = (groups: readonly StoredGroup[]) => groups.map((group) => group.id);

function livedStore(seed: number) {
  const lived = aStore({ seed, groups: 120, life: { changesPerSecond: 10 }, knobs: { removals: 0.1 } });
  lived.clock.advance(15_000);
  lived.store.pause();
  return lived;
}

describe('a page of the store', () => {
  it('equals a plain filter, sort and slice, in every sorted order', () => {
    fc.assert(
      fc.property(
        fc.nat(1_000),
        ranges,
        fc.constantFrom(...SORTED_ORDERS),
        fc.nat(130),
        fc.nat(40),
        (seed, filter, order, offset, limit) => {
          const { store, knobs } = livedStore(seed);
          knobs.order = order;
          const query = { ...filter, offset, limit };

          const page = store.select(query);

          expect(ids(page)).toEqual(naively(store, query, order));
        },
      ),
      { numRuns: 100 },
    );
  });

  it('finds groups by id, e-mail, order and tracking number, changed or not', () => {
    const { store } = livedStore(5);
    const [first, second] = [...store.groups()].slice(20);
    if (first === undefined || second === undefined) throw new Error('too few groups');
    store.alter(first.id, (draft) => {
      draft.customer.email = 'new.address@example.org';
      draft.order.name = 'X-77';
      draft.order.id = 42;
    });
    store.alter(second.id, (draft) => {
      for (const shipment of draft.shipments) shipment.tracking_number = 'ABC-1';
    });
    const groups = [...store.groups()];
    const filters = groups.flatMap(({ id, customer, order, shipments }) => [
      { groupId: id },
      { email: customer.email },
      { orderId: order.id },
      { orderName: order.name },
      ...shipments.flatMap(({ tracking_number }) =>
        tracking_number === null ? [] : [{ trackingCode: tracking_number }],
      ),
    ]);

    const answers = filters.map((filter) => ids(store.select({ ...filter, offset: 0, limit: 50 })).sort());

    expect(answers).toEqual(
      filters.map((filter) => ids(matching(store, { ...filter, offset: 0, limit: 50 })).sort()),
    );
    expect(answers.every((answer) => answer.length > 0)).toBe(true);
    expect(answers.some((answer) => answer.length > 1)).toBe(true);
  });

  it('matches texts partly or case-insensitively if configured', () => {
    const { store, knobs } = aStore({ groups: 60 });
    const group = [...store.groups()].find(({ shipments }) => shipments[0]?.tracking_number) as StoredGroup;
    const email = group.customer.email.toUpperCase();
    const part = group.order.name.slice(1);
    const code = group.shipments[0]?.tracking_number?.slice(3) as string;
    const found = (filter: Partial<GroupQuery>) => ids(store.select({ ...filter, offset: 0, limit: 100 }));

    const exact = [found({ email }), found({ orderName: part }), found({ trackingCode: code })];
    knobs.strings = 'ignore-case';
    const ignoringCase = [found({ email }), found({ orderName: part })];
    knobs.strings = 'partial';
    const partial = [
      found({ email: email.slice(0, -3) }),
      found({ orderName: part }),
      found({ trackingCode: code }),
    ];

    expect(exact).toEqual([[], [], []]);
    expect(ignoringCase).toEqual([expect.arrayContaining([group.id]), []]);
    for (const answer of partial) expect(answer).toContain(group.id);
  });

  it('shows each group once over all pages of an order by place, until one changes', () => {
    for (const order of ['heap', 'shuffled'] as const) {
      const { store } = aStore({ groups: 50, knobs: { order } });
      const all = () => ids(store.select({ offset: 0, limit: 100 }));
      const before = all();
      const pages = [0, 20, 40].flatMap((offset) => ids(store.select({ offset, limit: 20 })));
      const moved = before[10] as number;

      store.alter(moved, (draft) => {
        draft.return_method = 'SELF_SHIP';
      });

      expect(pages).toEqual(before);
      expect(new Set(before).size).toBe(50);
      expect(all()).not.toEqual(before);
      expect(all().filter((id) => id !== moved)).toEqual(before.filter((id) => id !== moved));
      if (order === 'heap') expect(all().at(-1)).toBe(moved);
    }
  });

  it('has another order each time if the order is random', () => {
    const { store } = aStore({ groups: 200, knobs: { order: 'random' } });
    const page = () =>
      ids(store.select({ offset: 50, limit: 30, created: { from: 0, until: STARTED_AT + 1 } }));

    const [first, second] = [page(), page()];

    expect(first).not.toEqual(second);
    for (const answer of [first, second]) expect(new Set(answer).size).toBe(30);
    expect(ids(store.select({ offset: 190, limit: 30 }))).toHaveLength(10);
  });

  it('reorders only equal stamps if ties are unstable', () => {
    const { store, knobs } = aStore({ groups: 30 });
    const all = [...store.groups()];
    for (const group of all) {
      store.alter(group.id, (draft) => {
        draft.updated_at = STARTED_AT + (group.id % 3);
      });
    }
    Object.assign(knobs, { order: 'updated_at:desc', ties: 'unstable' } satisfies Partial<typeof knobs>);
    const read = (offset: number) => store.select({ offset, limit: 15 });

    const pages = Array.from({ length: 10 }, () => read(8));

    expect(new Set(pages.map((page) => ids(page).join())).size).toBeGreaterThan(1);
    for (const page of pages) {
      const stamps = page.map((group) => group.updated_at);
      expect(stamps).toEqual([...stamps].sort((one, other) => other - one));
      expect(page).toHaveLength(15);
    }
  });
});
