import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findEndOfValue, findExceeded } from '../../../shared/returns-service/scan-json.ts';

const WIDE = { entities: 100, objects: 100, values: 1_000, levels: 100 };

function scan(text: string, bounds = WIDE, from = 0) {
  const counts = { entities: 0, objects: 0, values: 0, levels: 0 };
  const end = findEndOfValue(new TextEncoder().encode(text), from, counts, bounds);
  return { end, counts };
}

describe('a value', () => {
  it.each([
    ['{"a":[1,2],"b":{}},7', 18],
    ['"a,]}",7', 6],
    ['"\\",\\\\",7', 7],
    ['12]', 2],
    [' true }', 6],
    ['{"a":1', 6],
    ['"never closed \\', 15],
    ['', 0],
  ])('ends where a comma or bracket follows it: %s', (text, end) => {
    expect(scan(text).end).toBe(end);
  });

  it('is counted with everything in it, except for what its texts hold', () => {
    const { counts } = scan('{"shipments":[{"id":1,"notes":"[{,"},{"ids":[1,2,3]}],"order":{"tags":[]}}');

    expect(counts).toMatchObject({ entities: 3, objects: 7, levels: 4 });
    expect(counts.values).toBeGreaterThanOrEqual(12);
  });

  it('has at least as many values counted as it has', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const { counts } = scan(JSON.stringify(value), { ...WIDE, objects: 1e9, values: 1e9, levels: 1e9 });

        expect(counts.values).toBeGreaterThanOrEqual(valuesIn(value));
      }),
    );
  });

  it.each([
    ['[[[', { levels: 2 }, 'levels'],
    ['[[],[],[]]', { objects: 3 }, 'objects'],
    ['[1,1,1,1]', { values: 4 }, 'values'],
    ['[[[1],[1]]]', { entities: 1 }, 'entities'],
  ] as const)('is read no further than its bounds: %s', (text, bound, name) => {
    const bounds = { ...WIDE, ...bound };

    const { end, counts } = scan(`${text}${'[],'.repeat(10_000)}`, bounds);

    expect(findExceeded(counts, bounds)).toBe(name);
    expect(end).toBeLessThan(text.length + 1_100);
  });
});

function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce((sum: number, inner) => sum + valuesIn(inner), 1);
}
