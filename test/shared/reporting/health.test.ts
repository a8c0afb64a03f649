import { describe, expect, it } from 'vitest';
import { MINUTE, SECOND } from '../../../shared/instant.ts';
import { SourceRefused } from '../../../shared/pacing/errors.ts';
import { describeFailure, judgeHealth, type Observed } from '../../../shared/reporting/health.ts';
import type { HealthState } from '../../../shared/source/source-state.ts';

const WELL: HealthState = {
  lastSettledAt: 0,
  lastWalkedAt: 0,
  degradedSince: undefined,
  reasons: [],
  restUntil: 0,
  refusals: 0,
  lastHoldReported: 0,
  setAsideReported: 0,
  failure: undefined,
};

function seen(changes: Partial<Observed>): Observed {
  return {
    now: 0,
    isComplete: false,
    hasWalked: true,
    setAside: [],
    holds: [],
    unstable: undefined,
    pollsAreBlind: false,
    failure: undefined,
    intervalUs: MINUTE,
    ...changes,
  };
}

const ASIDE = { groupId: 184_467, reason: 'id is missing' };

const FAILING = { code: 'failing', message: 'no answer' } as const;

describe('a source that is not covered', () => {
  it.each([
    ['five minutes', 30 * SECOND, 5 * MINUTE],
    ['three intervals', 4 * MINUTE, 12 * MINUTE],
  ])('is degraded after %s, whichever is longer', (_, intervalUs, patience) => {
    const at = judgeHealth(WELL, seen({ now: patience, intervalUs }));
    const after = judgeHealth(WELL, seen({ now: patience + 1, intervalUs }));

    expect(at.report).toBeUndefined();
    expect(after).toMatchObject({
      report: 'degraded',
      health: { degradedSince: patience + 1, lastSettledAt: 0, reasons: [{ code: 'behind' }] },
    });
  });

  it('names as the reason its failure, blind polls or an unstable order', () => {
    const failing = judgeHealth(WELL, seen({ now: MINUTE * 6, failure: FAILING }));
    const unstable = judgeHealth(WELL, seen({ now: MINUTE * 6, unstable: 'the order changed' }));
    const blind = judgeHealth(
      WELL,
      seen({ now: MINUTE * 6, unstable: 'the order changed', pollsAreBlind: true }),
    );

    expect(failing.health.reasons).toEqual([FAILING]);
    expect(unstable.health.reasons).toEqual([
      { code: 'unstable', message: expect.stringContaining('the order changed') },
    ]);
    expect(blind.health.reasons).toEqual([
      { code: 'behind', message: expect.stringContaining('Polls find no changes') },
    ]);
  });

  it('is reported once, keeps its first moment, and recovers with the first complete poll', () => {
    const first = judgeHealth(WELL, seen({ now: 6 * MINUTE }));
    const second = judgeHealth(first.health, seen({ now: 7 * MINUTE }));
    const third = judgeHealth(second.health, seen({ now: 8 * MINUTE, isComplete: true }));

    expect([first.report, second.report, third.report]).toEqual(['degraded', undefined, 'recovered']);
    expect(second.health.degradedSince).toBe(6 * MINUTE);
    expect(third.health).toMatchObject({ degradedSince: undefined, reasons: [], lastSettledAt: 8 * MINUTE });
  });
});

it('a refused token is reported at once, another failure is not', () => {
  const refused = judgeHealth(WELL, seen({ failure: describeFailure(new SourceRefused('refused')) }));
  const failed = judgeHealth(WELL, seen({ failure: FAILING }));

  expect(refused).toMatchObject({
    report: 'degraded',
    health: { reasons: [{ code: 'refused', message: 'refused' }] },
  });
  expect(failed.report).toBeUndefined();
});

it('unreadable groups degrade a source although its polls are complete', () => {
  const one = judgeHealth(WELL, seen({ isComplete: true, setAside: [ASIDE] }));
  const none = judgeHealth(one.health, seen({ isComplete: true, setAside: [] }));

  expect(one).toMatchObject({ report: 'degraded', health: { reasons: [{ code: 'unreadable' }] } });
  expect(none.report).toBe('recovered');
});

