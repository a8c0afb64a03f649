import { describe, expect, it } from 'vitest';
import { HOUR, MINUTE, SECOND } from '../../../shared/instant.ts';
import type { Place } from '../../../shared/position/places.ts';
import type { Interval, Range } from '../../../shared/reading/range.ts';
import { VIRTUAL_START } from '../../fakes/virtual-clock.ts';
import { aPosition } from '../a-state.ts';
import { createListWorld } from '../list-world.ts';
import { readChecked, readOnce } from './read-round.ts';

const AT = VIRTUAL_START - HOUR;

/** Seconds after {@link AT}. */
const seconds = (from?: number, to?: number): Interval => ({
  from: from === undefined ? undefined : AT + from * SECOND,
  to: to === undefined ? undefined : AT + to * SECOND,
});
/** Places and ranges have their interval of this stamp. */
const updated = (...of: [number?, number?]) => ({ axis: 'updated' as const, ...seconds(...of) });
const created = (...of: [number?, number?]) => ({ axis: 'created' as const, ...seconds(...of) });
const placeOf = ({ axis, from = 0, to = 0 }: Range, isLeftOut = true, seenAt = VIRTUAL_START): Place => ({
  ...{ axis, from, to, isLeftOut, seenAt },
  reason: '',
});

describe('a place that is set aside', () => {
  const FEW = { offset: 3, limit: 4, failing: 1, reason: '500' };

  it.each<[string, Range, Range, Range[]]>([
    ['within', updated(4, 6), updated(0, 9), [updated(0, 4), updated(6, 9)]],
    ['at the start', updated(0, 6), updated(0, 9), [updated(6, 9)]],
    ['at the end', updated(4, 9), updated(0, 9), [updated(0, 4)]],
    ['beyond both ends', updated(-1, 10), updated(0, 9), []],
    ['of an open range', updated(4, 6), updated(), [updated(undefined, 4), updated(6)]],
    ['within, by creation', created(4, 6), created(0, 9), [created(0, 4), created(6, 9)]],
    [
      'by creation, in a range of updates',
      created(4, 6),
      updated(0, 9),
      [
        { ...updated(0, 9), cross: seconds(undefined, 4) },
        { ...updated(0, 9), cross: seconds(6) },
      ],
    ],
    [
      'by the other stamp of a part of a crowd',
      updated(4, 6),
      { ...created(0, 9), cross: seconds(2, 8) },
      [
        { ...created(0, 9), cross: seconds(2, 4) },
        { ...created(0, 9), cross: seconds(6, 8) },
      ],
    ],
    [
      'by the first stamp of a part of a crowd',
      created(4, 9),
      { ...created(0, 9), cross: seconds(2, 8) },
      [{ ...created(0, 4), cross: seconds(2, 8) }],
    ],
    [
      'where rows are read by offset: their pages are others',
      updated(4, 9),
      { ...updated(0, 9), pass: { number: 1, offset: 2 } },
      [updated(0, 4)],
    ],
    [
      'where rows are read a few at a time',
      updated(4, 9),
      { ...updated(0, 9), few: FEW },
      [{ ...updated(0, 4), few: { ...FEW, offset: 0 } }],
    ],
    [
      'by the other stamp, where rows are read a few at a time',
      updated(4, 9),
      { ...created(0, 9), cross: seconds(2, 9), few: FEW },
      [{ ...created(0, 9), cross: seconds(2, 4), few: { ...FEW, offset: 0 } }],
    ],
    [
      'by creation, where rows of an interval of updates are read a few at a time',
      created(4, 9),
      { ...updated(0, 9), few: FEW },
      [
        { ...updated(0, 9), cross: seconds(undefined, 4) },
        { ...updated(0, 9), cross: seconds(9) },
      ],
    ],
  ])('is left out: %s', async (_, place, range, around) => {
    const { list, begin } = createListWorld();
    const run = begin({ position: aPosition({ places: [placeOf(place)] }) });

    const { stack } = await readOnce(run, [range]);

    expect(stack).toEqual(around.toReversed());
    expect(run.state.position.places).toEqual([placeOf(place)]);
    expect(list.requests).toEqual([]);
  });

  it.each<[string, Place, Range]>([
    ['it ends where the range begins', placeOf(updated(-4, 0)), updated(0, 9)],
    ['it begins where the range ends', placeOf(updated(9, 12)), updated(0, 9)],
    ['it is of updates, and the range of creation', placeOf(updated(4, 6)), created(0, 9)],
    ['its ten minutes are over', placeOf(updated(4, 6), true, VIRTUAL_START - 10 * MINUTE), updated(0, 9)],
    ['its rows were read, and are not proved to be all', placeOf(updated(4, 6), false), updated(0, 9)],
    [
      'it is beside the other interval of a part of a crowd',
      placeOf(updated(8, 9)),
      { ...created(0, 9), cross: seconds(2, 8) },
    ],
  ])('is not left out if %s', async (_, place, range) => {
    const world = createListWorld();
    const run = world.begin({ position: aPosition({ places: [place] }) });

    const { stack } = await world.time.run(readOnce(run, [range]));

    expect(stack).toEqual([]);
    expect(world.list.requests).toHaveLength(1);
  });

  it('leaves a crowd unchecked of which it takes a part', async () => {
    const world = createListWorld({ knobs: { mostRows: 20 } });
    for (let id = 1; id <= 60; id += 1) world.list.add(id, AT, AT + id * MINUTE);
    world.list.add(61, AT - HOUR);
    const run = world.begin({
      position: aPosition({
        places: [placeOf({ axis: 'updated', from: AT + MINUTE, to: AT + 2 * MINUTE })],
      }),
    });

    const checked = await world.time.run(readChecked(run));

    expect(checked.length).toBeGreaterThan(0);
    expect(checked.filter(({ from = 0, to = Infinity }) => from <= AT && AT < to)).toEqual([]);
  });
});
