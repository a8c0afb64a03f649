import { describe, expect, it } from 'vitest';
import type { Page } from '../../../shared/reading/range.ts';
import {
  forgetRoom,
  isComplete,
  learnRoom,
  plannedRows,
  type Room,
  UNKNOWN_ROOM,
} from '../../../shared/reading/room.ts';
import { parseReturnGroup } from '../../../shared/returns-service/parse-return-group.ts';
import { sampleRow } from '../returns-service/sample-rows.ts';

const LIMIT = 200;
const ROW = parseReturnGroup(0);

function answer(rows: number, bytes = 100 * rows, largestRow = 100): Page {
  return { rows: Array.from({ length: rows }, () => ROW), bytes, largestRow, sentAt: 0, receivedAt: 0 };
}

/** Each group in two rows, as a join shows it. */
function joined(groups: number): Page {
  const rows = Array.from({ length: groups }, (_, at) => parseReturnGroup(sampleRow(at + 1)));
  return { ...answer(2 * groups), rows: rows.flatMap((row) => [row, row]) };
}

const roomAfter = (...rows: number[]): Room =>
  rows.reduce((room, each) => learnRoom(room, answer(each)), UNKNOWN_ROOM);

describe('an answer', () => {
  it.each([
    ['fewer than ten rows, whatever is known', UNKNOWN_ROOM, answer(9), true],
    ['ten rows while nothing is known', UNKNOWN_ROOM, answer(10), false],
    ['fewer rows than another answer', roomAfter(50), answer(49), true],
    ['as many rows as another answer', roomAfter(50), answer(50), false],
    ['the limit that was asked for', roomAfter(300), answer(LIMIT), false],
  ])('with %s: complete or full', (_, room, page, complete) => {
    expect(isComplete(room, LIMIT, page)).toBe(complete);
  });

  it('with as many groups as another one is full, also where a join shows them in more rows', () => {
    const room = learnRoom(UNKNOWN_ROOM, joined(95));

    expect(isComplete(room, LIMIT, answer(100))).toBe(false);
    expect(isComplete(room, LIMIT, answer(95))).toBe(false);
    expect(isComplete(room, LIMIT, answer(94))).toBe(true);
    expect(isComplete(room, LIMIT, joined(94))).toBe(true);
    expect(isComplete(roomAfter(100), LIMIT, joined(50))).toBe(false);
  });

  it('of 64 KB that has no room for the largest row is full', () => {
    const room = learnRoom(roomAfter(100), answer(90, 100_000, 33_000));

    expect(isComplete(room, LIMIT, answer(14, 67_000))).toBe(false);
    expect(isComplete(room, LIMIT, answer(14, 66_999))).toBe(true);
  });

  it('of 64 KB is full from there on, if it has ten rows and another one is known', () => {
    const room = learnRoom(roomAfter(100), answer(90, 65_536, 20_000));

    expect(isComplete(room, LIMIT, answer(10, 65_536))).toBe(false);
    expect(isComplete(room, LIMIT, answer(10, 65_535))).toBe(true);
    expect(isComplete(room, LIMIT, answer(9, 65_536))).toBe(true);
    expect(isComplete({ ...room, bytes: 0 }, LIMIT, answer(10, 65_536))).toBe(true);
  });

  it('of 64 KB that is nearly as large as the largest one is full: pages may be cut by bytes', () => {
    const room = learnRoom(roomAfter(100), answer(90, 200_000));

    expect(isComplete(room, LIMIT, answer(60, 180_000))).toBe(false);
    expect(isComplete(room, LIMIT, answer(60, 179_999))).toBe(true);
    expect(isComplete(learnRoom(roomAfter(100), answer(90, 60_000)), LIMIT, answer(60, 59_000))).toBe(true);
  });
});

describe('the room of an answer', () => {
  it('is the most rows of any', () => {
    expect(roomAfter(12, 50, 20)).toMatchObject({ rows: 50, groups: 50 });
    expect(learnRoom(UNKNOWN_ROOM, joined(95))).toMatchObject({ rows: 190, groups: 95, planned: 95 });
    expect(roomAfter(9)).toEqual(UNKNOWN_ROOM);
    expect(learnRoom(UNKNOWN_ROOM, answer(10, 500, 60))).toEqual({
      ...{ rows: 10, groups: 10, planned: 10 },
      ...{ bytes: 500, rowBytes: 60 },
    });
  });

  it('is kept for planning when it is forgotten, or what the last answer had', () => {
    const known = roomAfter(50);

    const forgotten = forgetRoom(known);

    expect(isComplete(forgotten, LIMIT, answer(49))).toBe(false);
    expect(plannedRows(forgotten, LIMIT, 1)).toBe(50);
    expect(plannedRows(forgetRoom(known, 30), LIMIT, 1)).toBe(30);
    expect(plannedRows(forgetRoom(forgotten), LIMIT, 1)).toBe(50);
  });

  it('plans ranges for a share of it, at most for the limit', () => {
    expect(plannedRows(roomAfter(10), LIMIT)).toBe(8);
    expect([roomAfter(50), roomAfter(500)].map((room) => plannedRows(room, LIMIT))).toEqual([40, 160]);
  });

  it('plans more than a page while it is unknown or forgotten: the full answer shows how large pages are', () => {
    expect([UNKNOWN_ROOM, forgetRoom(roomAfter(50))].map((room) => plannedRows(room, LIMIT))).toEqual([
      260, 65,
    ]);
  });
});
