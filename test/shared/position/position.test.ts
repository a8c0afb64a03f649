// How far the feed has read, by the service's stamps. Pure.
import { describe, expect, it } from 'vitest';
import { DAY, HOUR, type Instant, MINUTE, SECOND } from '../../../shared/instant.ts';
import {
  beginAt,
  type CompleteRound,
  close,
  isPlausible,
  leaveOut,
  newestOf,
  noteAge,
  noteMoment,
  notePassed,
  observe,
  type Position,
  rangeOf,
  setBack,
  walkedAt,
} from '../../../shared/position/position.ts';
import { setBackPolls } from '../../../shared/position/set-back-polls.ts';
import type { Range } from '../../../shared/reading/range.ts';
import { beginRound } from '../../../shared/reading/round.ts';
import { VIRTUAL_START } from '../../fakes/virtual-clock.ts';
import { aPosition, aState, lanesWith } from '../a-state.ts';

const NOW = VIRTUAL_START;
const REACH = { lookback: 5 * MINUTE, settle: MINUTE };
/** The cursor follows a stamp from so long before. */
const BACK = 6 * MINUTE + 2 * SECOND;

const pair = (at: Instant, stamp: Instant = at) => ({ at, stamp });

/** A position after a complete round that began at a moment and was answered from then on. */
function closed(position: Position, lane: CompleteRound['lane'], at: Instant, isWhole = false): Position {
  return close(position, { lane, isWhole, startedAt: at, asOf: at }, REACH, at);
}

describe('the beginning of a feed', () => {
  it('is the latest that the newest stamp may be; the cursor lies the lookback and `settle` before the earliest', () => {
    const begun = beginAt(aPosition(), { low: NOW - 12 * MINUTE, high: NOW - 11 * MINUTE }, REACH, NOW);

    expect(begun).toEqual(
      aPosition({
        ...{ origin: NOW - 11 * MINUTE, newest: NOW - 12 * MINUTE, cursor: NOW - 18 * MINUTE },
        newestAt: [pair(NOW, NOW - 12 * MINUTE)],
      }),
    );
  });

  it('lies 26 hours before the start for an empty store: no clock or zone is further behind', () => {
    expect(beginAt(aPosition(), undefined, REACH, NOW)).toMatchObject({
      origin: NOW - 26 * HOUR,
      cursor: NOW - 26 * HOUR - 6 * MINUTE,
    });
  });

  it('leaves the cursor of a restored source where it was', () => {
    const restored = aPosition({ cursor: NOW - 9 * HOUR });

    expect(beginAt(restored, { low: NOW, high: NOW }, REACH, NOW)).toMatchObject({
      origin: NOW,
      cursor: NOW - 9 * HOUR,
    });
  });
});

