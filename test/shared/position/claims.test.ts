// What the feed claims to have read, and how much of it is not known. Pure.
import { describe, expect, it } from 'vitest';
import type { Hold } from '../../../shared/guarding/hold.ts';
import { claimsOf } from '../../../shared/position/claims.ts';
import type { Place } from '../../../shared/position/places.ts';
import type { SourceState } from '../../../shared/source/source-state.ts';
import { VIRTUAL_START } from '../../fakes/virtual-clock.ts';
import { aPosition, aState } from '../a-state.ts';

const NOW = VIRTUAL_START;
const readAt = { late: NOW, recent: NOW - 1, older: NOW - 2 };
const place: Place = { axis: 'updated', from: 0, to: 1, isLeftOut: true, seenAt: 0, reason: '500' };
const aside = { groupId: 7, reason: 'it has no status', digest: '', since: 0, seenAt: 0 };
const hold: Hold = {
  ...{ number: 1, kind: 'removals', since: 0, phase: 'holding', phaseSince: 0, count: 25, samples: [] },
};

describe('the moments that are claimed', () => {
  it.each([
    ['both', {}, NOW, NOW - 2],
    [
      'none of polls before the baseline: what no walk has read may still be announced',
      { baselineAt: undefined },
      undefined,
      NOW - 2,
    ],
    [
      'none of walks before those over older groups',
      { position: aPosition({ readAt: { ...readAt, older: undefined } }) },
      NOW,
      undefined,
    ],
  ])('are %s', (_, changes, polledAt, walkedAt) => {
    const state = aState({ baselineAt: 1, position: aPosition({ readAt }), ...changes });

    expect(claimsOf(state)).toEqual({ polledAt, walkedAt, held: 0, setAside: 0 });
  });
});

describe('what is not known', () => {
  const cases: [string, Partial<SourceState>, number, number][] = [
    ['a place, however long ago it was left out', { position: aPosition({ places: [place] }) }, 0, 1],
    [
      'a crowd that is not proved',
      { position: aPosition({ places: [{ ...place, isLeftOut: false }] }) },
      0,
      1,
    ],
    ['rows that can’t be read', { setAside: [aside, { ...aside, groupId: 8 }] }, 0, 2],
    ['a missing group that is looked up', { lookUps: [{ groupId: 7, dueAt: NOW, isMissing: true }] }, 0, 1],
    [
      'a group that a look-up did not find',
      { lookUps: [{ groupId: 7, dueAt: NOW, absentSince: NOW }] },
      0,
      1,
    ],
    [
      'a group that answers show with an older stamp',
      { lookUps: [{ groupId: 7, dueAt: NOW, olderSince: NOW }] },
      0,
      1,
    ],
    ['no group of which a reading was left', { lookUps: [{ groupId: 7, dueAt: NOW }] }, 0, 0],
    [
      'the groups and entities of all holds',
      { holds: [hold, { ...hold, kind: 'backfill', count: 3_000 }] },
      3_025,
      0,
    ],
    ['a hold without a number, as one', { holds: [{ ...hold, kind: 'other_store', count: 0 }] }, 1, 0],
    ['what was released, until it is read', { holds: [{ ...hold, phase: 'publishing' }] }, 25, 0],
    [
      'all of it together',
      {
        position: aPosition({ places: [place] }),
        setAside: [aside],
        lookUps: [{ groupId: 9, dueAt: 0, isMissing: true }],
      },
      0,
      3,
    ],
  ];
  it.each(cases)('counts %s', (_, changes, held, setAside) => {
    expect(claimsOf(aState(changes))).toMatchObject({ held, setAside });
  });
});
