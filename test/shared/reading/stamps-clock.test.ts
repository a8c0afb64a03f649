import { describe, expect, it } from 'vitest';
import { HOUR, MINUTE, SECOND } from '../../../shared/instant.ts';
import {
  askedAhead,
  learnLead,
  learnStamps,
  mayFallBackBy,
  stampsTime,
  UNKNOWN_STAMPS,
} from '../../../shared/reading/stamps-clock.ts';
import { STAMPS } from './at-noon.ts';
import { anUnreadableRow, aRow, idsFrom } from './some-rows.ts';
import { NOON } from './worlds.ts';

/** Rows with these update times that were created long before. */
function updatedAt(...stamps: readonly number[]) {
  return stamps.map((stamp, index) => aRow(index, { createdAt: NOON - 90 * HOUR, updatedAt: stamp }));
}

const zoneless = (rows: ReturnType<typeof updatedAt>) => rows.map((row) => ({ ...row, zoned: false }));

describe('the stamps’ clock', () => {
  it('is unknown before the first stamp, and no change is behind it', () => {
    expect(stampsTime(UNKNOWN_STAMPS, NOON)).toBeUndefined();
    expect(UNKNOWN_STAMPS.passed).toEqual([]);
  });

  it('continues from the newest received stamp', () => {
    const stamps = learnStamps(UNKNOWN_STAMPS, updatedAt(NOON - HOUR, NOON - MINUTE), NOON);

    expect(stampsTime(stamps, NOON + 9 * SECOND)).toBe(NOON - MINUTE + 9 * SECOND);
  });

  it('does not count a row’s creation, which may come from another clock', () => {
    const row = aRow(1, { createdAt: NOON - SECOND, updatedAt: NOON - 5 * HOUR });

    expect(learnStamps(UNKNOWN_STAMPS, [row], NOON).newest).toBe(NOON - 5 * HOUR);
  });

  it('advances with a stamp that is newer than the elapsed time', () => {
    const stamps = learnStamps(STAMPS, updatedAt(NOON + 3 * MINUTE), NOON + 3 * MINUTE - SECOND);
    const ahead = learnStamps({ ...STAMPS, newest: NOON - HOUR }, updatedAt(NOON), NOON);

    expect(stamps.newest).toBe(NOON);
    expect(ahead).toMatchObject({ newest: NOON, newestReceivedAt: NOON });
  });

  it('does not go back to a stamp that is older than the elapsed time', () => {
    const stamps = learnStamps(STAMPS, updatedAt(NOON + MINUTE), NOON + 2 * MINUTE);

    expect(stamps).toMatchObject({ newest: NOON, newestReceivedAt: NOON });
    expect(stampsTime(stamps, NOON + 2 * MINUTE)).toBe(NOON + 2 * MINUTE);
  });

  it('keeps its stamp if another gives the same time', () => {
    const stamps = learnStamps(STAMPS, updatedAt(NOON + MINUTE), NOON + MINUTE);

    expect(stamps.newest).toBe(NOON);
  });

  it('learns nothing from unreadable rows', () => {
    const stamps = learnStamps(STAMPS, [anUnreadableRow(1), anUnreadableRow()], NOON + HOUR);

    expect(stamps).toBe(STAMPS);
  });
});

describe('a stamp is plausible', () => {
  it('up to the answer’s Date', () => {
    const stamps = learnStamps(UNKNOWN_STAMPS, updatedAt(NOON, NOON + 1), NOON);

    expect(stamps.newest).toBe(NOON);
  });

  it('up to the lead beyond it', () => {
    const leading = { ...UNKNOWN_STAMPS, lead: 2 * HOUR };

    const stamps = learnStamps(leading, updatedAt(NOON + 2 * HOUR, NOON + 2 * HOUR + 1), NOON);

    expect(stamps.newest).toBe(NOON + 2 * HOUR);
  });

  it('never if it is absurd', () => {
    const row = aRow(1, { updatedAt: NOON + HOUR });

    const stamps = learnStamps(UNKNOWN_STAMPS, [row], NOON);

    expect(stamps.newest).toBeUndefined();
    expect(stamps.newestReceivedAt).toBe(0);
  });

  it('if three rows of a page agree and stamps have no zone', () => {
    const two = learnStamps(UNKNOWN_STAMPS, zoneless(updatedAt(NOON, NOON - MINUTE)), NOON);
    const three = learnStamps(UNKNOWN_STAMPS, zoneless(updatedAt(NOON - HOUR, NOON, NOON - MINUTE)), NOON);

    expect(two.newest).toBeUndefined();
    expect(three.newest).toBe(NOON - HOUR);
  });
});