describe('the newest stamp', () => {
  it.each([
    ['none', [], undefined],
    ['the newest one', [NOW - HOUR, undefined, NOW - MINUTE], NOW - MINUTE],
    ['one that is a minute ahead', [NOW, NOW + MINUTE], NOW + MINUTE],
    ['none that is further ahead', [NOW - HOUR, NOW + MINUTE + 1], NOW - HOUR],
    ['nothing if all are further ahead', [NOW + DAY], undefined],
  ])('of some is %s', (_, stamps, newest) => {
    expect(newestOf(stamps, NOW)).toBe(newest);
    expect(newest === undefined || isPlausible(newest, NOW)).toBe(true);
  });

  it('rises with what answers show, and never falls to an older one', () => {
    const first = observe(aPosition(), [NOW - HOUR, NOW - MINUTE], NOW);
    const again = observe(first, [NOW - 2 * HOUR], NOW);

    expect(first.newest).toBe(NOW - MINUTE);
    expect(again).toBe(first);
  });

  it('is forgotten once it is not plausible: the clock that admitted it was a day ahead', () => {
    const wrong = observe(aPosition(), [NOW + DAY], NOW + DAY);

    const right = observe(wrong, [NOW - MINUTE], NOW);

    expect([wrong.newest, right.newest]).toEqual([NOW + DAY, NOW - MINUTE]);
    expect(observe(wrong, [], NOW).newest).toBeUndefined();
  });

  it('is noted once a minute, some seconds early if a round begins early', () => {
    const moments = [0, 20, 53, 54, 107, 114].map((second) => NOW + second * SECOND);

    const noted = moments.reduce(noteMoment, aPosition({ newest: NOW }));

    expect(noted.newestAt).toEqual([0, 54, 114].map((second) => pair(NOW + second * SECOND, NOW)));
  });

  it('is not noted while none is known', () => {
    const position = aPosition();

    expect(noteMoment(position, NOW)).toBe(position);
  });

  it('is not noted while it is not plausible: the cursor would follow it once the clock is right', () => {
    const wrong = observe(aPosition({ cursor: NOW - HOUR }), [NOW + DAY], NOW + DAY);

    const noted = observe(noteMoment(wrong, NOW), [NOW - MINUTE], NOW);

    expect(noted.newestAt.filter(({ stamp }) => stamp > NOW + MINUTE)).toEqual([]);
    expect(closed(noted, 'late', NOW + 7 * MINUTE).cursor).toBeLessThanOrEqual(NOW);
  });

  it('is noted anew after a clock that was ahead: its moments would be used too late', () => {
    const position = aPosition({ newest: NOW, newestAt: [pair(NOW), pair(NOW + DAY)] });

    expect(noteMoment(position, NOW + MINUTE).newestAt).toEqual([pair(NOW + MINUTE, NOW)]);
  });

  it('is kept for 600 moments', () => {
    const newestAt = Array.from({ length: 600 }, (_, minute) => pair(NOW + minute * MINUTE));

    const noted = noteMoment(aPosition({ newest: NOW, newestAt }), NOW + 600 * MINUTE);

    expect(noted.newestAt).toHaveLength(600);
    expect(noted.newestAt[0]?.at).toBe(NOW + MINUTE);
  });
});

