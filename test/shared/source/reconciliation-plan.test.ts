import { describe, expect, it } from 'vitest';
import { mostRemovals } from '../../../shared/guarding/most-removals.ts';
import { DAY, MINUTE, SECOND } from '../../../shared/instant.ts';
import { FIRST_WIDTH } from '../../../shared/limits.ts';
import { beginCycle, type CycleState, newCycle } from '../../../shared/source/cycle-state.ts';
import {
  dueTier,
  fitsCycle,
  nextCycleIn,
  pauseAfterRange,
  planCycles,
  requestsOfAll,
} from '../../../shared/source/reconciliation-plan.ts';
import type { BaselineState } from '../../../shared/source/source-state.ts';

const PACE = { reconcileMs: 600_000, requestsPerMinute: 240, settleMs: 60_000 };
const NOW = 1_000 * DAY;

function cycle(changes: Partial<CycleState> = {}): CycleState {
  return { ...newCycle(NOW), rangeWidth: DAY, ...changes };
}

function state({ requests = 100, groups = 1_000, recent = cycle(), open = cycle(), all = cycle() } = {}) {
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
  return { baseline, longestPage: 0, reconciliation: { recent, open, all } };
}

/** More requests than half of the budget of ten minutes. */
const LONG = 1_201;

describe('a walk that fits a cycle', () => {
  it('is due once a cycle, and stays due until it is complete', () => {
    const fits = state();

    expect(dueTier(fits, PACE, NOW + 10 * MINUTE - 10 * SECOND - 1)).toBeUndefined();
    expect(dueTier(fits, PACE, NOW + 10 * MINUTE)).toBe('all');
    expect(dueTier(state({ all: cycle({ isUnderWay: true }) }), PACE, NOW)).toBe('all');
  });

  it("takes at most half of a cycle's budget, measured by the last walk if there was one", () => {
    expect(fitsCycle(state({ requests: 1_200 }), PACE)).toBe(true);
    expect(fitsCycle(state({ requests: LONG }), PACE)).toBe(false);
    expect(fitsCycle(state({ requests: LONG, all: cycle({ lastRequests: 1_000 }) }), PACE)).toBe(true);
    expect(fitsCycle(state({ all: cycle({ lastRequests: LONG }) }), PACE)).toBe(false);
  });

  it('takes no fewer requests than the walk under way, because stores grow', () => {
    const all = cycle({ isUnderWay: true, requests: LONG, lastRequests: 100 });

    expect(fitsCycle(state({ all }), PACE)).toBe(false);
    expect(fitsCycle(state({ all: { ...all, isUnderWay: false } }), PACE)).toBe(true);
  });

  it('is estimated at no more than three requests a piece before the first walk, even after a longer baseline', () => {
    const known = { ...state({ requests: LONG }), longestPage: 20 };
    const groups = (count: number) => ({ ...known, baseline: { ...known.baseline, groups: count } });

    expect(requestsOfAll(groups(200))).toBe(42);
    expect(requestsOfAll(groups(20_000))).toBe(LONG);
  });

  it('is any walk of at most 100 requests, even with a small budget', () => {
    expect(fitsCycle(state({ requests: 100 }), { reconcileMs: 1_000, requestsPerMinute: 1 })).toBe(true);
    expect(fitsCycle(state({ requests: 101 }), { reconcileMs: 1_000, requestsPerMinute: 1 })).toBe(false);
  });
});

describe('a walk that does not fit a cycle', () => {
  it('takes its share, as walks over the open groups do; walks over the recent groups have the rest', () => {
    const all = cycle({ isUnderWay: true, pausedUntil: NOW + 10 * MINUTE + 3 });
    const open = cycle({ pausedUntil: NOW + 10 * MINUTE + 5 });
    const recent = cycle({ pausedUntil: NOW + 10 * MINUTE + 3 });
    const slow = state({ requests: LONG, all, open, recent });

    expect(dueTier(slow, PACE, NOW + 10 * MINUTE - 10 * SECOND - 1)).toBeUndefined();
    expect(dueTier(slow, PACE, NOW + 10 * MINUTE)).toBe('recent');
    expect(dueTier(slow, PACE, NOW + 10 * MINUTE + 3)).toBe('all');
    const after = cycle({ isUnderWay: true, pausedUntil: NOW + 10 * MINUTE + 9 });
    const later = cycle({ isUnderWay: true, pausedUntil: NOW + 10 * MINUTE + 5 });
    expect(
      dueTier(state({ requests: LONG, all: after, open, recent: later }), PACE, NOW + 10 * MINUTE + 5),
    ).toBe('open');
  });

  it('gives way to walks over open and recent groups while it pauses', () => {
    const underWay = cycle({ isUnderWay: true });

    expect(
      dueTier(state({ requests: LONG, all: underWay, open: underWay, recent: underWay }), PACE, NOW),
    ).toBe('all');
    const pausing = cycle({ isUnderWay: true, pausedUntil: NOW + 5 });
    expect(
      dueTier(state({ requests: LONG, all: pausing, open: underWay, recent: underWay }), PACE, NOW),
    ).toBe('open');
    expect(dueTier(state({ requests: LONG, all: pausing, open: pausing, recent: underWay }), PACE, NOW)).toBe(
      'recent',
    );
  });

  // Before, the two others took whole ticks in turn, and the recent walk never began.
  it('is one of three that take turns if pauses end within a tick', () => {
    const turns = { recent: NOW - 3, open: NOW - 2, all: NOW - 1 };
    const tierAfter = (changed: Partial<typeof turns>) => {
      const { recent, open, all } = { ...turns, ...changed };
      const underWay = (pausedUntil: number) => cycle({ isUnderWay: true, pausedUntil });
      const walks = { recent: underWay(recent), open: underWay(open), all: underWay(all) };
      return dueTier(state({ requests: LONG, ...walks }), PACE, NOW);
    };

    expect(tierAfter({})).toBe('recent');
    expect(tierAfter({ recent: NOW })).toBe('open');
    expect(tierAfter({ recent: NOW, open: NOW })).toBe('all');
    expect(tierAfter({ recent: NOW, open: NOW + 5 })).toBe('all');
    // A clock was ahead.
    expect(tierAfter({ recent: NOW + DAY })).toBe('recent');
    expect(tierAfter({ open: NOW + DAY })).toBe('open');
    expect(tierAfter({ all: NOW + DAY })).toBe('all');
  });

  it('pauses after each range so that it takes a fifth of the budget', () => {
    expect(pauseAfterRange('all', 48, PACE)).toBe(MINUTE);
  });

  // Seed 600644: the clock was ahead while a walk ended, which then paused for an hour and was reported as stalled.
  it('ignores a pause longer than two of the longest ranges and a look-up: it comes from a clock that was ahead', () => {
    const longest = 2 * pauseAfterRange('all', 160, PACE) + MINUTE;
    const pausingFor = (time: number) => {
      const pausing = cycle({ pausedUntil: NOW + time });
      return dueTier(state({ requests: LONG, all: pausing, open: pausing }), PACE, NOW);
    };

    expect(pausingFor(longest)).toBeUndefined();
    expect(pausingFor(longest + 1)).toBe('all');
  });
});

