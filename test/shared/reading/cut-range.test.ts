import { describe, expect, it } from 'vitest';
import { DAY, HOUR, SECOND } from '../../../shared/instant.ts';
import { cutRange, isNarrow, stampsOf, stampsWithin } from '../../../shared/reading/cut-range.ts';
import { anUnreadableRow, aRow } from './some-rows.ts';
import { NOON } from './worlds.ts';

const FROM = NOON - 8 * HOUR;
const updated = { from: FROM, to: NOON };

/** Rows that were updated these hours after FROM, and created a day before FROM. */
function seenAt(...hours: readonly number[]) {
  return hours.map((hour) => ({ updatedAt: FROM + hour * HOUR, createdAt: FROM + hour * HOUR - DAY }));
}

describe('a range is cut', () => {
  it('in the middle of its known rows', () => {
    const cut = cutRange({ updated }, seenAt(7, 2, 3, 5, 6));

    expect(cut).toEqual([
      { updated: { from: FROM, to: FROM + 5 * HOUR } },
      { updated: { from: FROM + 5 * HOUR, to: NOON } },
    ]);
  });

  it('in the middle of its time without known rows', () => {
    const cut = cutRange({ updated }, []);

    expect(cut?.[0]).toEqual({ updated: { from: FROM, to: FROM + 4 * HOUR } });
  });

  it.each([
    { crowd: 'start', hours: [0.1, 0.1, 0.2], at: 1 },
    { crowd: 'end', hours: [7.8, 7.9, 7.9], at: 7 },
  ])('at least an eighth from its $crowd', ({ hours, at }) => {
    const cut = cutRange({ updated }, seenAt(...hours));

    expect(cut?.[0]).toEqual({ updated: { from: FROM, to: FROM + at * HOUR } });
    expect(cut?.[1]).toEqual({ updated: { from: FROM + at * HOUR, to: NOON } });
  });

  it('near its known rows if ten or more were created in a small part of it', () => {
    const created = { from: NOON - 10_000 * DAY, to: NOON };
    const hours = (count: number, hour: number) => Array.from({ length: count }, () => hour);

    const cut = cutRange({ created }, seenAt(...hours(5, 0), 4, ...hours(4, 8)));
    const crowd = cutRange({ created }, seenAt(...hours(10, 8)));
    const crowdAndOne = cutRange({ created }, seenAt(0, ...hours(9, 8)));
    const few = cutRange({ created }, seenAt(...hours(4, 0), 4, ...hours(4, 8)));

    expect(cut?.[0].created?.to).toBe(FROM + 4 * HOUR - DAY);
    expect(crowd?.[0].created?.to).toBe(NOON - DAY);
    expect(crowdAndOne?.[0].created?.to).toBe(NOON - DAY);
    expect(few?.[0].created?.to).toBe(NOON - 1_250 * DAY);
  });

  it('at a whole instant', () => {
    const cut = cutRange({ updated: { from: FROM, to: FROM + 9 * SECOND + 1 } }, []);

    expect(cut?.[0].updated?.to).toBe(FROM + 4.5 * SECOND);
  });

  it('without a change of its other interval', () => {
    const created = { from: FROM - DAY, to: NOON };

    const cut = cutRange({ updated, created }, []);

    expect(cut?.map((piece) => piece.created)).toEqual([created, created]);
  });

  it('by creation if its update time is four seconds wide', () => {
    const narrow = { from: FROM, to: FROM + 4 * SECOND };

    const cut = cutRange({ updated: narrow }, seenAt(0, 2, 4, 6, 8));

    expect(cut).toEqual([
      { updated: narrow, created: { from: undefined, to: FROM + 4 * HOUR - DAY } },
      { updated: narrow, created: { from: FROM + 4 * HOUR - DAY, to: undefined } },
    ]);
  });

  it('by update if its update time is any wider', () => {
    const cut = cutRange({ updated: { from: FROM, to: FROM + 4 * SECOND + 1 } }, seenAt(0, 2, 4));

    expect(cut?.[0].created).toBeUndefined();
  });

  it('within its own bounds of creation, for any rows', () => {
    const created = { from: NOON - 16 * HOUR, to: NOON };

    const cut = cutRange({ created }, []);

    expect(cut?.[0]).toEqual({ created: { from: NOON - 16 * HOUR, to: NOON - 8 * HOUR } });
  });

  it.each([
    { end: 'start', interval: { from: undefined, to: NOON } },
    { end: 'end', interval: { from: NOON - DAY - 8 * HOUR, to: undefined } },
  ])('between its known rows if its $end is open', ({ interval }) => {
    const cut = cutRange({ created: interval }, seenAt(4, 0, 8));

    expect(cut?.[0].created?.from).toBe(interval.from);
    expect(cut?.[1].created?.to).toBe(interval.to);
    expect(cut?.[0].created?.to).toBe(cut?.[1].created?.from);
    expect(cut?.[0].created?.to).toBeGreaterThan(NOON - DAY - 8 * HOUR);
    expect(cut?.[0].created?.to).toBeLessThan(NOON);
  });
});

