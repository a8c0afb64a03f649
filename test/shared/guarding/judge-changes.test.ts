import { describe, expect, it } from 'vitest';
import type { UsualChange } from '../../../shared/guarding/guarding-state.ts';
import {
  type Differing,
  isImprobable,
  isUsual,
  learnUsual,
  rateOf,
} from '../../../shared/guarding/judge-changes.ts';
import { DAY, HOUR, MINUTE } from '../../../shared/instant.ts';

const NOW = 1_000 * DAY;
const CALM = { ratePerHour: 0, learnedAt: NOW, isWhole: true };
/** The usual rate after a walk that found these groups. */
function learn(found: Differing, usual: UsualChange | undefined, now: number): UsualChange {
  return learnUsual(rateOf(found, usual, now), usual, now);
}

const MOST = { compared: 100, unstamped: 90, duration: HOUR };

describe('many changes without newer stamps', () => {
  it('are improbable if they are more than half of the groups, more than twenty, and new', () => {
    expect(isImprobable(MOST, CALM, NOW)).toBe(true);
    expect(isImprobable({ ...MOST, unstamped: 51 }, CALM, NOW)).toBe(true);
    expect(isImprobable({ ...MOST, unstamped: 50 }, CALM, NOW)).toBe(false);
    expect(isImprobable({ compared: 21, unstamped: 21, duration: HOUR }, CALM, NOW)).toBe(true);
    expect(isImprobable({ compared: 20, unstamped: 20, duration: HOUR }, CALM, NOW)).toBe(false);
  });

  it('are never improbable before a whole walk has shown the usual rate', () => {
    expect(isImprobable(MOST, undefined, NOW)).toBe(false);
    expect(isImprobable(MOST, { ...CALM, isWhole: false }, NOW)).toBe(false);
  });

  it('are probable if about as many are usual in the same time', () => {
    const aFifthInTenMinutes = learn({ compared: 100, unstamped: 20, duration: 10 * MINUTE }, CALM, NOW);

    expect(isImprobable({ ...MOST, duration: 10 * MINUTE }, aFifthInTenMinutes, NOW)).toBe(true);
    expect(isImprobable({ ...MOST, duration: 20 * MINUTE }, aFifthInTenMinutes, NOW)).toBe(false);
    expect(isImprobable({ ...MOST, duration: MINUTE }, aFifthInTenMinutes, NOW)).toBe(true);
  });
});

describe('a page of changes without newer stamps', () => {
  const differing = (compared: number, unstamped: number, duration = HOUR) => ({
    compared,
    unstamped,
    duration,
  });

  it('is usual up to a quarter of its groups, even with few groups', () => {
    expect(isUsual(differing(100, 25), CALM, NOW)).toBe(true);
    expect(isUsual(differing(100, 26), CALM, NOW)).toBe(false);
    expect(isUsual(differing(4, 1), CALM, NOW)).toBe(true);
    expect(isUsual(differing(3, 1), CALM, NOW)).toBe(false);
  });

  it('is usual without any change, even if nothing was compared', () => {
    expect(isUsual(differing(0, 0), CALM, NOW)).toBe(true);
  });

  it('is usual before a whole walk has shown the usual rate', () => {
    expect(isUsual(MOST, undefined, NOW)).toBe(true);
    expect(isUsual(MOST, { ...CALM, isWhole: false }, NOW)).toBe(true);
  });

  it('is usual up to four times the share that is usual in the same time', () => {
    const aTenthInTenMinutes = learn(differing(100, 10, 10 * MINUTE), CALM, NOW);

    expect(isUsual(differing(100, 39, 10 * MINUTE), aTenthInTenMinutes, NOW)).toBe(true);
    expect(isUsual(differing(100, 41, 10 * MINUTE), aTenthInTenMinutes, NOW)).toBe(false);
    expect(isUsual(differing(100, 39, MINUTE), aTenthInTenMinutes, NOW)).toBe(false);
  });
});

describe('a page that differs more than usual', () => {
  const inTenMinutes = (unstamped: number) => ({ compared: 100, unstamped, duration: 10 * MINUTE });

  it.each([
    [39, 10, true],
    [39, 9, false],
    [50, 20, true],
    [51, 20, false],
    [51, 90, false],
  ])('%i of 100, after %i in the same time: published %s', (changed, noted, isPublished) => {
    const rate = rateOf(inTenMinutes(noted), CALM, NOW);

    expect(isUsual(inTenMinutes(changed), CALM, NOW, rate)).toBe(isPublished);
  });
});

describe('the usual rate', () => {
  const few = { compared: 22, unstamped: 19, duration: HOUR };

  it('is not learned from groups that are published only because they are few', () => {
    expect(learn(few, CALM, NOW).ratePerHour).toBe(0);
    expect(learn({ ...few, unstamped: 11 }, CALM, NOW).ratePerHour).toBeGreaterThan(0);
    expect(learn({ ...few, compared: 23, unstamped: 21 }, CALM, NOW).ratePerHour).toBeGreaterThan(0);
  });

  it('is learned from few groups before a whole walk has shown one', () => {
    expect(learn(few, undefined, NOW).ratePerHour).toBeGreaterThan(0);
    expect(learn(few, { ...CALM, isWhole: false }, NOW).ratePerHour).toBeGreaterThan(0);
  });

  it('is the highest rate seen, and fades in days', () => {
    const lively = learn({ compared: 100, unstamped: 63, duration: HOUR }, CALM, NOW);
    const calmAgain = learn({ compared: 100, unstamped: 0, duration: HOUR }, lively, NOW + DAY);

    expect(lively.ratePerHour).toBeCloseTo(1, 1);
    expect(calmAgain.ratePerHour).toBeCloseTo(0.5, 1);
    expect(calmAgain.learnedAt).toBe(NOW + DAY);
  });

  it('does not follow from a few groups', () => {
    const few = learn({ compared: 20, unstamped: 20, duration: HOUR }, CALM, NOW);

    expect(few.ratePerHour).toBe(0);
  });
});
