import { describe, expect, it } from 'vitest';
import { DAY, MINUTE } from '../../shared/instant.ts';
import {
  beginCycle,
  dueTier,
  fitsCycle,
  mostRemovals,
  pauseAfterRange,
} from '../../shared/reconciliation-plan.ts';
import type { BaselineState, CycleState } from '../../shared/source-state.ts';

const PACE = { reconcileMs: 600_000, requestsPerMinute: 240 };
const NOW = 1_000 * DAY;

function cycle(changes: Partial<CycleState> = {}): CycleState {
  return {
    isUnderWay: false,
    startedAt: NOW,
    coveredThrough: undefined,
    rangeWidth: DAY,
    pausedUntil: 0,
    requests: 0,
    removals: 0,
    compared: 0,
    unstamped: 0,
    previousStartedAt: undefined,
    isAsked: false,
    lastRequests: undefined,
    lastCompletedAt: undefined,
    ...changes,
  };
}

function state({ requests = 100, groups = 1_000, recent = cycle(), all = cycle() } = {}) {
  const baseline: BaselineState = {
    mode: 'silent',
    status: 'completed',
    startedAt: 0,
    coveredThrough: NOW,
    rangeWidth: DAY,
    groups,
    requests,
    estimatedGroups: groups,
  };
  return { baseline, reconciliation: { recent, all } };
}

/** More requests than half of ten minutes' budget. */
const LONG = 1_201;

describe('a walk that fits a cycle', () => {
  it('is due once a cycle, and until it is done', () => {
    const fits = state();

    expect(dueTier(fits, PACE, NOW + 10 * MINUTE - 1)).toBeUndefined();
    expect(dueTier(fits, PACE, NOW + 10 * MINUTE)).toBe('all');
    expect(dueTier(state({ all: cycle({ isUnderWay: true }) }), PACE, NOW)).toBe('all');
  });

  it("takes at most half of a cycle's budget, by the last walk where there was one", () => {
    expect(fitsCycle(state({ requests: 1_200 }), PACE)).toBe(true);
    expect(fitsCycle(state({ requests: LONG }), PACE)).toBe(false);
    expect(fitsCycle(state({ requests: LONG, all: cycle({ lastRequests: 1_000 }) }), PACE)).toBe(true);
    expect(fitsCycle(state({ all: cycle({ lastRequests: LONG }) }), PACE)).toBe(false);
  });

  it('is any walk of a small store, however small the budget', () => {
    expect(fitsCycle(state({ requests: 50 }), { reconcileMs: 1_000, requestsPerMinute: 1 })).toBe(true);
    expect(fitsCycle(state({ requests: 51 }), { reconcileMs: 1_000, requestsPerMinute: 1 })).toBe(false);
  });
});

describe('a walk that does not fit', () => {
  it('is done in what the walks over the recent leave, and in its share', () => {
    const all = cycle({ isUnderWay: true, pausedUntil: NOW + 5 });

    expect(dueTier(state({ requests: LONG, all }), PACE, NOW + 4)).toBeUndefined();
    expect(dueTier(state({ requests: LONG, all }), PACE, NOW + 5)).toBe('all');
    expect(dueTier(state({ requests: LONG, all }), PACE, NOW + 10 * MINUTE)).toBe('recent');
  });

  it('pauses so long that it takes a fifth of the budget', () => {
    expect(pauseAfterRange(48, PACE)).toBe(MINUTE);
  });
});

it('a cycle begins with nothing counted; that of the recent 45 days back', () => {
  const old = cycle({ requests: 5, removals: 6, coveredThrough: 7, lastRequests: 8 });

  const fresh = { isUnderWay: true, startedAt: NOW + 1, requests: 0, removals: 0, lastRequests: 8 };
  expect(beginCycle(old, 'all', NOW + 1)).toMatchObject({ ...fresh, coveredThrough: undefined });
  expect(beginCycle(old, 'recent', NOW + 1)).toMatchObject({ ...fresh, coveredThrough: NOW + 1 - 45 * DAY });
});

it('twenty groups of a cycle may be gone, or one in a hundred', () => {
  expect(mostRemovals(state({ groups: 2_099 }))).toBe(20);
  expect(mostRemovals(state({ groups: 2_100 }))).toBe(21);
});