describe('the lead', () => {
  /** The lead after stamps of different groups that run ahead by these amounts. */
  function leadOf(...leads: readonly number[]): number {
    return leads.reduce(
      (state, lead, groupId) => learnLead(state, groupId, NOON + lead, NOON),
      UNKNOWN_STAMPS,
    ).lead;
  }

  it('is the amount that three groups have in common', () => {
    expect(leadOf(9 * HOUR, 8 * HOUR)).toBe(0);
    expect(leadOf(9 * HOUR, 7 * HOUR, 8 * HOUR)).toBe(7 * HOUR);
  });

  it('is not moved by many changes of a single group', () => {
    const one = idsFrom(1, 12).reduce((state) => learnLead(state, 7, NOON + 9 * HOUR, NOON), UNKNOWN_STAMPS);

    expect(one.lead).toBe(0);
    expect(one.leads).toEqual([{ groupId: 7, lead: 9 * HOUR }]);
  });

  it('is the amount that most of the last groups have in common, without a few absurd ones', () => {
    const absurd = [9 * HOUR, 9 * HOUR, 9 * HOUR];

    expect(leadOf(...absurd, ...idsFrom(1, 2).map(() => 0))).toBe(9 * HOUR);
    expect(leadOf(0, 0, 0, ...absurd)).toBe(0);
    expect(leadOf(0, 0, 0, ...absurd, 9 * HOUR)).toBe(9 * HOUR);
  });

  it('uses the last twelve groups', () => {
    const honest = idsFrom(1, 12).map(() => 2 * HOUR);

    expect(leadOf(...idsFrom(1, 12).map(() => 0), ...honest.slice(0, 6))).toBe(0);
    expect(leadOf(...idsFrom(1, 12).map(() => 0), ...honest.slice(0, 7))).toBe(2 * HOUR);
    expect(leadOf(...idsFrom(1, 40).map(() => 0), ...honest.slice(0, 7))).toBe(2 * HOUR);
  });

  it.each([
    { lead: 30 * MINUTE, learned: 30 * MINUTE, what: 'half an hour' },
    { lead: 30 * MINUTE - 1, learned: 0, what: 'less, which polls always read' },
    { lead: 15 * HOUR, learned: 15 * HOUR, what: 'fifteen hours' },
    { lead: 15 * HOUR + 1, learned: 0, what: 'more, which is not a zone' },
    { lead: -5 * HOUR, learned: 0, what: 'a lag' },
  ])('is learned from $what, or not', ({ lead, learned }) => {
    expect(leadOf(lead, lead, lead)).toBe(learned);
  });

  it('only grows', () => {
    const stamps = { ...UNKNOWN_STAMPS, lead: 9 * HOUR };

    const later = idsFrom(1, 12).reduce((state, id) => learnLead(state, id, NOON + HOUR, NOON), stamps);

    expect(later.lead).toBe(9 * HOUR);
  });
});

describe('no single row moves the clock', () => {
  it.each([
    { what: 'years ahead', absurd: NOON + 9_000 * HOUR },
    { what: 'a minute ahead', absurd: NOON + MINUTE },
  ])('even if it is $what and is read repeatedly', ({ absurd }) => {
    let state = learnStamps(UNKNOWN_STAMPS, updatedAt(NOON - SECOND), NOON);

    for (let polls = 0; polls < 20; polls += 1) {
      state = learnStamps(state, updatedAt(absurd, NOON - SECOND), NOON);
      state = learnLead(state, 1, absurd, NOON);
    }

    expect(stampsTime(state, NOON)).toBe(NOON - SECOND);
  });
});

describe('the form of stamps', () => {
  it.each([
    { zoned: [true, true, false], isZoned: true },
    { zoned: [true, false], isZoned: true },
    { zoned: [true, false, false], isZoned: false },
  ])('is at first the form of half the page: $zoned', ({ zoned, isZoned }) => {
    const rows = zoned.map((each, id) => aRow(id, { zoned: each }));

    expect(learnStamps(UNKNOWN_STAMPS, rows, NOON).zoned).toBe(isZoned);
  });

  it.each([
    { before: true, rows: [false, false, false], after: false },
    { before: true, rows: [false, false], after: true },
    { before: true, rows: [false, false, false, true], after: true },
    { before: false, rows: [true, true, true], after: true },
    { before: false, rows: [true, true], after: false },
    { before: false, rows: [true, true, true, false], after: false },
  ])('changes later only with a whole page of three: $before, $rows', ({ before, rows, after }) => {
    const page = rows.map((zoned, id) => aRow(id, { zoned }));

    const byNewest = learnStamps({ ...STAMPS, zoned: before }, page, NOON);
    const byLeads = learnStamps(
      { ...UNKNOWN_STAMPS, zoned: before, leads: [{ groupId: 1, lead: 0 }] },
      page,
      NOON,
    );

    expect([byNewest.zoned, byLeads.zoned]).toEqual([after, after]);
  });

  it('has at first the digits of the page’s most precise stamp', () => {
    const rows = [aRow(1, { precision: 0 }), aRow(2, { precision: 3 })];

    expect(learnStamps(UNKNOWN_STAMPS, rows, NOON).precision).toBe(3);
  });

  it('has later the most digits ever seen', () => {
    const known = { ...STAMPS, precision: 3 };

    expect(learnStamps(known, [aRow(1, { precision: 0 })], NOON).precision).toBe(3);
    expect(learnStamps(known, [aRow(1, { precision: 6 })], NOON).precision).toBe(6);
  });
});

