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

const LIMIT = 200;
const ROW = parseReturnGroup(0);

function answer(rows: number, bytes = 100 * rows): Page {
  return { rows: Array.from({ length: rows }, () => ROW), bytes, sentAt: 0, receivedAt: 0 };
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

  it('of 64 KB that is nearly as large as the largest one is full: pages may be cut by bytes', () => {
    const room = learnRoom(roomAfter(100), answer(90, 200_000));

    expect(isComplete(room, LIMIT, answer(60, 180_000))).toBe(false);
    expect(isComplete(room, LIMIT, answer(60, 179_999))).toBe(true);
    expect(isComplete(learnRoom(roomAfter(100), answer(90, 60_000)), LIMIT, answer(60, 59_000))).toBe(true);
  });
});

describe('the room of an answer', () => {
  it('is the most rows of any', () => {
    expect(roomAfter(12, 50, 20)).toMatchObject({ rows: 50 });
    expect(roomAfter(9)).toEqual(UNKNOWN_ROOM);
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
    expect([roomAfter(50), roomAfter(500)].map((room) => plannedRows(room, LIMIT))).toEqual([40, 160]);
  });

  it('plans more than a page while it is unknown or forgotten: the full answer shows how large pages are', () => {
    expect([UNKNOWN_ROOM, forgetRoom(roomAfter(50))].map((room) => plannedRows(room, LIMIT))).toEqual([
      260, 65,
    ]);
  });
});
