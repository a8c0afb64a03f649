import { describe, expect, it } from 'vitest';
import { createExpectation } from '../../../shared/reading/expectation.ts';

/** Which polls expect little, given which of them find little. */
function triesOf(polls: number, findsLittle: (poll: number) => boolean, isFewRequests = true): number[] {
  const expectation = createExpectation();
  const tries: number[] = [];
  for (let poll = 1; poll <= polls; poll += 1) {
    const isTried = expectation.begin();
    if (isTried) tries.push(poll);
    expectation.end(isTried ? findsLittle(poll) : isFewRequests);
  }
  return tries;
}

describe('little is expected', () => {
  it('at first, and as long as polls find little', () => {
    expect(triesOf(4, () => true)).toEqual([1, 2, 3, 4]);
  });

  it('again after one poll, then three, then seven, while polls find much', () => {
    expect(triesOf(30, () => false)).toEqual([1, 3, 7, 15, 23]);
  });

  it('at every poll again once a poll found little', () => {
    expect(triesOf(10, (poll) => poll >= 7)).toEqual([1, 3, 7, 8, 9, 10]);
  });

  it('only after a poll of few requests', () => {
    expect(triesOf(10, () => false, false)).toEqual([1]);
  });

  it('after a poll that was cut off, only once a poll took few requests', () => {
    const expectation = createExpectation();
    expectation.begin();

    const next = expectation.begin();
    expectation.end(true);

    expect(next).toBe(false);
    expect(expectation.begin()).toBe(true);
  });
});
