import { describe, expect, it } from 'vitest';
import { HOUR, MINUTE, SECOND } from '../../../shared/instant.ts';
import { restAfter, restLeft } from '../../../shared/pacing/rest.ts';

const NOW = 100 * HOUR;

describe('the rest after refusals', () => {
  it('doubles from one interval to a quarter of an hour', () => {
    const rests = [1, 2, 3, 4, 5, 6, 100, 5_000].map((refusals) => restAfter(refusals, MINUTE));

    expect(rests).toEqual([1, 2, 4, 8, 15, 15, 15, 15].map((minutes) => minutes * MINUTE));
  });

  it('begins at five seconds for a source that is polled every second', () => {
    const rests = [1, 2, 3].map((refusals) => restAfter(refusals, SECOND));

    expect(rests).toEqual([5 * SECOND, 10 * SECOND, 20 * SECOND]);
  });

  it('is at most a quarter of an hour, also for a source that is polled rarely', () => {
    expect(restAfter(1, HOUR)).toBe(15 * MINUTE);
  });

  it('is zero without a refusal', () => {
    expect(restAfter(0, MINUTE)).toBe(0);
  });
});

describe('the remaining rest', () => {
  it.each([
    { name: 'lasts for a quarter of an hour at most', until: NOW + 15 * MINUTE, left: 15 * MINUTE },
    { name: 'lasts until its last microsecond', until: NOW + 1, left: 1 },
    { name: 'is over at its end', until: NOW, left: 0 },
    { name: 'is over after its end', until: NOW - HOUR, left: 0 },
    { name: 'does not count if a wrong clock made it longer', until: NOW + 15 * MINUTE + 1, left: 0 },
  ])('$name', ({ until, left }) => {
    expect(restLeft(until, NOW)).toBe(left);
  });
});