describe('the cursor', () => {
  const START = NOW - HOUR;

  it.each([
    [
      'the newest stamp that was known the lookback and `settle` before',
      [pair(NOW - BACK, NOW - BACK)],
      NOW - BACK,
    ],
    ['the last of several such moments', [pair(NOW - 9 * MINUTE), pair(NOW - 7 * MINUTE)], NOW - 7 * MINUTE],
    ['a stamp of a service that is hours ahead', [pair(NOW - 9 * MINUTE, NOW + 5 * HOUR)], NOW + 5 * HOUR],
    ['a stamp of a service that is behind', [pair(NOW - 9 * MINUTE, START + SECOND)], START + SECOND],
  ])('follows, two seconds behind it, %s', (_, newestAt, stamp) => {
    const { cursor } = closed(aPosition({ cursor: START, newestAt }), 'late', NOW);

    expect(cursor).toBe(stamp + 2 * SECOND);
  });

  it.each([
    ['at a moment that is too young', [pair(NOW - BACK + 1)]],
    ['before the cursor', [pair(NOW - 9 * MINUTE, START - HOUR)]],
  ])('does not follow a stamp that was known %s', (_, newestAt) => {
    expect(closed(aPosition({ cursor: START, newestAt }), 'late', NOW).cursor).toBe(START);
  });

  it('moves by the earliest answer of a round, which a cache may have kept', () => {
    const position = aPosition({ cursor: START, newestAt: [pair(NOW - BACK - MINUTE), pair(NOW - BACK)] });

    const { cursor } = close(position, { lane: 'late', startedAt: NOW, asOf: NOW - MINUTE }, REACH, NOW);

    expect(cursor).toBe(NOW - BACK - MINUTE + 2 * SECOND);
  });

  it('moves by the beginning of a round, however long it took', () => {
    const position = aPosition({ cursor: START, newestAt: [pair(NOW - 9 * MINUTE), pair(NOW - MINUTE)] });

    const { cursor } = close(position, { lane: 'late', startedAt: NOW, asOf: NOW }, REACH, NOW + HOUR);

    expect(cursor).toBe(NOW - 9 * MINUTE + 2 * SECOND);
  });

  it('forgets the moments before the one that it followed', () => {
    const newestAt = [11, 9, 8, 2].map((minute) => pair(NOW - minute * MINUTE));

    expect(closed(aPosition({ newestAt }), 'late', NOW).newestAt).toEqual(newestAt.slice(2));
  });

  it('is not moved by walks', () => {
    const position = aPosition({ cursor: START, newestAt: [pair(NOW - 9 * MINUTE)] });

    expect(closed(position, 'recent', NOW, true).cursor).toBe(START);
  });

  it('that was set back stays back until new moments are old enough', () => {
    const newestAt = [pair(NOW - 9 * MINUTE), pair(NOW - 8 * MINUTE)];
    const before = aPosition({ cursor: NOW - 10 * MINUTE, newest: NOW, newestAt, passed: [pair(NOW)] });

    const back = setBack(before, NOW - 3 * HOUR, NOW);
    const read = closed(noteMoment(back, NOW), 'late', NOW);
    const later = closed(read, 'late', NOW + BACK - 1);

    expect(back).toEqual(aPosition({ cursor: NOW - 3 * HOUR, newest: NOW }));
    expect([read.cursor, later.cursor]).toEqual([NOW - 3 * HOUR, NOW - 3 * HOUR]);
    expect(closed(later, 'late', NOW + BACK).cursor).toBe(NOW + 2 * SECOND);
  });

  it('is never set forward, and setting it back forgets a newest stamp that is not plausible', () => {
    const before = aPosition({ cursor: NOW - HOUR, newest: NOW + DAY });

    expect(setBack(before, NOW, NOW)).toMatchObject({ cursor: NOW - HOUR, newest: undefined });
  });

  it('that is set back ends the round under way, which began later', () => {
    const late = { round: beginRound(NOW, []), dueAt: NOW + MINUTE };
    const state = aState({ position: aPosition({ cursor: NOW }), lanes: lanesWith({ late }) });

    const { position, lanes } = setBackPolls(state, NOW - HOUR, NOW);

    expect(position.cursor).toBe(NOW - HOUR);
    expect(lanes.late).toMatchObject({ round: undefined, dueAt: NOW + MINUTE });
  });
});

describe('a complete round', () => {
  it.each([
    ['late', false, ['late']],
    ['recent', false, ['recent']],
    ['older', false, ['older']],
    ['recent', true, ['recent', 'older']],
  ] as const)('of %s (of all groups: %s) claims its earliest answer for %o', (lane, isWhole, claimed) => {
    const round = { lane, isWhole, startedAt: NOW, asOf: NOW - 20 * SECOND };

    const { readAt } = close(aPosition(), round, REACH, NOW + MINUTE);

    const none = { late: undefined, recent: undefined, older: undefined };
    const claims = Object.fromEntries(claimed.map((each) => [each, NOW - 20 * SECOND]));
    expect(readAt).toEqual({ ...none, ...claims });
  });

  it.each([
    ['keeps a later one, by a clock that is seconds ahead', NOW + 30 * SECOND, NOW + 30 * SECOND],
    ['keeps one that is a minute ahead', NOW + MINUTE, NOW + MINUTE],
    ['replaces one that a clock further ahead has made', NOW + MINUTE + 1, NOW],
    ['replaces an earlier one', NOW - MINUTE, NOW],
  ])('%s', (_, late, claimed) => {
    const position = aPosition({ readAt: { late, recent: undefined, older: undefined } });

    expect(closed(position, 'late', NOW).readAt.late).toBe(claimed);
  });

  it.each([
    [undefined, undefined, undefined],
    [NOW, undefined, undefined],
    [undefined, NOW, undefined],
    [NOW, NOW - HOUR, NOW - HOUR],
    [NOW - HOUR, NOW, NOW - HOUR],
  ])('of both walks claims the older of their moments: %s and %s', (recent, older, moment) => {
    expect(walkedAt({ readAt: { late: NOW, recent, older } })).toBe(moment);
  });
});

