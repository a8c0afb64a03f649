// Places whose rows are not all known: how long ranges leave them out, and what ends them. Pure.
import { describe, expect, it } from 'vitest';
import { HOUR, type Instant, MINUTE, SECOND } from '../../../shared/instant.ts';
import {
  describePlace,
  endPlaces,
  isInPlaces,
  notePlace,
  type Place,
  placeIn,
  placesToAsk,
} from '../../../shared/position/places.ts';
import { type CompleteRound, close } from '../../../shared/position/position.ts';
import type { Range } from '../../../shared/reading/range.ts';
import { VIRTUAL_START } from '../../fakes/virtual-clock.ts';
import { aPosition } from '../a-state.ts';

const SEEN = VIRTUAL_START;
const DUE = SEEN + 10 * MINUTE;
const REACH = { lookback: 5 * MINUTE, settle: MINUTE };

/** A place from 10 to 20 seconds before it was last seen. */
function aPlace(changes: Partial<Place> = {}): Place {
  const [from, to] = [SEEN - 20 * SECOND, SEEN - 10 * SECOND];
  return { axis: 'updated', from, to, isLeftOut: true, seenAt: SEEN, reason: '500', ...changes };
}

const around = ({ axis, from, to }: Place): Range => ({ axis, from: from - SECOND, to: to + SECOND });
const CROWD = aPlace({ isLeftOut: false });
const CREATED = aPlace({ axis: 'created' });

describe('a place', () => {
  it.each([
    ['at first', SEEN, true],
    ['for ten minutes', DUE - 1, true],
    ['no longer', DUE, false],
  ])('is left out %s', (_, now, isLeftOut) => {
    expect(placeIn([aPlace()], around(aPlace()), now)).toEqual(isLeftOut ? aPlace() : undefined);
  });

  it('whose rows are only not proved to be all is never left out', () => {
    expect(placeIn([CROWD], around(CROWD), SEEN)).toBeUndefined();
  });

  const { from, to } = aPlace();
  it.each([
    ['of its stamp that ends at it', aPlace(), { axis: 'updated', to: from }, false],
    ['of its stamp that reaches into it', aPlace(), { axis: 'updated', to: from + 1 }, true],
    ['of its stamp that begins at its end', aPlace(), { axis: 'updated', from: to }, false],
    ['of its stamp that is open', aPlace(), { axis: 'updated' }, true],
    ['by creation, for a place by update', aPlace(), { axis: 'created' }, false],
    ['by creation with updates beside it', aPlace(), { axis: 'created', cross: { from: to } }, false],
    ['by creation with updates in it', aPlace(), { axis: 'created', cross: { from } }, true],
    ['by update, for a place by creation', CREATED, { axis: 'updated', from, to }, true],
    ['by update with creations beside it', CREATED, { axis: 'updated', cross: { to: from } }, false],
  ] as const)('lies in a range %s: %o', (_, place, range, isIn) => {
    expect(placeIn([place], range, SEEN) !== undefined).toBe(isIn);
  });

  it.each([
    ['updated', SEEN - 15 * SECOND, SEEN - HOUR, true],
    ['updated', SEEN - HOUR, SEEN - 15 * SECOND, false],
    ['created', SEEN - 15 * SECOND, SEEN - HOUR, false],
    ['created', SEEN - HOUR, SEEN - 15 * SECOND, true],
  ] as const)('of %s has groups by that stamp', (axis, updatedAt, createdAt, isIn) => {
    expect(isInPlaces([aPlace({ axis })], { updatedAt, createdAt })).toBe(isIn);
  });

  it('is described by its middle', () => {
    expect(describePlace(aPlace())).toBe('updated at about 2026-11-20T09:59:45.000000Z: 500');
  });
});

describe('a place that is noted', () => {
  const next = aPlace({ from: SEEN, to: SEEN + 10, seenAt: DUE, reason: '503' });

  it.each([
    ['in', SEEN + 2, SEEN + 5, SEEN, SEEN + 10],
    ['around', SEEN - 2, SEEN + 12, SEEN - 2, SEEN + 12],
    ['before', SEEN - 2, SEEN + 1, SEEN - 2, SEEN + 10],
    ['after', SEEN + 9, SEEN + 12, SEEN, SEEN + 12],
  ])('replaces one that lies %s it, and takes in all of both', (_, from, to, low, high) => {
    expect(notePlace([aPlace({ from, to })], next)).toEqual([{ ...next, from: low, to: high }]);
  });

  it('takes in all that it overlaps', () => {
    const known = [aPlace({ from: SEEN - 5, to: SEEN + 1 }), aPlace({ from: SEEN + 9, to: SEEN + 20 })];

    expect(notePlace(known, next)).toEqual([{ ...next, from: SEEN - 5, to: SEEN + 20 }]);
  });

  it('leaves those of another stamp, and those beside it', () => {
    const known = [
      aPlace({ from: SEEN - 5, to: SEEN }),
      aPlace({ from: SEEN + 10, to: SEEN + 20 }),
      aPlace({ axis: 'created', from: SEEN, to: SEEN + 10 }),
    ];

    expect(notePlace(known, next)).toEqual([...known, next]);
  });
});

