// What ends a hold, and what an operator may do about it. Pure.
import { describe, expect, it } from 'vitest';
import { describeConsequence, formatHold, questionOf } from '../../../shared/guarding/describe-hold.ts';
import type { Hold } from '../../../shared/guarding/hold.ts';
import { endReleased, holdBack, isHolding } from '../../../shared/guarding/holds.ts';
import { releaseHold } from '../../../shared/guarding/release-hold.ts';
import { admitRemovals, endRemovalsHold } from '../../../shared/guarding/removals.ts';
import { HOUR, type Instant } from '../../../shared/instant.ts';
import { beginRound } from '../../../shared/reading/round.ts';
import type { SourceState } from '../../../shared/source/source-state.ts';
import { VIRTUAL_START } from '../../fakes/virtual-clock.ts';
import { aPosition, aState, lanesWith } from '../a-state.ts';

const NOW = VIRTUAL_START + HOUR;
const sample = (groupId: number) => ({ groupId, what: 'return group', before: 'known', after: 'missing' });

const walked = (at: Instant | undefined) => aPosition({ readAt: { late: undefined, recent: at, older: at } });

function held(kind: Hold['kind'], changes: Partial<Hold> = {}): SourceState {
  const state = holdBack(aState({ lastHold: 6 }), { kind, count: 25, accessHash: 'other' }, VIRTUAL_START);
  return { ...state, holds: state.holds.map((hold) => ({ ...hold, ...changes })) };
}

