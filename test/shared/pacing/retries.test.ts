import { describe, expect, it } from 'vitest';
import { createRetryCredit, MAX_TRIES, retryPauseMs } from '../../../shared/pacing/retries.ts';

describe('the pause before a retry', () => {
  it('is at most half a second, doubling with each failure up to 20 seconds', () => {
    const longest = [1, 2, 3, 4, 5, 6, 7, 8, 50].map((failures) =>
      retryPauseMs(failures, 1 - Number.EPSILON),
    );

    expect(longest).toEqual([499, 999, 1_999, 3_999, 7_999, 15_999, 19_999, 19_999, 19_999]);
  });

  it('is a random time between zero and its maximum', () => {
    const pauses = [0, 0.25, 0.5].map((random) => retryPauseMs(3, random));

    expect(pauses).toEqual([0, 500, 1_000]);
  });

  it('allows a request five tries', () => {
    expect(MAX_TRIES).toBe(5);
  });
});

describe('the credit for retries', () => {
  it('is ten without a success', () => {
    const credit = createRetryCredit();

    const granted = Array.from({ length: 12 }, () => credit.spend());

    expect(granted).toEqual([...Array(10).fill(true), false, false]);
  });

  it('rises by one with each success', () => {
    const credit = createRetryCredit();
    for (let i = 0; i < 10; i += 1) credit.spend();

    credit.earn();

    expect([credit.spend(), credit.spend()]).toEqual([true, false]);
  });

  it('is never more than ten', () => {
    const credit = createRetryCredit();

    credit.earn();

    expect(Array.from({ length: 11 }, () => credit.spend())).toEqual([...Array(10).fill(true), false]);
  });
});
