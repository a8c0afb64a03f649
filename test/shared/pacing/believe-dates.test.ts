import { describe, expect, it } from 'vitest';
import { DAY, HOUR, SECOND } from '../../../shared/instant.ts';
import { believeDates } from '../../../shared/pacing/believe-dates.ts';

/** Bounds that follow from Dates which are ahead by these amounts. */
function boundsOf(...ahead: readonly number[]) {
  return ahead.map((lower) => ({ lower, upper: lower + SECOND }));
}

/** The amounts of the believed Dates. */
function believed(ahead: readonly number[], witnesses: readonly number[] = []): number[] {
  return believeDates(boundsOf(...ahead), witnesses).map(({ lower }) => lower);
}

describe('a Date', () => {
  it('is not believed alone, nor with one other that agrees', () => {
    expect(believed([0])).toEqual([]);
    expect(believed([0, 0])).toEqual([]);
  });

  it('is believed with a witness within half a minute, on either side', () => {
    expect(believed([0], [30 * SECOND])).toEqual([0]);
    expect(believed([0], [-30 * SECOND])).toEqual([0]);
    expect(believed([0], [30 * SECOND + 1])).toEqual([]);
    expect(believed([0], [-30 * SECOND - 1])).toEqual([]);
  });

  it('is believed with any of several witnesses', () => {
    expect(believed([0], [HOUR, SECOND])).toEqual([0]);
  });

  it('is believed together with two others that agree', () => {
    expect(believed([0, DAY, SECOND, -SECOND])).toEqual([0, SECOND, -SECOND]);
    expect(believed([0, DAY, SECOND, 31 * SECOND + 1])).toEqual([]);
  });

  it('is believed instead of others with less evidence', () => {
    expect(believed([DAY, 0, 0], [DAY])).toEqual([DAY]);
    expect(believed([DAY, 0, 0], [0, DAY])).toEqual([0, 0]);
    expect(believed([0, DAY, 0, 0], [DAY])).toEqual([0, 0, 0]);
  });

  it('is believed among five or more, also without agreement, because wrong ones are outvoted', () => {
    expect(believed([0, HOUR, DAY, -HOUR])).toEqual([]);
    expect(believed([0, HOUR, DAY, -HOUR, -DAY])).toEqual([0, HOUR, DAY, -HOUR, -DAY]);
  });

  // Seeds 602933 and 605011: three of the six Dates of a process were hours ahead.
  it('is believed with a witness where as many others, or one more, agree on another time', () => {
    const hours = (count: number) => Array<number>(count).fill(HOUR);

    expect(believed([0, 0, 0, ...hours(3)], [0])).toEqual([0, 0, 0]);
    expect(believed([0, 0, 0, ...hours(4)], [0])).toEqual([0, 0, 0]);
    expect(believed([0, 0, 0, ...hours(6)], [0])).toEqual(hours(6));
    expect(believed([0, 0, 0, ...hours(3)])).toEqual([0, 0, 0, ...hours(3)]);
  });

  it('is not invented from a witness', () => {
    expect(believed([], [0])).toEqual([]);
  });
});