describe('a hold', () => {
  it('gets the next number, and keeps it while it stands', () => {
    const first = holdBack(aState({ lastHold: 6 }), { kind: 'removals', count: 25 }, VIRTUAL_START);
    const more = holdBack(first, { kind: 'removals', count: 40 }, NOW);
    const other = holdBack(more, { kind: 'mass_change', count: 30 }, NOW);

    expect(other.holds).toMatchObject([
      { number: 7, kind: 'removals', count: 40, since: VIRTUAL_START, phase: 'holding' },
      { number: 8, kind: 'mass_change', count: 30, since: NOW, phase: 'holding' },
    ]);
    expect(other.lastHold).toBe(8);
  });

  it('shows when it last held something back, until it is released', () => {
    const again = holdBack(held('backfill'), { kind: 'backfill', count: 3 }, NOW);
    const released = holdBack(held('backfill', { phase: 'publishing' }), { kind: 'backfill', count: 3 }, NOW);

    expect([again, released].map(({ holds: [hold] }) => hold?.phaseSince)).toEqual([NOW, VIRTUAL_START]);
    expect(again.holds).toMatchObject([{ since: VIRTUAL_START, count: 25 }]);
  });

  it('keeps ten samples, each change once', () => {
    const samples = Array.from({ length: 8 }, (_, index) => sample(index));
    const first = holdBack(aState(), { kind: 'removals', count: 8, samples }, NOW);

    const again = holdBack(
      first,
      { kind: 'removals', count: 8, samples: [...samples, ...[8, 9, 10, 11].map(sample)] },
      NOW,
    );

    expect(again.holds[0]?.samples.map(({ groupId }) => groupId)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('that was released ends once all groups were walked since', () => {
    const released = held('mass_change', { phase: 'publishing', phaseSince: NOW });
    const walkedSince = (walkedAt: Instant | undefined, state = released) =>
      endReleased({ ...state, position: walked(walkedAt) }).holds;

    expect([walkedSince(NOW - 1), walkedSince(undefined)]).toEqual([released.holds, released.holds]);
    expect(walkedSince(NOW)).toEqual([]);
    expect(walkedSince(NOW, held('mass_change'))).toHaveLength(1);
  });

  it('is described with its effect, its end and the commands that end it', () => {
    const kinds = ['removals', 'mass_change', 'backfill'] as const;
    const [removals, mass, backfill] = kinds.map((kind) => held(kind).holds[0]);

    const texts = [removals, mass, backfill].map((hold) => hold && formatHold(hold, 'acme', ' --data here'));

    expect(texts[0]).toContain('25 known return groups, items or shipments are missing at once.');
    expect(texts[0]).toContain('The hold ends by itself once the service shows most of them again.');
    expect(texts[0]).toContain('npx --no returns-feed release --source acme --hold 7 --data here');
    expect(texts[1]).toContain(
      'If only the notation is new: npx --no returns-feed adopt --source acme --hold 7 --data here',
    );
    expect(texts[2]).toContain('The hold ends by itself once the service shows none of them any more.');
    expect(texts[2]).toContain(
      'If they need none of them: npx --no returns-feed adopt --source acme --hold 7 --data here',
    );
    expect(mass && describeConsequence({ ...mass, phase: 'publishing' })).toContain('It is over');
    expect(mass && formatHold({ ...mass, phase: 'publishing' }, 'acme', '')).not.toContain('release');
  });
});

describe('the question before a hold is ended', () => {
  const counted = { number: 7, count: 31 };

  it.each([
    [
      'release',
      'mass_change',
      'Release hold 7? The changes of at least 31 return groups are published, and can’t be',
    ],
    [
      'release',
      'removals',
      'Release hold 7? Up to 31 return groups, items or shipments are published as removed, and',
    ],
    [
      'release',
      'backfill',
      'Release hold 7? At least 31 return groups are published as created, and can’t be',
    ],
    [
      'adopt',
      'mass_change',
      'Adopt hold 7? The changes of at least 31 return groups are stored, and never published.',
    ],
    ['adopt', 'backfill', 'Adopt hold 7? At least 31 return groups are stored, and never published.'],
  ] as const)('says how much it concerns, and that it may be more: %s of %s', (command, kind, words) => {
    expect(questionOf(command, { ...counted, kind })).toContain(words.replace('’', "'"));
  });
});

describe('removals', () => {
  const lanes = (groups: number) => lanesWith({ recent: { groups: groups - 10 }, older: { groups: 10 } });

  it.each([
    ['twenty', 500, 20, true],
    ['more than twenty', 500, 21, false],
    ['one percent of many groups', 5_000, 50, true],
    ['more than one percent', 5_000, 51, false],
  ])('are admitted up to twenty or one percent in a cycle: %s', (_, groups, total, isAdmitted) => {
    const admission = admitRemovals(aState({ lanes: lanes(groups) }), total, [sample(7)], NOW);

    expect(admission.isAdmitted).toBe(isAdmitted);
    expect(isHolding(admission.state, 'removals')).toBe(!isAdmitted);
  });

  it.each([
    ['are held while the hold stands', 'holding', false],
    ['are admitted, however many, once it is released', 'publishing', true],
  ] as const)('%s', (_, phase, isAdmitted) => {
    expect(
      admitRemovals(held('removals', { phase }), phase === 'holding' ? 1 : 300, [], NOW).isAdmitted,
    ).toBe(isAdmitted);
  });

  it('are held no longer after a walk that missed few', () => {
    const ending = (missing: number, hold = held('removals')) => {
      const { lanes } = hold;
      return endRemovalsHold({ ...hold, lanes: { ...lanes, older: { ...lanes.older, missing } } }).holds;
    };

    expect(ending(20)).toEqual([]);
    expect(ending(21)).toHaveLength(1);
    expect(ending(0, held('removals', { phase: 'publishing' }))).toHaveLength(1);
  });
});

describe('an operator', () => {
  it.each([
    ['release', 'removals', 'publishing'],
    ['release', 'mass_change', 'publishing'],
    ['adopt', 'mass_change', 'adopting'],
    ['release', 'backfill', 'publishing'],
    ['adopt', 'backfill', 'adopting'],
  ] as const)('ends a hold: %s of %s', (command, kind, phase) => {
    const released = releaseHold(held(kind), 7, NOW, command);

    expect(released.outcome).toBe('released');
    expect('state' in released && released.state.holds).toMatchObject([
      { number: 7, phase, phaseSince: NOW },
    ]);
  });

  it('makes walks begin at once, and leaves the lease to a tick under way', () => {
    const state = {
      ...held('mass_change'),
      lease: { owner: 'a', epoch: 3, expiresAt: NOW + HOUR },
      lanes: lanesWith({
        recent: { dueAt: NOW + HOUR, round: beginRound(0, []) },
        older: { dueAt: NOW + HOUR },
      }),
    };

    const released = releaseHold(state, 7, NOW);

    if (released.outcome !== 'released') throw new Error(released.outcome);
    expect(released.state.lease.expiresAt).toBe(NOW + HOUR);
    expect(released.state.lanes).toMatchObject({
      recent: { dueAt: NOW, round: undefined },
      older: { dueAt: NOW, round: undefined },
    });
  });

  it('accepts another store by its address and token', () => {
    const released = releaseHold(held('other_store'), 7, NOW);

    expect('state' in released && released.state).toMatchObject({ holds: [], seenWith: 'other' });
  });

  it.each([
    [
      'a hold that was released before',
      held('removals', { phase: 'publishing' }),
      7,
      'release',
      'released_before',
    ],
    ['the number of an earlier hold', held('removals'), 6, 'release', 'over'],
    ['a number that no hold had', held('removals'), 8, 'release', 'unknown'],
    ['an adoption of removals', held('removals'), 7, 'adopt', 'not_adoptable'],
    ['an adoption of another store', held('other_store'), 7, 'adopt', 'not_adoptable'],
  ] as const)('changes nothing with %s', (_, state, number, command, outcome) => {
    const released = releaseHold(state, number, NOW, command);

    expect(released.outcome).toBe(outcome);
    expect(released).not.toHaveProperty('state');
  });
});
