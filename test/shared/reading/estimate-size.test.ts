import { expect, it } from 'vitest';
import { estimateSize } from '../../../shared/reading/estimate-size.ts';
import { aPage, createScriptedReader, rowsOf } from './some-rows.ts';

function storeOf(groups: number) {
  return createScriptedReader(({ offset }) => aPage(offset < groups ? rowsOf(offset) : []));
}

it.each([1_001, 2_600, 3_999, 4_000, 4_001, 57_000, 1_000_000])(
  'estimates the number of %i groups to about a tenth, with a dozen requests',
  async (groups) => {
    const store = storeOf(groups);

    const estimate = await estimateSize(store.fetch);

    expect(Math.abs(estimate - groups) / groups).toBeLessThan(0.1);
    expect(store.requests.length).toBeLessThanOrEqual(12);
  },
);

it('requests one group at a time, from the list of all groups', async () => {
  const store = storeOf(3_000);

  await estimateSize(store.fetch);

  expect(store.requests).toEqual(
    [1_000, 4_000, 2_500, 3_250, 2_875, 3_062].map((offset) => ({ range: {}, offset, limit: 1 })),
  );
});

it.each([0, 1, 1_000])('takes one request for a store of %i groups', async (groups) => {
  const store = storeOf(groups);

  const estimate = await estimateSize(store.fetch);

  expect(estimate).toBe(1_000);
  expect(store.requests.length).toBe(1);
});

it('ends even if no page is ever empty', async () => {
  const store = storeOf(Number.POSITIVE_INFINITY);

  const estimate = await estimateSize(store.fetch);

  expect(estimate).toBeGreaterThan(1_000_000_000);
  expect(store.requests.length).toBe(15);
});