it('a cycle begins with counts of zero, and a cycle over recent groups begins 45 days back', () => {
  const old = cycle({ requests: 5, removals: 6, coveredThrough: 7, lastRequests: 8 });

  const fresh = { isUnderWay: true, startedAt: NOW + 1, requests: 0, removals: 0, lastRequests: 8 };
  expect(beginCycle(old, 'all', NOW + 1)).toMatchObject({
    ...fresh,
    coveredThrough: undefined,
    rangeWidth: FIRST_WIDTH,
  });
  expect(beginCycle(old, 'recent', NOW + 1)).toMatchObject({
    ...fresh,
    coveredThrough: NOW + 1 - 45 * DAY,
    rangeWidth: DAY,
  });
});

it('a cycle permits the removal of twenty groups, or of one in a hundred', () => {
  expect(mostRemovals(state({ groups: 2_099 }))).toBe(20);
  expect(mostRemovals(state({ groups: 2_100 }))).toBe(21);
});

describe('the planned length of a cycle', () => {
  it('is the set length if a walk over all groups fits it', () => {
    expect(planCycles(state(), PACE)).toEqual([{ tier: 'all', lengthMs: 600_000, requests: 100 }]);
  });

  it('is longer if half the budget is too small for a small walk over all groups', () => {
    const all = cycle({ lastRequests: 40 });

    const [planned] = planCycles(state({ all }), { reconcileMs: 5_000, requestsPerMinute: 240 });

    expect(planned).toEqual({ tier: 'all', lengthMs: 20_000, requests: 40 });
  });

  it('follows from the share and the requests of each walk, and is unknown before the first walk', () => {
    const [recent, open] = [cycle({ lastRequests: 2_880 }), cycle({ lastRequests: 960 })];

    const known = planCycles(state({ requests: 48_000, recent, open }), PACE);
    const unknown = planCycles(state({ requests: 48_000 }), PACE);

    expect(known.map(({ tier, lengthMs }) => [tier, lengthMs && lengthMs / 60_000])).toEqual([
      ['recent', 20],
      ['open', 20],
      ['all', 1_000],
    ]);
    expect(unknown.map(({ lengthMs }) => lengthMs)).toEqual([undefined, undefined, 60_000_000]);
  });
});

describe('a tick that comes a moment before a cycle is due', () => {
  it.each([
    { reconcileMs: 600_000, early: 10 * SECOND },
    { reconcileMs: 60_000, early: 6 * SECOND },
    { reconcileMs: 5_000, early: SECOND / 2 },
  ])(
    'begins a cycle of $reconcileMs ms at most a tenth, and ten seconds, early',
    ({ reconcileMs, early }) => {
      const pace = { ...PACE, reconcileMs };
      const due = NOW + (reconcileMs / 1_000) * SECOND;
      const small = state({ requests: 10 });

      expect(dueTier(small, pace, due - early - 1)).toBeUndefined();
      expect(dueTier(small, pace, due - early)).toBe('all');
    },
  );
});

describe('the next cycle', () => {
  it('is due one length after the last began: over all groups if their walk fits, else over the recent', () => {
    const all = cycle({ startedAt: NOW - MINUTE });

    expect(nextCycleIn(state({ all }), PACE, NOW)).toBe(9 * MINUTE);
    expect(nextCycleIn(state({ requests: LONG, all }), PACE, NOW)).toBe(10 * MINUTE);
  });

  it('is due at once if it is late or was requested', () => {
    const late = cycle({ startedAt: NOW - 11 * MINUTE });

    expect(nextCycleIn(state({ all: late }), PACE, NOW)).toBe(0);
    expect(nextCycleIn(state({ all: cycle({ isAsked: true }) }), PACE, NOW)).toBe(0);
  });

  it('is unknown while a cycle is under way and before the baseline is complete', () => {
    const known = state();
    const baseline = { ...known.baseline, status: 'running' as const };

    expect(nextCycleIn(state({ all: cycle({ isUnderWay: true }) }), PACE, NOW)).toBeUndefined();
    expect(nextCycleIn({ ...known, baseline }, PACE, NOW)).toBeUndefined();
  });
});