describe('the age of answers', () => {
  it('is noted since the first of those that are all old, until one is not', () => {
    const old = noteAge(aPosition(), true, NOW);
    const older = noteAge(old, true, NOW + MINUTE);
    const young = noteAge(older, false, NOW + 2 * MINUTE);

    expect([old, older, young].map(({ agedSince }) => agedSince)).toEqual([NOW, NOW, undefined]);
  });
});

describe('the range of a round', () => {
  const position = aPosition({
    ...{ cursor: NOW - HOUR, newest: NOW - MINUTE },
    readAt: { late: NOW, recent: NOW, older: NOW - 12 * HOUR },
  });
  const RECENT = 45 * DAY;

  const cases: [string, Parameters<typeof rangeOf>, Range][] = [
    [
      'late: from the cursor',
      [position, 'late', NOW],
      { axis: 'updated', from: NOW - HOUR, to: NOW + SECOND },
    ],
    [
      'late: up to a newest stamp that is ahead',
      [{ ...position, newest: NOW + MINUTE }, 'late', NOW],
      { axis: 'updated', from: NOW - HOUR, to: NOW + MINUTE + SECOND },
    ],
    [
      'late: up to a cursor that is ahead, so never from later than to',
      [{ ...position, cursor: NOW + HOUR }, 'late', NOW],
      { axis: 'updated', from: NOW + HOUR, to: NOW + HOUR + SECOND },
    ],
    [
      'fresh: from three seconds before the newest stamp of its last round',
      [position, 'fresh', NOW, NOW - 2 * MINUTE],
      { axis: 'updated', from: NOW - 2 * MINUTE - 3 * SECOND, to: NOW + HOUR },
    ],
    [
      'fresh: from the newest plausible stamp, if its own was not',
      [position, 'fresh', NOW, NOW + DAY],
      { axis: 'updated', from: NOW - MINUTE - 3 * SECOND, to: NOW + HOUR },
    ],
    [
      'fresh: from now at most',
      [{ ...position, newest: undefined }, 'fresh', NOW, NOW + DAY],
      { axis: 'updated', from: NOW - 3 * SECOND, to: NOW + HOUR },
    ],
    [
      'fresh: from the newest stamp that is known at first',
      [position, 'fresh', NOW],
      { axis: 'updated', from: NOW - MINUTE - 3 * SECOND, to: NOW + HOUR },
    ],
    [
      'fresh: from the cursor where none is known',
      [{ ...position, newest: undefined }, 'fresh', NOW],
      { axis: 'updated', from: NOW - HOUR, to: NOW + HOUR },
    ],
    [
      'recent: from 45 days before the last walk over older groups',
      [position, 'recent', NOW],
      { axis: 'created', from: NOW - 12 * HOUR - RECENT },
    ],
    [
      'recent: from 45 days ago before there was one',
      [aPosition(), 'recent', NOW],
      { axis: 'created', from: NOW - RECENT },
    ],
    [
      'recent: from 45 days ago after a clock that was ahead',
      [{ ...position, readAt: { ...position.readAt, older: NOW + DAY } }, 'recent', NOW],
      { axis: 'created', from: NOW - RECENT },
    ],
    ['older: up to 45 days ago', [position, 'older', NOW], { axis: 'created', to: NOW - RECENT }],
    ['all', [position, 'all', NOW], { axis: 'created' }],
  ];
  it.each(cases)('is that of %s', (_, args, range) => {
    expect(rangeOf(...args)).toEqual(range);
  });

  it('of walks over recent and older groups has each group, whichever walk comes first', () => {
    let known = aPosition();
    const bounds: [string, Instant][] = [];
    for (const [lane, hours] of [
      ['older', 0],
      ['recent', 1],
      ['recent', 11],
      ['older', 12],
      ['recent', 12.1],
    ] as const) {
      const at = NOW + hours * HOUR;
      const { from, to } = rangeOf(known, lane, at);
      bounds.push([lane, (from ?? to ?? 0) + RECENT - NOW]);
      known = closed(known, lane, at);
    }

    expect(bounds).toEqual([
      ['older', 0],
      ['recent', 0],
      ['recent', 0],
      ['older', 12 * HOUR],
      ['recent', 12 * HOUR],
    ]);
  });
});

