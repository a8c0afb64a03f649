import { describe, expect, it } from 'vitest';
import { HOUR } from '../../../shared/instant.ts';
import {
  distrustEnds,
  forgetOldDepth,
  type ListDepth,
  noteConfirmed,
  noteHidden,
  noteRefused,
  noteShown,
  noteTrusted,
  rowsToPage,
  trustsEnd,
  UNKNOWN_DEPTH,
} from '../../../shared/reading/list-depth.ts';
import { NOON } from './worlds.ts';

function aDepth(changes: Partial<ListDepth> = {}): ListDepth {
  return {
    trusted: 100,
    confirmed: undefined,
    grownTo: undefined,
    halfConfirmed: undefined,
    most: undefined,
    suspect: undefined,
    since: NOON,
    ...changes,
  };
}

describe('the end of a list', () => {
  it('is trusted below ten rows from the start', () => {
    expect(UNKNOWN_DEPTH.trusted).toBe(9);
  });

  it('is trusted before the last place at which a list showed a row', () => {
    expect(noteShown(aDepth(), 140).trusted).toBe(139);
    expect(noteShown(aDepth(), 50).trusted).toBe(100);
  });

  it('is trusted at a confirmed place, for the list of all groups only', () => {
    const ofAll = noteConfirmed(aDepth(), 140, true);
    const ofOne = noteConfirmed(aDepth(), 140, false);

    expect([139, 140].map((end) => trustsEnd(ofAll, end, true))).toEqual([true, true]);
    expect([139, 140].map((end) => trustsEnd(ofAll, end, false))).toEqual([true, false]);
    expect([139, 140].map((end) => trustsEnd(ofOne, end, true))).toEqual([true, false]);
  });

  it('is trusted once at each place beyond the confirmed one: the store may have grown', () => {
    const confirmed = noteConfirmed(aDepth(), 140, true);
    const grown = noteTrusted(confirmed, 143);

    expect(trustsEnd(confirmed, 143, true)).toBe(true);
    expect(trustsEnd(grown, 143, true)).toBe(false);
    expect(trustsEnd(grown, 145, true)).toBe(true);
    expect(trustsEnd(confirmed, 143, false)).toBe(false);
    expect(trustsEnd(aDepth(), 143, true)).toBe(false);
  });

  it('is trusted at a new place once that is confirmed', () => {
    const grown = noteTrusted(noteConfirmed(aDepth(), 140, true), 143);

    expect(trustsEnd(noteConfirmed(grown, 143, true), 143, true)).toBe(true);
  });

  it('is no longer trusted at a place where a list had more rows', () => {
    expect(noteHidden(aDepth(), 80).trusted).toBe(79);
    expect(noteHidden(aDepth({ trusted: 9 }), 80).trusted).toBe(9);
    expect(noteHidden(aDepth({ confirmed: 101 }), 80).confirmed).toBeUndefined();
  });

  it('is no longer trusted anywhere after a proved range lacked a row', () => {
    expect(distrustEnds(aDepth({ confirmed: 101 }))).toMatchObject({ trusted: 9, confirmed: undefined });
  });
});

describe('the maximum of rows that a list shows', () => {
  it('is known once lists with more rows have ended twice at one place', () => {
    const once = noteHidden(aDepth(), 80);
    const elsewhere = noteHidden(once, 81);
    const twice = noteHidden(once, 80);

    expect(once.most).toBeUndefined();
    expect(elsewhere.most).toBeUndefined();
    expect(twice.most).toBe(80);
  });

  it('is assumed as half of a refused offset, but not below the rows that were shown', () => {
    expect(noteRefused(aDepth({ trusted: 9 }), 300).most).toBe(150);
    expect(noteRefused(aDepth({ trusted: 200 }), 300).most).toBe(200);
    expect(noteRefused(aDepth({ trusted: 400 }), 300).most).toBe(300);
    expect(noteRefused(aDepth({ trusted: 9, most: 120 }), 300).most).toBe(120);
  });

  it('is unknown again once a row behind it was shown', () => {
    expect(noteShown(aDepth({ most: 120 }), 120).most).toBe(120);
    expect(noteShown(aDepth({ most: 120 }), 121).most).toBeUndefined();
  });

  it('leaves a fifth of the rows free', () => {
    expect(rowsToPage(aDepth({ most: 100 }))).toBe(80);
    expect(rowsToPage(aDepth({ most: 1 }))).toBe(1);
    expect(rowsToPage(aDepth())).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('the stored depth of lists', () => {
  it('is valid for an hour', () => {
    const depth = aDepth({ most: 80 });

    expect(forgetOldDepth(depth, NOON + HOUR - 1)).toBe(depth);
    expect(forgetOldDepth(depth, NOON + HOUR)).toEqual({ ...UNKNOWN_DEPTH, since: NOON + HOUR });
  });

  it('is invalid after a clock is set back', () => {
    expect(forgetOldDepth(aDepth(), NOON - 1)).toEqual({ ...UNKNOWN_DEPTH, since: NOON - 1 });
  });

  it('stays the same object if a page adds nothing', () => {
    const depth = aDepth();

    expect(noteShown(depth, 20)).toBe(depth);
  });
});
