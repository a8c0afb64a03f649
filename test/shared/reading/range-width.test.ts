import { describe, expect, it } from 'vitest';
import { HOUR, SECOND } from '../../../shared/instant.ts';
import { halfWidth, nextWidth } from '../../../shared/reading/range-width.ts';

describe('the width of the next range', () => {
  it.each([
    { pages: 40, width: HOUR },
    { pages: 80, width: HOUR / 2 },
    { pages: 20, width: 2 * HOUR },
    { pages: 10, width: 4 * HOUR },
    { pages: 1, width: 4 * HOUR },
    { pages: 0, width: 4 * HOUR },
  ])('leaves a fifth of 50 pages free, after $pages in an hour', ({ pages, width }) => {
    expect(nextWidth(HOUR, pages, 50)).toBe(width);
  });

  it('may be tiny if only a few pages are allowed', () => {
    expect(nextWidth(HOUR, 100, 1)).toBe(Math.floor(HOUR * 0.008));
    expect(nextWidth(4 * SECOND + 1, 50, 50)).toBe(4 * SECOND);
  });

  it('is a whole number', () => {
    expect(nextWidth(HOUR + 1, 77, 50)).toBe(Math.floor(((HOUR + 1) * 40) / 77));
  });
});

describe('half the width', () => {
  it('is a whole number, and never below four seconds', () => {
    expect(halfWidth(HOUR)).toBe(HOUR / 2);
    expect(halfWidth(10 * SECOND + 1)).toBe(5 * SECOND);
    expect(halfWidth(5 * SECOND)).toBe(4 * SECOND);
    // The walk over open groups saves such a width after pages failed (read-open.ts).
    expect(halfWidth(-1)).toBe(-1);
  });
});