describe('a range that is not all known', () => {
  const RANGE: Range = { axis: 'updated', from: NOW - 9 * SECOND, to: NOW - 5 * SECOND };

  it.each([
    ['that fails is left out by its active stamp', RANGE, true, RANGE],
    [
      'of a crowd that fails is left out by the other stamp',
      { ...RANGE, cross: { from: 1, to: 9 } },
      true,
      { axis: 'created', from: 1, to: 9 },
    ],
    [
      'of a crowd that is not proved is noted by its first stamp',
      { ...RANGE, cross: { from: 1, to: 9 } },
      false,
      RANGE,
    ],
    [
      'that is open begins at the epoch and ends in an hour',
      { axis: 'created' },
      true,
      { axis: 'created', from: 0, to: NOW + HOUR },
    ],
  ] as const)('%s', (_, range, isLeftOut, place) => {
    const { places } = leaveOut(aPosition(), range, { isLeftOut, reason: '500' }, NOW);

    const { axis, from, to } = place;
    expect(places).toEqual([{ axis, from, to, isLeftOut, reason: '500', seenAt: NOW }]);
  });
});

describe('changes that polls had passed', () => {
  const RHYTHM = 10 * MINUTE;
  const having = (...at: Instant[]) =>
    aPosition({ newest: NOW, passed: at.map((each) => pair(each, each - 5 * HOUR)) });
  const stamps = [NOW - 3 * HOUR];

  it.each([
    ['three at once', having(), [NOW - HOUR, NOW - 3 * HOUR, NOW - 2 * HOUR], RHYTHM, 3],
    ['three within an hour', having(NOW - HOUR, NOW - MINUTE), stamps, RHYTHM, 3],
    ['three within three walks that are apart', having(NOW - 3 * HOUR, NOW - HOUR), stamps, HOUR, 3],
    ['any number of more', having(NOW - HOUR, NOW - 2, NOW - 1), stamps, RHYTHM, 4],
  ])('are too many: %s', (_, position, passed, rhythm, count) => {
    const noted = notePassed(position, passed, rhythm, NOW);

    const oldest = Math.min(...passed, ...position.passed.map(({ stamp }) => stamp));
    expect(noted.found).toEqual({ oldest, count, to: oldest });
    expect(noted.position.passed).toEqual([]);
  });

  it.each([
    ['two at once', having(), [NOW - HOUR, NOW - 3 * HOUR], RHYTHM, 2],
    ['one more than an hour before', having(NOW - HOUR - 1, NOW - 1), stamps, RHYTHM, 2],
    ['one more than three walks before', having(NOW - 3 * HOUR - 1, NOW - 1), stamps, HOUR, 2],
    ['one by a clock that was ahead', having(NOW + MINUTE + 1, NOW - 1), stamps, RHYTHM, 2],
  ])('are not too many: %s', (_, position, passed, rhythm, kept) => {
    const noted = notePassed(position, passed, rhythm, NOW);

    expect(noted.found).toBeUndefined();
    expect(noted.position.passed).toHaveLength(kept);
    expect(noted.position.passed.at(-1)).toEqual(pair(NOW, passed.at(-1)));
  });

  it.each([
    ['26 hours before the newest stamp', NOW - HOUR, NOW - 27 * HOUR],
    ['26 hours ago while there is none', undefined, NOW - 26 * HOUR],
  ])('set polls back to %s at most', (_, newest, to) => {
    const passed = [1, 2, 3].map((day) => NOW - day * 7 * DAY);

    const { found } = notePassed(aPosition({ newest }), passed, RHYTHM, NOW);

    expect(found).toEqual({ oldest: NOW - 21 * DAY, count: 3, to });
  });
});
