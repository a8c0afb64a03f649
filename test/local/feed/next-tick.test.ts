import { describe, expect, it } from 'vitest';
import { longestTick, nextTick } from '../../../local/feed/next-tick.ts';
import { MILLISECOND } from '../../../shared/instant.ts';
import { beginRound } from '../../../shared/reading/round.ts';
import { firstState } from '../../../shared/source/first-state.ts';
import type { SourceState } from '../../../shared/source/source-state.ts';

const SETTINGS = { intervalMs: 60_000, lookbackMs: 300_000, requestsPerMinute: 240, walkShare: 0.1 };
const LAST = 1_000_000_000;

/** A state with its next walk, or a look-up, so long after the last tick. */
function state(walkInMs: number, changes: Partial<SourceState> = {}): SourceState {
  const settings = { name: 'acme', baseline: 'silent' } as const;
  const first = firstState({ settings, mintedIn: 'here', mintedAt: LAST * MILLISECOND });
  const dueAt = (LAST + walkInMs) * MILLISECOND;
  const lanes = { ...first.lanes, recent: { ...first.lanes.recent, dueAt } };
  return { ...first, baselineAt: LAST * MILLISECOND, lanes, ...changes };
}

/** A tick after which polls are due a minute after the last one. */
const done = (walkInMs: number, changes: Partial<SourceState> = {}) => ({
  outcome: 'done' as const,
  error: undefined,
  pollsAt: (LAST + 60_000) * MILLISECOND,
  state: state(walkInMs, changes),
});
const NOTHING_DUE = done(600_000);

describe('the next tick', () => {
  it('begins when polls are due, independent of the duration of the last one', () => {
    expect(nextTick({ last: LAST, now: LAST + 59_000 }, SETTINGS, NOTHING_DUE)).toBe(LAST + 60_000);
  });

  it('begins not before polls are due, to the millisecond', () => {
    const pollsAt = (LAST + 60_000) * MILLISECOND + 1;

    expect(nextTick({ last: LAST, now: LAST + 2_000 }, SETTINGS, { ...NOTHING_DUE, pollsAt })).toBe(
      LAST + 60_001,
    );
  });

  it('follows soon if polls are overdue', () => {
    expect(nextTick({ last: LAST, now: LAST + 200_000 }, SETTINGS, NOTHING_DUE)).toBe(LAST + 200_200);
  });

  it('is at most one interval from now, as if the clock was set back', () => {
    const now = LAST - 3_600_000;

    expect(nextTick({ last: LAST, now }, SETTINGS, NOTHING_DUE)).toBe(now + 60_000);
  });

  it('is at the time of a walk that is due before the next poll', () => {
    expect(nextTick({ last: LAST, now: LAST + 2_000 }, SETTINGS, done(4_500))).toBe(LAST + 4_500);
  });

  it('is at the time of a walk over older groups only where these are walked apart', () => {
    const { lanes } = state(600_000);
    const older = { ...lanes.older, dueAt: (LAST + 5_000) * MILLISECOND };
    const few = { lanes: { ...lanes, older } };
    const many = { lanes: { ...lanes, older: { ...older, groups: 1_000_000 } } };
    const times = { last: LAST, now: LAST + 2_000 };

    expect(nextTick(times, SETTINGS, done(600_000, few))).toBe(LAST + 60_000);
    expect(nextTick(times, SETTINGS, done(600_000, many))).toBe(LAST + 5_000);
  });

  it('is at the time of a look-up that is due before the next poll', () => {
    const lookUps = [{ groupId: 7, dueAt: (LAST + 9_000) * MILLISECOND }];

    expect(nextTick({ last: LAST, now: LAST + 2_000 }, SETTINGS, done(600_000, { lookUps }))).toBe(
      LAST + 9_000,
    );
  });

  it('follows soon if a round is under way, after a pause that the service asked for', () => {
    const { lanes } = state(600_000);
    const late = { ...lanes.late, round: beginRound(LAST * MILLISECOND, [{ axis: 'updated' }]) };
    const underWay = { lanes: { ...lanes, late } };
    const paused = { ...underWay, pausedUntil: (LAST + 70_000) * MILLISECOND };
    const times = { last: LAST, now: LAST + 50_000 };

    expect(nextTick(times, SETTINGS, done(600_000, underWay))).toBe(LAST + 50_200);
    expect(nextTick(times, { ...SETTINGS, intervalMs: 120_000 }, done(600_000, paused))).toBe(LAST + 70_000);
  });

  it('is a whole number of intervals after the last one if the service fails, or known groups are not found', () => {
    const hold = { kind: 'other_store', number: 1, count: 1, samples: [], since: 0 } as const;
    const held = done(5_000, { holds: [{ ...hold, phase: 'holding', phaseSince: 0 }] });
    const failing = { ...done(5_000), error: new Error('500') };

    for (const report of [held, failing]) {
      expect(nextTick({ last: LAST, now: LAST + 7_000 }, SETTINGS, report)).toBe(LAST + 60_000);
      expect(nextTick({ last: LAST, now: LAST + 200_000 }, SETTINGS, report)).toBe(LAST + 180_000);
    }
  });
});

describe('a tick', () => {
  it.each([
    [1_000, 15_000],
    [30_000, 30_000],
    [3_600_000, 50_000],
  ])('with an interval of %i ms lasts %i ms at most', (intervalMs, durationMs) => {
    expect(longestTick({ intervalMs })).toBe(durationMs);
  });
});
