import { describe, expect, it } from 'vitest';
import { MINUTE, SECOND } from '../../../shared/instant.ts';
import { createPace } from '../../../shared/pacing/pace.ts';

describe('a pace', () => {
  it('is at first a guess, and never faster than the budget', () => {
    expect(createPace(1_000_000).requestsIn(10 * SECOND)).toBe(40);
    expect(createPace(60).requestsIn(MINUTE)).toBe(60);
  });

  it('is what was measured, half of it from the newest measurement', () => {
    const pace = createPace(240);

    pace.note(10, 10 * SECOND);
    const afterOne = pace.requestsIn(MINUTE);
    pace.note(10, 30 * SECOND);

    expect(afterOne).toBe(60);
    expect(pace.requestsIn(MINUTE)).toBe(30);
  });

  it('learns nothing from a few requests', () => {
    const pace = createPace(60);

    pace.note(4, MINUTE);
    const afterFour = pace.requestsIn(MINUTE);
    pace.note(5, MINUTE);

    expect(afterFour).toBe(60);
    expect(pace.requestsIn(MINUTE)).toBe(5);
  });

  it('has no requests for time that is over', () => {
    expect(createPace(240).requestsIn(-SECOND)).toBe(0);
  });
});
