import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { saysTheSame } from '../../../shared/comparing/says-the-same.ts';

describe('a known value', () => {
  it.each([
    [
      { a: 1, b: [{ c: null }] },
      { b: [{ c: null }], a: 1 },
    ],
    [{ a: 1, later: 2 }, { a: 1 }],
    [{ a: 1 }, { a: 1, b: undefined }],
    [{ a: 1 }, { a: undefined }],
    [[], []],
  ])('%j equals %j', (known, seen) => {
    expect(saysTheSame(known, seen)).toBe(true);
  });

  it.each([
    [{ a: 1 }, { a: 2 }],
    [{ a: 1 }, { a: 1, b: null }],
    [[1, 2], [1]],
    [[1], [1, 2]],
    [
      [1, 2],
      [2, 1],
    ],
    [{}, []],
    [{ length: 0 }, []],
    [null, {}],
    [{ a: {} }, { a: null }],
    [1, '1'],
    [{}, 1],
    [1, {}],
    [{}, { a: {} }],
    [['a'], 'a'],
  ])('%j differs from %j', (known, seen) => {
    expect(saysTheSame(known, seen)).toBe(false);
  });

  it('equals its copy, and no other JSON with the same keys', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        const [list, another] = [[one], [other]];

        expect(saysTheSame(list, JSON.parse(JSON.stringify(list)))).toBe(true);
        if (saysTheSame(list, another) && saysTheSame(another, list)) expect(another).toEqual(list);
      }),
    );
  });
});
