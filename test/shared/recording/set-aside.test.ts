import { describe, expect, it } from 'vitest';
import { MINUTE } from '../../../shared/instant.ts';
import { MAX_SET_ASIDE } from '../../../shared/limits.ts';
import { forgetVanished, noteSetAside, takeBack } from '../../../shared/recording/set-aside.ts';
import type { SourceState } from '../../../shared/source/source-state.ts';
import { VIRTUAL_START } from '../../fakes/virtual-clock.ts';
import { aPosition, aState } from '../a-state.ts';

const row = (groupId: number | undefined, digest = '') => ({ groupId, reason: 'too large', digest });
const PLACE = { axis: 'created', from: 1, to: 2, isLeftOut: true, seenAt: 1, reason: '' } as const;

/** The state after these rows, one a minute. */
function noted(rows: readonly ReturnType<typeof row>[], before: SourceState = aState()): SourceState {
  return rows.reduce(
    (state, each, index) => noteSetAside(state, each, VIRTUAL_START + index * MINUTE),
    before,
  );
}

describe('a row that is set aside', () => {
  it('is noted once, since it was first seen: by its id, else by its digest', () => {
    const { setAside } = noted([
      row(1),
      row(undefined, 'a'),
      row(undefined, 'b'),
      row(1),
      row(undefined, 'a'),
    ]);

    expect(setAside.map(({ groupId, digest }) => groupId ?? digest)).toEqual(['b', 1, 'a']);
    expect(setAside.at(1)).toMatchObject({ since: VIRTUAL_START, seenAt: VIRTUAL_START + 3 * MINUTE });
  });

  it('is one of others that are counted together once as many as can be are named', () => {
    const named = noted(Array.from({ length: MAX_SET_ASIDE }, (_, index) => row(index + 1)));

    const { setAside } = noted([row(1_000), row(7), row(undefined, 'a'), row(1_000)], named);

    expect(setAside).toHaveLength(MAX_SET_ASIDE + 1);
    expect(setAside.at(-1)).toEqual({
      ...{ groupId: undefined, reason: 'more than are named', digest: 'others' },
      ...{ since: VIRTUAL_START, seenAt: VIRTUAL_START + 3 * MINUTE },
    });
    expect(setAside.at(-2)).toMatchObject({ groupId: 7, seenAt: VIRTUAL_START + MINUTE });
  });

  it('is taken back by a later answer that shows its group', () => {
    const state = noted([row(1), row(2), row(undefined, 'a')]);

    const { setAside } = takeBack(state, new Set([1, 3]), VIRTUAL_START);

    expect(setAside.map(({ groupId }) => groupId)).toEqual([2, undefined]);
    expect(takeBack(state, new Set([3]), VIRTUAL_START)).toBe(state);
  });

  it('stays if the answer is older than what was noted', () => {
    const state = noted([row(1)]);

    expect(takeBack(state, new Set([1]), VIRTUAL_START - 1)).toBe(state);
  });
});

describe('a row that walks over all groups have not seen again', () => {
  const walked = VIRTUAL_START + MINUTE;
  const readAt = { late: undefined, recent: walked + MINUTE, older: walked };

  it('is forgotten, others are not', () => {
    const state = { ...noted([row(1), row(2)]), position: aPosition({ readAt }) };

    expect(forgetVanished(state).setAside.map(({ groupId }) => groupId)).toEqual([2]);
  });

  it.each([
    ['walks over older groups have never ended', { readAt: { ...readAt, older: undefined } }],
    ['walks have left something out', { readAt, places: [PLACE] }],
    ['its group is still looked up', { readAt }, [{ groupId: 1, dueAt: walked }]],
  ])('is kept if %s', (_, changes, lookUps: SourceState['lookUps'] = []) => {
    const state = { ...noted([row(1)]), position: aPosition(changes), lookUps };

    expect(forgetVanished(state)).toBe(state);
  });
});