it('a source recovers only after a complete poll, also if all other reasons are gone', () => {
  const { health } = judgeHealth(WELL, seen({ isComplete: true, setAside: [ASIDE] }));

  const unread = judgeHealth(health, seen({ now: SECOND, setAside: [] }));

  expect(unread.report).toBeUndefined();
  expect(unread.health.degradedSince).toBe(0);
});

describe('a hold', () => {
  const FIRST = { number: 1, message: '25 are missing' };

  it('is reported at once, and as recovered once it is over', () => {
    const held = judgeHealth(WELL, seen({ isComplete: true, holds: [FIRST] }));
    const next = judgeHealth(held.health, seen({ isComplete: true, now: MINUTE, holds: [FIRST] }));
    const recovered = judgeHealth(next.health, seen({ isComplete: true, now: 2 * MINUTE }));

    expect([held.report, next.report, recovered.report]).toEqual(['degraded', undefined, 'recovered']);
    expect(next.health.reasons).toEqual([{ code: 'held', message: '25 are missing' }]);
  });

  it('is reported once, also for a source that was degraded before', () => {
    const second = { number: 2, message: 'the token shows another store' };
    const before = judgeHealth(WELL, seen({ isComplete: true, setAside: [ASIDE] }));
    const first = judgeHealth(before.health, seen({ setAside: [ASIDE], holds: [FIRST] }));
    const both = judgeHealth(first.health, seen({ setAside: [ASIDE], holds: [FIRST, second] }));
    const still = judgeHealth(both.health, seen({ setAside: [ASIDE], holds: [FIRST] }));

    expect([before.report, first.report, both.report, still.report]).toEqual([
      'degraded',
      'degraded',
      'degraded',
      undefined,
    ]);
    expect(both.health.reasons.map(({ code }) => code)).toEqual(['held', 'held', 'unreadable']);
  });
});

it('many more unreadable groups are reported again, a few more are not', () => {
  const judged = [1, 2, 3, 3, 6, 7, 8].reduce<{ health: HealthState; reports: unknown[] }>(
    ({ health, reports }, count) => {
      const setAside = Array.from({ length: count }, () => ASIDE);
      const next = judgeHealth(health, seen({ isComplete: true, setAside }));
      return { health: next.health, reports: [...reports, next.report] };
    },
    { health: WELL, reports: [] },
  );
  const recovered = judgeHealth(judged.health, seen({ isComplete: true }));
  const again = judgeHealth(recovered.health, seen({ isComplete: true, setAside: [ASIDE] }));

  expect(judged.reports).toEqual([
    'degraded',
    undefined,
    'degraded',
    undefined,
    undefined,
    'degraded',
    undefined,
  ]);
  expect([recovered.report, again.report]).toEqual(['recovered', 'degraded']);
});

describe('walks that make no progress while polls succeed', () => {
  const STILL = { isComplete: true, hasWalked: false, now: 6 * MINUTE } as const;

  it('are reported with the service’s answer', () => {
    const { health } = judgeHealth(WELL, seen({ ...STILL, failure: FAILING }));

    expect(health.reasons).toEqual([
      { code: 'stalled', message: expect.stringMatching(/has made no progress.* no answer$/) },
    ]);
  });

  it('do not hide later failures of polls', () => {
    const still = judgeHealth(WELL, seen({ ...STILL, failure: FAILING }));
    const behind = { hasWalked: false, failure: FAILING };
    const failing = judgeHealth(still.health, seen({ ...behind, now: 12 * MINUTE }));
    const later = judgeHealth(failing.health, seen({ ...behind, now: 13 * MINUTE }));

    expect([still.report, failing.report, later.report]).toEqual(['degraded', 'degraded', undefined]);
    expect(failing.health.reasons).toEqual([FAILING]);
  });
});

it('names a few of the unreadable groups, with their reasons', () => {
  const aside = [ASIDE, { groupId: undefined, reason: 'the row is a text' }, ASIDE, ASIDE, ASIDE];

  const [one, many] = [[ASIDE], aside].map(
    (setAside) => judgeHealth(WELL, seen({ setAside })).health.reasons[0],
  );

  expect(one?.message).toBe('1 return group is set aside: 184467 (id is missing).');
  expect(many?.message).toBe(
    '5 return groups are set aside: 184467 (id is missing), one without an id (the row is a text), ' +
      '184467 (id is missing) and 2 more.',
  );
});
