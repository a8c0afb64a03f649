import { describe, expect, it } from 'vitest';
import { NO_GUARDING } from '../../../shared/guarding/guarding-state.ts';
import {
  beginCycleOfHolds,
  countForPermit,
  endCycleOfHolds,
  findPermit,
  type Guarded,
  holdBack,
  standingHolds,
} from '../../../shared/guarding/holds.ts';
import { releaseHold } from '../../../shared/guarding/release-hold.ts';
import { aState } from '../../contract/sample-states.ts';
import { idsFrom } from '../reading/some-rows.ts';

const MISSING = { guard: 'groups_removed', tier: 'all', suspects: 25, from: 7 } as const;
const WELL = aState('acme', 1, { guarding: NO_GUARDING });

const sampledGroups = (state: Guarded) =>
  standingHolds(state).flatMap(({ samples }) => samples.map(({ groupId }) => groupId));

describe('a hold', () => {
  it('gets the next number, and keeps it while it occurs again', () => {
    const first = holdBack(WELL, MISSING, 100);
    const second = holdBack(first, { ...MISSING, suspects: 5, from: 3 }, 200);

    expect(standingHolds(second)).toMatchObject([
      { number: 1, since: 100, suspects: 30, met: 30, from: 3, isOverThreshold: true },
    ]);
  });

  it('gets a new number once it is more than twice as large as when it got its number', () => {
    const first = holdBack(WELL, MISSING, 100);
    const twice = holdBack(first, MISSING, 200);
    const more = holdBack(twice, { ...MISSING, suspects: 1 }, 300);

    expect(standingHolds(twice)).toMatchObject([{ number: 1, suspects: 50 }]);
    expect(standingHolds(more)).toMatchObject([{ number: 2, suspects: 51, since: 100 }]);
  });

  it('keeps samples of ten groups, and those of a new cycle instead of the earlier ones', () => {
    const samples = (from: number, count: number) =>
      idsFrom(from, from + count - 1).map((groupId) => ({ groupId, what: 'x', before: 'a', after: 'b' }));
    const first = holdBack(WELL, { ...MISSING, samples: samples(1, 8) }, 100);
    const second = holdBack(first, { ...MISSING, samples: samples(5, 8) }, 200);
    const begun = beginCycleOfHolds(second, 'all', false);
    const unsampled = holdBack(begun, { ...MISSING, suspects: 0 }, 300);
    const renewed = holdBack(begun, { ...MISSING, samples: samples(50, 8) }, 300);

    expect(new Set(sampledGroups(second))).toHaveLength(10);
    expect(sampledGroups(unsampled)).toEqual(sampledGroups(second));
    expect(sampledGroups(renewed)).toEqual(idsFrom(50, 57));
  });

  it('chooses its samples from all that waits, in whatever parts it was found', () => {
    const samples = (from: number, to: number) =>
      idsFrom(from, to).map((groupId) => ({ groupId, what: 'x', before: 'a', after: 'b' }));
    const atOnce = holdBack(WELL, { ...MISSING, samples: samples(1, 400) }, 100);
    const first = holdBack(WELL, { ...MISSING, samples: samples(200, 400) }, 100);
    const inParts = holdBack(first, { ...MISSING, samples: samples(1, 199) }, 100);

    const groups = sampledGroups(atOnce);
    expect(sampledGroups(inParts)).toEqual(groups);
    expect(groups.filter((groupId) => groupId > 200).length).toBeGreaterThan(1);
    expect(groups.filter((groupId) => groupId <= 200).length).toBeGreaterThan(1);
  });

  it('of another guard or of another tier is a separate hold', () => {
    const first = holdBack(WELL, MISSING, 100);
    const second = holdBack(first, { ...MISSING, tier: 'recent' }, 200);
    const third = holdBack(second, { ...MISSING, guard: 'entities_removed' }, 300);

    expect(standingHolds(third).map(({ number }) => number)).toEqual([1, 2, 3]);
  });

  it('of another token replaces the hold of the previous token', () => {
    const canary = { guard: 'known_group_not_found', tier: 'all', suspects: 1 } as const;
    const first = holdBack(WELL, { ...canary, tokenHash: 'a' }, 100);
    const second = holdBack(first, { ...canary, tokenHash: 'b' }, 200);

    expect(standingHolds(second)).toMatchObject([{ number: 2, tokenHash: 'b' }]);
  });
});

