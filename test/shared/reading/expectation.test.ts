import { describe, expect, it } from 'vitest';
import { createExpectation } from '../../../shared/reading/expectation.ts';

/** Which of the polls are read at once, where each of these finds little that way, or fails to. */
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
  it('at first, and as long as that is so', () => {
    expect(triesOf(4, () => true)).toEqual([1, 2, 3, 4]);
  });

  it('again after one poll, then three, then seven, while it is not so', () => {
    expect(triesOf(30, () => false)).toEqual([1, 3, 7, 15, 23]);
  });

  it('at each poll again once it was so', () => {
    expect(triesOf(10, (poll) => poll >= 7)).toEqual([1, 3, 7, 8, 9, 10]);
  });

  it('only after a poll of few requests', () => {
    expect(triesOf(10, () => false, false)).toEqual([1]);
  });

  it('not after a poll that was cut off, until one of few requests', () => {
    const expectation = createExpectation();
    expectation.begin();

    const next = expectation.begin();
    expectation.end(true);

    expect(next).toBe(false);
    expect(expectation.begin()).toBe(true);
  });
});
