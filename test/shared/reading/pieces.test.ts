import { expect, it } from 'vitest';
import { cutIntoPieces } from '../../../shared/reading/pieces.ts';
import { idsFrom } from './some-rows.ts';

async function* createdAt(...instants: readonly number[]) {
  for (const instant of instants) yield { createdAt: instant };
}

const cuts = (instants: readonly number[], pageRows = 10, most = Number.POSITIVE_INFINITY) =>
  cutIntoPieces(createdAt(...instants), pageRows, most);

it('cuts known groups into pieces of nine tenths of a page', async () => {
  expect(await cuts(idsFrom(1, 30))).toEqual([10, 19, 28]);
});

it('keeps groups that fit in a page with room to spare in one piece', async () => {
  expect(await cuts([])).toEqual([]);
  expect(await cuts(idsFrom(1, 9))).toEqual([]);
  expect(await cuts(idsFrom(1, 10))).toEqual([10]);
});

it('never cuts between groups that were created at one instant', async () => {
  const crowd = Array.from({ length: 25 }, () => 5);

  expect(await cuts([1, 2, ...crowd, 7, 8])).toEqual([7]);
  expect(await cuts(crowd)).toEqual([]);
});

it('makes pieces of one instant each if a page holds one row', async () => {
  expect(await cuts([1, 2, 2, 3], 1)).toEqual([2, 3]);
});

it('reads no more known groups than it needs for the most cuts', async () => {
  let read = 0;
  async function* endless() {
    for (;;) {
      read += 1;
      yield { createdAt: read };
    }
  }

  expect(await cutIntoPieces(endless(), 10, 2)).toEqual([10, 19]);
  expect(read).toBe(19);
});
