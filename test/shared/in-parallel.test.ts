import { expect, test } from 'vitest';
import { chunked, inParallel } from '../../shared/in-parallel.ts';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test('returns results in the order of the items, independent of the order in which they end', async () => {
  const results = await inParallel([3, 1, 2], 3, async (turns) => {
    for (let left = turns; left > 0; left--) await turn();
    return turns * 10;
  });

  expect(results).toEqual([30, 10, 20]);
});

test('never has more items under way than its limit', async () => {
  let underWay = 0;
  let most = 0;

  await inParallel([...Array(20).keys()], 4, async () => {
    most = Math.max(most, ++underWay);
    await turn();
    underWay--;
  });

  expect(most).toBe(4);
});

test('begins no item after a failure, and rejects once no item is under way', async () => {
  const done: number[] = [];

  const work = inParallel([0, 1, 2, 3, 4], 2, async (item) => {
    if (item === 0) throw new Error('no');
    await turn();
    done.push(item);
  });

  await expect(work).rejects.toThrow('no');
  expect(done).toEqual([1]);
});

test('cuts items into chunks', () => {
  expect(chunked([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]]);
  expect(chunked([], 2)).toEqual([]);
});