describe('a round of `late`', () => {
  const range: Range = { axis: 'updated', from: SEEN - MINUTE };

  it.each([
    ['that its range does not reach', aPlace({ from: SEEN - HOUR, to: SEEN - HOUR + 1 }), DUE, true],
    ['that its range reaches in part', aPlace({ from: SEEN - 2 * MINUTE }), DUE, true],
    ['by creation', CREATED, DUE, true],
    ['in its range, which reads it anyway', aPlace(), DUE, false],
    ['that is still left out', CREATED, DUE - 1, false],
    [
      'that is not left out: only its order is not proved',
      { ...CROWD, axis: 'created' as const },
      DUE,
      false,
    ],
  ])('asks for a place %s: %o', (_, place, now, isAsked) => {
    expect(placesToAsk([place], range, now)).toEqual(isAsked ? [place] : []);
  });
});

describe('a place ends', () => {
  const wide: Range = { axis: 'updated', from: SEEN - HOUR };
  const beyond: Range = { axis: 'updated', from: SEEN };

  it.each([
    ['a round that contains it and began after ten minutes', aPlace(), wide, false, DUE, true],
    ['a round that contains it and began before', aPlace(), wide, false, DUE - 1, false],
    ['a round that begins beyond it', aPlace(), beyond, false, DUE + HOUR, false],
    [
      'a round that contains a part of it',
      aPlace(),
      { ...wide, from: SEEN - 15 * SECOND },
      false,
      DUE,
      false,
    ],
    ['a round of the other stamp', aPlace(), { axis: 'created' }, false, DUE, false],
    ['a round that asked for it', aPlace(), beyond, true, DUE, true],
    ['a round that asked for it while it was left out', CREATED, beyond, true, DUE - 1, false],
    ['a round of its stamp, for a crowd', CROWD, wide, false, SEEN, true],
    ['the round that noted a crowd', CROWD, wide, false, SEEN - 1, false],
    ['a round that asks for places, for a crowd beyond it', CROWD, beyond, true, DUE, false],
  ] as const)('with %s', (_, place, range, asks, asOf, hasEnded) => {
    const left = endPlaces([place], { range, asks, asOf }, undefined);

    expect(left).toEqual(hasEnded ? [] : [place]);
  });

  it.each([
    ['after all of them', DUE, []],
    ['before one of them', DUE - 1, [aPlace(), CROWD]],
    ['never', undefined, [aPlace(), CROWD]],
  ])('with walks over all groups that began %s', (_, walkedAt, left) => {
    const round = { range: { axis: 'created' } as const, asks: false, asOf: DUE - HOUR };

    expect(endPlaces([aPlace(), CROWD], round, walkedAt)).toEqual(left);
  });

  it('never by time, nor by polls that go on beyond it', () => {
    const place = aPlace({ axis: 'updated', from: SEEN - HOUR, to: SEEN - HOUR + SECOND });
    const begun = aPosition({ cursor: SEEN - MINUTE, places: [place, CROWD] });
    const during = { lane: 'late', startedAt: DUE - SECOND, asOf: DUE - SECOND } as const;

    const after = close(begun, during, REACH, DUE + HOUR);

    expect(after.places).toEqual([place]);
  });
});

describe('a complete walk', () => {
  const walk = (lane: CompleteRound['lane'], startedAt: Instant, asOf = startedAt, isWhole = false) =>
    ({ lane, isWhole, startedAt, asOf }) as const;
  const known = aPosition({
    places: [aPlace(), CREATED],
    readAt: { late: undefined, recent: SEEN, older: SEEN - HOUR },
  });

  it('over recent groups ends the places of creation in it', () => {
    expect(close(known, walk('recent', DUE), REACH, DUE).places).toEqual([aPlace()]);
  });

  it('over older groups does not end a place of recent ones', () => {
    expect(close(known, walk('older', DUE), REACH, DUE).places).toEqual([aPlace(), CREATED]);
  });

  it('over all groups ends all places that it has not left out', () => {
    expect(close(known, walk('recent', DUE, DUE, true), REACH, DUE).places).toEqual([]);
    expect(close(known, walk('recent', DUE - 1, DUE - 1, true), REACH, DUE).places).toEqual([
      aPlace(),
      CREATED,
    ]);
  });

  it('over all groups ends no place by an answer of before its time', () => {
    expect(close(known, walk('recent', DUE, DUE - 1, true), REACH, DUE).places).toEqual(known.places);
  });

  it('over older groups that follows one over recent ones ends all places', () => {
    const recent = close(known, walk('recent', DUE), REACH, DUE);

    expect(close(recent, walk('older', DUE + HOUR), REACH, DUE + HOUR).places).toEqual([]);
  });
});
