import { describe, expect, it } from 'vitest';
import { DAY, HOUR, SECOND } from '../../../shared/instant.ts';
import { acceptDates } from '../../../shared/pacing/accept-dates.ts';

/** Bounds that follow from Dates which are ahead by these amounts. */
function boundsOf(...ahead: readonly number[]) {
  return ahead.map((lower) => ({ lower, upper: lower + SECOND }));
}

/** The amounts of the accepted Dates. */
function accepted(ahead: readonly number[], witnesses: readonly number[] = []): number[] {
  return acceptDates(boundsOf(...ahead), witnesses).map(({ lower }) => lower);
}

describe('a Date', () => {
  it('is not accepted alone, nor with one other that agrees', () => {
    expect(accepted([0])).toEqual([]);
    expect(accepted([0, 0])).toEqual([]);
  });

  it('is accepted with a witness within half a minute, on either side', () => {
    expect(accepted([0], [30 * SECOND])).toEqual([0]);
    expect(accepted([0], [-30 * SECOND])).toEqual([0]);
    expect(accepted([0], [30 * SECOND + 1])).toEqual([]);
    expect(accepted([0], [-30 * SECOND - 1])).toEqual([]);
  });

  it('is accepted with any of several witnesses', () => {
    expect(accepted([0], [HOUR, SECOND])).toEqual([0]);
  });

  it('is accepted together with two others that agree', () => {
    expect(accepted([0, DAY, SECOND, -SECOND])).toEqual([0, SECOND, -SECOND]);
    expect(accepted([0, DAY, SECOND, 31 * SECOND + 1])).toEqual([]);
  });

  it('is accepted instead of others with less evidence', () => {
    expect(accepted([DAY, 0, 0], [DAY])).toEqual([DAY]);
    expect(accepted([DAY, 0, 0], [0, DAY])).toEqual([0, 0]);
    expect(accepted([0, DAY, 0, 0], [DAY])).toEqual([0, 0, 0]);
  });

  it('is accepted among five or more, also without agreement, because wrong ones are outvoted', () => {
    expect(accepted([0, HOUR, DAY, -HOUR])).toEqual([]);
    expect(accepted([0, HOUR, DAY, -HOUR, -DAY])).toEqual([0, HOUR, DAY, -HOUR, -DAY]);
  });

  // Seeds 602933 and 605011: three of the six Dates of a process were hours ahead.
  it('is accepted with a witness where as many others, or one more, agree on another time', () => {
    const hours = (count: number) => Array<number>(count).fill(HOUR);

    expect(accepted([0, 0, 0, ...hours(3)], [0])).toEqual([0, 0, 0]);
    expect(accepted([0, 0, 0, ...hours(4)], [0])).toEqual([0, 0, 0]);
    expect(accepted([0, 0, 0, ...hours(6)], [0])).toEqual(hours(6));
    expect(accepted([0, 0, 0, ...hours(3)])).toEqual([0, 0, 0, ...hours(3)]);
  });

  it('is not invented from a witness', () => {
    expect(accepted([], [0])).toEqual([]);
  });
});