describe('an open-ended range', () => {
  it('is cut once behind its known rows if they are close together', () => {
    const created = { from: NOON, to: undefined };
    const seen = [{ createdAt: NOON + 3 * SECOND, updatedAt: NOON }];

    const cut = cutRange({ created }, seen);

    const behind = NOON + 3 * SECOND + 1;
    expect(cut).toEqual([
      { created: { from: NOON, to: behind } },
      { created: { from: behind, to: undefined } },
    ]);
    expect(cutRange({ created: { from: behind, to: undefined } }, seen)).toBeUndefined();
  });
});

describe('stamps', () => {
  it('come from all rows with readable stamps, also from unreadable rows', () => {
    const stamps = { createdAt: FROM, updatedAt: NOON };
    const { updatedAt } = stamps;

    const known = stampsOf([
      aRow(1, stamps),
      { ...anUnreadableRow(), ...stamps },
      { ...anUnreadableRow(2), updatedAt },
    ]);

    expect(known).toEqual([stamps, stamps]);
  });

  it('are within a range from its start up to, but not at, its end', () => {
    const [first, second, third] = [FROM, FROM + HOUR, NOON].map((at) => ({
      createdAt: at,
      updatedAt: NOON - at,
    }));
    const all = [first, second, third].flatMap((stamps) => stamps ?? []);

    expect(stampsWithin({ created: { from: FROM, to: FROM + HOUR } }, all)).toEqual([first]);
    expect(stampsWithin({ created: { from: FROM + 1, to: undefined } }, all)).toEqual([second, third]);
    expect(stampsWithin({ updated: { from: undefined, to: 1 } }, all)).toEqual([third]);
    expect(stampsWithin({}, all)).toEqual(all);
  });
});

describe('a range is not cut further', () => {
  const narrow = { from: FROM, to: FROM + 4 * SECOND };

  it('if it is four seconds wide by both times', () => {
    expect(cutRange({ updated: narrow, created: narrow }, seenAt(1, 2))).toBeUndefined();
  });

  it('if all of its rows were created at once', () => {
    expect(cutRange({ updated: narrow }, seenAt(3, 3, 3))).toBeUndefined();
  });

  it('if none of its rows is known', () => {
    expect(cutRange({}, [])).toBeUndefined();
    expect(cutRange({ created: { from: FROM, to: undefined } }, [])).toBeUndefined();
    expect(cutRange({ created: { from: undefined, to: NOON } }, [])).toBeUndefined();
  });
});

describe('a range is narrow', () => {
  it.each([
    { range: { updated: { from: FROM, to: FROM + 4 * SECOND } }, isSo: true },
    { range: { updated: { from: FROM, to: FROM + 4 * SECOND + 1 } }, isSo: false },
    { range: { created: { from: FROM, to: FROM + SECOND } }, isSo: true },
    { range: { updated: { from: FROM, to: NOON }, created: { from: FROM, to: FROM + 1 } }, isSo: false },
    { range: { created: { from: undefined, to: FROM } }, isSo: false },
    { range: { created: { from: FROM, to: undefined } }, isSo: false },
    { range: {}, isSo: false },
  ])('up to four seconds, of update time if it has that: $range', ({ range, isSo }) => {
    expect(isNarrow(range)).toBe(isSo);
  });
});

it('rows with only one stamp, or with none, have no stamps', () => {
  const row = aRow(1, { createdAt: FROM, updatedAt: NOON });
  const [created, updated] = [
    { ...anUnreadableRow(2), createdAt: FROM },
    { ...anUnreadableRow(3), updatedAt: NOON },
  ];

  const stamps = stampsOf([anUnreadableRow(4), created, row, updated, { ...created, ...updated }]);

  expect(stamps).toEqual([
    { createdAt: FROM, updatedAt: NOON },
    { createdAt: FROM, updatedAt: NOON },
  ]);
});
