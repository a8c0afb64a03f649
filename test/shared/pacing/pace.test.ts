import { describe, expect, it } from 'vitest';
import { HOUR, MINUTE, SECOND } from '../../../shared/instant.ts';
import { createPace } from '../../../shared/pacing/pace.ts';

describe('a pace', () => {
  it('is an estimate at first, and never faster than the budget', () => {
    expect(createPace(1_000_000).requestsIn(10 * SECOND)).toBe(40);
    expect(createPace(60).requestsIn(MINUTE)).toBe(60);
  });

  it('is measured, with the newest measurement as one half', () => {
    const pace = createPace(240);

    pace.note(10, 10 * SECOND);
    const afterOne = pace.requestsIn(MINUTE);
    pace.note(10, 30 * SECOND);

    expect(afterOne).toBe(60);
    expect(pace.requestsIn(MINUTE)).toBe(30);
  });

  it('learns nothing from a few requests until there are more', () => {
    const pace = createPace(60);

    pace.note(4, 4 * MINUTE);
    const afterFour = pace.requestsIn(MINUTE);
    pace.note(0, HOUR);
    pace.note(6, MINUTE);

    expect(afterFour).toBe(60);
    expect(pace.requestsIn(MINUTE)).toBe(2);
  });

  it('is learned from five requests, also if they are noted in parts', () => {
    const pace = createPace(60);

    pace.note(4, 4 * MINUTE);
    pace.note(1, MINUTE);

    expect(pace.requestsIn(MINUTE)).toBe(1);
  });

  it('recovers from one slow measurement, also with a few requests at a time', () => {
    const pace = createPace(240);
    pace.note(10, 10 * MINUTE);

    for (let times = 0; times < 60; times += 1) pace.note(2, SECOND);

    expect(pace.requestsIn(MINUTE)).toBeGreaterThan(80);
  });

  it('has no requests for a negative time', () => {
    expect(createPace(240).requestsIn(-SECOND)).toBe(0);
  });
});
