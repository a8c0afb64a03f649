import { describe, expect, it } from 'vitest';
import type { Page } from '../../../shared/reading/range.ts';
import {
  forgetRoom,
  isComplete,
  learnRoom,
  type Room,
  rowsOfPart,
  rowsOfPiece,
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
      ...{ since: 0, rows: 10, groups: 10, planned: 10 },
      ...{ bytes: 500, rowBytes: 60 },
    });
  });

  it('is kept for planning when it is forgotten', () => {
    const known = { ...roomAfter(50), since: 7 };

    const forgotten = forgetRoom(known);

    expect(isComplete(forgotten, LIMIT, answer(49))).toBe(false);
    expect(rowsOfPart(forgotten, LIMIT)).toBe(rowsOfPart(known, LIMIT));
    expect(learnRoom(forgotten, answer(20))).toMatchObject({ since: 7, rows: 20, groups: 20, planned: 50 });
  });

  it.each([
    ['a page of ten', roomAfter(10), 7, 8],
    ['a page of fifty', roomAfter(50), 35, 40],
    ['the limit where an answer had more', roomAfter(500), 140, 160],
    ['the limit while pages are unknown', UNKNOWN_ROOM, 140, 260],
    ['the page that was known', forgetRoom(roomAfter(50)), 35, 65],
  ])('plans a part of a poll for 0.7 of %s, a piece of a walk for 0.8 or 1.3', (_, room, part, piece) => {
    expect([rowsOfPart(room, LIMIT), rowsOfPiece(room, LIMIT)]).toEqual([part, piece]);
  });
});