describe('polls read ahead', () => {
  it.each([
    { zoned: true, lead: 0, ahead: HOUR },
    { zoned: true, lead: 9 * HOUR, ahead: 10 * HOUR },
    { zoned: false, lead: 0, ahead: 15 * HOUR },
    { zoned: false, lead: 9 * HOUR, ahead: 10 * HOUR },
  ])('an hour, but fifteen hours while a zone is unknown: $zoned, $lead', ({ zoned, lead, ahead }) => {
    expect(askedAhead({ ...UNKNOWN_STAMPS, zoned, lead })).toBe(ahead);
  });
});

describe('stamps may fall back', () => {
  it.each([
    { what: 'not with a zone', zoned: true, offset: 9 * HOUR, by: 0 },
    { what: 'not in UTC', zoned: false, offset: 0, by: 0 },
    { what: 'not near UTC', zoned: false, offset: 30 * MINUTE - 1, by: 0 },
    { what: 'by summer time ahead of UTC', zoned: false, offset: 30 * MINUTE, by: HOUR },
    { what: 'by summer time behind UTC', zoned: false, offset: -5 * HOUR, by: HOUR },
  ])('$what', ({ zoned, offset, by }) => {
    expect(mayFallBackBy({ ...STAMPS, zoned, newest: NOON + offset })).toBe(by);
  });

  it.each([
    { what: 'the last one from before', stamp: NOON, isPlausible: false },
    { what: 'one that can only come after', stamp: NOON + 1, isPlausible: true },
  ])('so stamps from before the fall do not move the clock: $what', ({ stamp, isPlausible }) => {
    const fallen = { ...UNKNOWN_STAMPS, lead: 9 * HOUR, fall: { from: NOON, lead: 0 } };

    const { newest } = learnStamps(fallen, updatedAt(stamp), NOON - 8 * HOUR);

    expect(newest).toBe(isPlausible ? stamp : undefined);
  });

  it.each([
    { fall: 2, all: 1 },
    { fall: 1, all: 2 },
  ])('by the smaller lead: $fall h since the fall, $all h of all', ({ fall, all }) => {
    const fallen = { ...UNKNOWN_STAMPS, lead: all * HOUR, fall: { from: NOON, lead: fall * HOUR } };
    const newestOf = (stamp: number) => learnStamps(fallen, updatedAt(stamp), NOON - 5 * HOUR).newest;

    expect(newestOf(NOON - 4 * HOUR)).toBe(NOON - 4 * HOUR);
    expect(newestOf(NOON - 4 * HOUR + 1)).toBeUndefined();
  });

  it.each([
    { leads: [2, 2, 2], raised: 2 },
    { leads: [2, 2], raised: 1 },
    { leads: [0, 0, 0], raised: 1 },
    { leads: [2, 15, 15, 15], raised: 15 },
    { leads: [16, 16, 16], raised: 1 },
  ])('and the lead since the fall rises with most changes: $leads h', ({ leads, raised }) => {
    const fallen = { ...UNKNOWN_STAMPS, fall: { from: NOON, lead: HOUR } };

    const learnt = leads.reduce(
      (state, lead, index) => learnLead(state, index, NOON + lead * HOUR, NOON),
      fallen as typeof UNKNOWN_STAMPS,
    );

    expect(learnt.fall).toEqual({ from: NOON, lead: raised * HOUR });
  });

  it('and the lead since a fall is learned only after a fall', () => {
    expect(learnLead(UNKNOWN_STAMPS, 1, NOON + HOUR, NOON).fall).toBeUndefined();
  });

  it('not before any stamp is known', () => {
    expect(mayFallBackBy({ ...UNKNOWN_STAMPS, zoned: false, newestReceivedAt: NOON })).toBe(0);
  });
});