describe('a whole cycle', () => {
  it('ends a hold that it did not find again, and updates the size of a hold that it found', () => {
    const held = holdBack(WELL, MISSING, 100);
    const begun = beginCycleOfHolds(held, 'all', true);
    const foundAgain = holdBack(begun, { ...MISSING, suspects: 8 }, 200);

    expect(standingHolds(endCycleOfHolds(begun, 'all'))).toEqual([]);
    expect(standingHolds(endCycleOfHolds(foundAgain, 'all'))).toMatchObject([{ number: 1, suspects: 8 }]);
  });

  it('of another tier does not end a hold', () => {
    const held = beginCycleOfHolds(holdBack(WELL, MISSING, 100), 'all', false);

    const ended = endCycleOfHolds(beginCycleOfHolds(held, 'recent', false), 'recent');

    expect(standingHolds(ended)).toHaveLength(1);
  });

  it('over all groups also ends holds of the recent tier if it is the only walk', () => {
    const held = holdBack(WELL, { ...MISSING, tier: 'recent' }, 100);

    const ended = endCycleOfHolds(beginCycleOfHolds(held, 'all', true), 'all');

    expect(standingHolds(ended)).toEqual([]);
  });
});

describe('a release', () => {
  it('turns the hold into a permit of the same size, and makes the cycle begin at once', () => {
    const held = holdBack(WELL, MISSING, 100);

    const release = releaseHold(held, 1, 500);

    if (release.outcome !== 'released') throw new Error(release.outcome);
    const { reconciliation, lease } = release.state;
    expect(standingHolds(release.state)).toEqual([]);
    expect(findPermit(release.state, 'groups_removed', 'all')).toMatchObject({
      suspects: 25,
      releasedAt: 500,
    });
    expect(reconciliation.all).toMatchObject({ isAsked: true, pausedUntil: 0, removals: 0 });
    expect(lease.expiresAt).toBe(0);
  });

  it('sends a walk that is under way back to the first suspect', () => {
    const { reconciliation } = WELL;
    const walked = {
      ...reconciliation,
      all: { ...reconciliation.all, isUnderWay: true, coveredThrough: 99 },
    };
    const held = holdBack({ ...WELL, reconciliation: walked }, MISSING, 100);

    const release = releaseHold(held, 1, 500);

    expect(release).toMatchObject({
      state: { reconciliation: { all: { coveredThrough: 7, isMovedBack: true } } },
    });
  });

  // A walk that was moved back counts some groups twice, and does not show that a store has grown.
  it('leaves a walk where it is that has not reached the first suspect', () => {
    const { reconciliation } = WELL;
    const all = { ...reconciliation.all, isUnderWay: true, coveredThrough: 5 };
    const held = holdBack({ ...WELL, reconciliation: { ...reconciliation, all } }, MISSING, 100);

    expect(releaseHold(held, 1, 500)).toMatchObject({
      state: { reconciliation: { all: { coveredThrough: 5, isMovedBack: false } } },
    });
  });

  it('changes nothing if the hold is already released, over or unknown', () => {
    const held = holdBack(WELL, MISSING, 100);
    const release = releaseHold(held, 1, 500);
    if (release.outcome !== 'released') throw new Error(release.outcome);
    const over = endCycleOfHolds(beginCycleOfHolds(release.state, 'all', true), 'all');

    const outcomes = [
      releaseHold(release.state, 1, 600),
      releaseHold(over, 1, 600),
      releaseHold(over, 2, 600),
    ];

    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['released_before', 'over', 'unknown']);
  });

  it('of a token trusts that token, and permits missing known groups until a cycle does not need it', () => {
    const canary = { guard: 'known_group_not_found', tier: 'all', suspects: 1, tokenHash: 'b' } as const;

    const release = releaseHold(holdBack(WELL, canary, 100), 1, 500);

    if (release.outcome !== 'released') throw new Error('It was not released.');
    const { state } = release;
    const unneeded = endCycleOfHolds(beginCycleOfHolds(state, 'all', true), 'all');
    const needed = countForPermit(beginCycleOfHolds(state, 'all', true), canary, 0);
    expect(state.guarding.seenWith).toBe('b');
    expect(standingHolds(state)).toEqual([]);
    expect(findPermit(state, 'known_group_not_found', 'all')).toMatchObject({ tokenHash: 'b' });
    expect(unneeded.guarding.holds).toEqual([]);
    expect(endCycleOfHolds(needed, 'all').guarding.holds).toHaveLength(1);
  });
});
