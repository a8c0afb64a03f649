import { describe, expect, it } from 'vitest';
import { DAY, HOUR, SECOND } from '../../../shared/instant.ts';
import { believeDates } from '../../../shared/pacing/believe-dates.ts';

/** Bounds by Dates that say that the service's time is ahead by this. */
function told(...ahead: readonly number[]) {
  return ahead.map((lower) => ({ lower, upper: lower + SECOND }));
}

/** How far ahead those say that are believed. */
function believed(ahead: readonly number[], witnesses: readonly number[] = []): number[] {
  return believeDates(told(...ahead), witnesses).map(({ lower }) => lower);
}

describe('a Date', () => {
  it('is not believed alone, nor are two that agree', () => {
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

  it('is believed with two others like it, and so are they', () => {
    expect(believed([0, DAY, SECOND, -SECOND])).toEqual([0, SECOND, -SECOND]);
    expect(believed([0, DAY, SECOND, 31 * SECOND + 1])).toEqual([]);
  });

  it('is believed before others that have less to speak for them', () => {
    expect(believed([DAY, 0, 0], [DAY])).toEqual([DAY]);
    expect(believed([DAY, 0, 0], [0, DAY])).toEqual([0, 0]);
    expect(believed([0, DAY, 0, 0], [DAY])).toEqual([0, 0, 0]);
  });

  it('is one of many: five are not asked whether they agree, for those that are wrong are outvoted', () => {
    expect(believed([0, HOUR, DAY, -HOUR])).toEqual([]);
    expect(believed([0, HOUR, DAY, -HOUR, -DAY])).toEqual([0, HOUR, DAY, -HOUR, -DAY]);
  });

  it('is none where none was told', () => {
    expect(believed([], [0])).toEqual([]);
  });
});
