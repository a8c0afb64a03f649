import { describe, expect, it } from 'vitest';
import { HOUR } from '../../../shared/instant.ts';
import { createTrack } from '../../../shared/reading/track.ts';
import { anUnreadableRow, aPage, aRow, idsFrom, rowsOf } from './some-rows.ts';
import { NOON } from './worlds.ts';

describe('a track', () => {
  it('places a page from its offset to behind its last row, and counts it', () => {
    const track = createTrack();

    const placed = track.place(aPage(rowsOf(1, 2, 3), { bytes: 70 }), 20);

    expect(placed).toEqual({ rows: rowsOf(1, 2, 3), bytes: 70, offset: 20, end: 23 });
    expect(track.pages).toBe(1);
  });

  it('has the places of the rows that joined', () => {
    const track = createTrack();
    track.join(track.place(aPage(rowsOf(1, 2, 3)), 0));

    const seam = track.join(track.place(aPage(rowsOf(3, 4)), 1));

    expect(seam).toEqual({ verdict: 'joined', fresh: 1, movedUp: 1 });
  });

  it('uses the place at which a row was last seen', () => {
    const track = createTrack();
    track.join(track.place(aPage(rowsOf(1, 2, 3, 4)), 0));
    track.join(track.place(aPage(rowsOf(3, 4, 5)), 1));

    const seam = track.judge(track.place(aPage(rowsOf(4, 5)), 3));

    expect(seam).toMatchObject({ verdict: 'void', isShifted: true });
  });

  it('keeps the order in which rows were first seen', () => {
    const track = createTrack();
    track.join(track.place(aPage(rowsOf(1, 2, 3)), 0));
    track.join(track.place(aPage([aRow(1, { updatedAt: NOON }), aRow(3), aRow(4)]), 1));

    const seam = track.judge(track.place(aPage([aRow(1, { updatedAt: NOON }), aRow(4)]), 0));
    const turned = track.judge(track.place(aPage([aRow(4), aRow(1, { updatedAt: NOON })]), 0));

    expect(seam).toMatchObject({ verdict: 'joined' });
    expect(turned).toMatchObject({ verdict: 'void', isShifted: false });
  });

  it('is not changed by judging', () => {
    const track = createTrack();
    track.join(track.place(aPage(rowsOf(1, 2)), 0));

    track.judge(track.place(aPage(rowsOf(2, 3)), 1));

    expect(track.judge(track.place(aPage(rowsOf(3)), 2))).toEqual({ verdict: 'apart' });
  });

  it('counts different rows, and all rows of a page that did not join as new', () => {
    const track = createTrack();
    track.join(track.place(aPage([...rowsOf(1, 2, 3), anUnreadableRow()]), 0));
    track.join(track.place(aPage(rowsOf(2, 3, 4)), 1));
    track.join(track.place(aPage([...rowsOf(4, 7, 8), anUnreadableRow()]), 9));

    const pass = track.end('overlong');

    expect(pass.rows).toBe(6);
    expect(pass.pages).toBe(3);
  });

  it('keeps the stamps of each row once', () => {
    const track = createTrack();
    const early = { createdAt: NOON - 9 * HOUR, updatedAt: NOON - 8 * HOUR };
    const late = { createdAt: NOON - 3 * HOUR, updatedAt: NOON - 2 * HOUR };
    track.join(track.place(aPage([aRow(1, early), anUnreadableRow(5)]), 0));
    track.join(track.place(aPage([aRow(1, early), aRow(2, late)]), 0));

    const pass = track.end('complete');

    expect(pass.stamps).toEqual([early, late]);
  });

  it.each([
    { rows: 9, isFirstSmallest: true },
    { rows: 10, isFirstSmallest: false },
  ])('takes a first page of $rows rows for the last one: $isFirstSmallest', ({ rows, isFirstSmallest }) => {
    const track = createTrack();

    const isSmallest = track.noteSize(track.place(aPage(rowsOf(...idsFrom(1, rows))), 0));

    expect(isSmallest).toBe(isFirstSmallest);
  });

  it('takes a page for the last one if it has fewer rows than all before it', () => {
    const track = createTrack();
    const isSmallest = (rows: number) => track.noteSize(track.place(aPage(rowsOf(...idsFrom(1, rows))), 0));

    const verdicts = [30, 30, 29, 30, 29, 28].map(isSmallest);

    expect(verdicts).toEqual([false, false, true, false, false, true]);
  });
});

describe('a pass ends', () => {
  it('void, with the reason and whether rows only entered', () => {
    const track = createTrack();

    const pass = track.fail({ reason: 'injected by the test', isShifted: true });

    expect(pass).toEqual({
      outcome: 'void',
      reason: 'injected by the test',
      isShifted: true,
      rows: 0,
      pages: 0,
      stamps: [],
      list: { end: 0, rows: new Map() },
    });
  });

  it('complete, without a reason', () => {
    const track = createTrack();

    const pass = track.end('complete');

    expect(pass).toEqual({
      outcome: 'complete',
      isShifted: false,
      rows: 0,
      pages: 0,
      stamps: [],
      list: { end: 0, rows: new Map() },
    });
  });
});
