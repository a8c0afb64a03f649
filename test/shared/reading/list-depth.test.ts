import { describe, expect, it } from 'vitest';
import { HOUR } from '../../../shared/instant.ts';
import {
  depthOf,
  distrustEnds,
  forgetOldDepths,
  type ListDepth,
  learnDepth,
  noteConfirmed,
  noteHidden,
  noteRefused,
  noteShown,
  noteTrusted,
  rowsToPage,
  trustsEnd,
  UNKNOWN_DEPTH,
  UNKNOWN_DEPTHS,
} from '../../../shared/reading/list-depth.ts';
import { NOON } from './worlds.ts';

function aDepth(changes: Partial<ListDepth> = {}): ListDepth {
  return {
    trusted: 100,
    confirmed: undefined,
    grownTo: undefined,
    halfConfirmed: undefined,
    longest: undefined,
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

  it('is not trusted at a place before the confirmed one that no list has shown', () => {
    expect(trustsEnd(aDepth({ confirmed: 140 }), 130, true)).toBe(false);
  });

  it.each([
    { what: 'is the confirmed one', end: 140, known: { confirmed: 140, grownTo: 130 } },
    { what: 'was shown by a list', end: 90, known: { confirmed: 80, grownTo: 130 } },
    { what: 'is the last that a list showed', end: 100, known: { confirmed: 80, grownTo: 130 } },
    { what: 'has nothing confirmed before it', end: 140, known: { grownTo: 130 } },
  ])('does not count as grown if it $what', ({ end, known }) => {
    const depth = aDepth(known);

    expect(noteTrusted(depth, end)).toBe(depth);
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
    expect(noteShown(aDepth({ most: 120, trusted: 130 }), 121).most).toBeUndefined();
  });

  it('leaves a fifth of the rows free', () => {
    expect(rowsToPage(aDepth({ most: 100 }))).toBe(80);
    expect(rowsToPage(aDepth({ most: 1 }))).toBe(1);
    expect(rowsToPage(aDepth())).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('the stored depth of lists', () => {
  const HOURS = { from: NOON - HOUR, to: NOON };
  const BY_UPDATE = { updated: HOURS };
  const BY_CREATION = { created: HOURS };
  const shown = (end: number) => (depth: ListDepth) => noteShown(depth, end);

  it('is learned for lists by update and by creation apart', () => {
    const byUpdate = learnDepth(UNKNOWN_DEPTHS, BY_UPDATE, NOON, shown(140));
    const byCreation = learnDepth(UNKNOWN_DEPTHS, BY_CREATION, NOON, shown(140));

    expect(byUpdate.updated.trusted).toBe(139);
    expect(byCreation.created.trusted).toBe(139);
    expect(depthOf(byUpdate, BY_UPDATE, NOON).trusted).toBe(139);
    expect(depthOf(byUpdate, BY_CREATION, NOON).trusted).toBe(9);
    expect(depthOf(byCreation, BY_CREATION, NOON).trusted).toBe(139);
    expect(depthOf(byCreation, BY_UPDATE, NOON).trusted).toBe(9);
  });

  it.each([
    ['both bounds', { ...BY_UPDATE, ...BY_CREATION }],
    ['no bounds', {}],
  ])('learns nothing from lists with %s, and says nothing of them', (_, range) => {
    const known = { updated: aDepth(), created: aDepth(), since: NOON };

    expect(learnDepth(known, range, NOON, shown(140))).toBe(known);
    expect(depthOf(known, range, NOON)).toEqual(UNKNOWN_DEPTH);
  });

  it.each([
    ['an hour', NOON + HOUR],
    ['a clock is set back', NOON - 1],
  ])('trusts no end after %s, and still knows the most rows of a list', (_, now) => {
    const old = aDepth({ confirmed: 101, grownTo: 105, halfConfirmed: 105, most: 300 });
    const known = { updated: old, created: old, since: NOON };

    const depth = depthOf(known, BY_UPDATE, now);

    expect(depth).toEqual({ ...UNKNOWN_DEPTH, most: 300, since: now });
    expect(depthOf(known, BY_UPDATE, NOON)).toBe(old);
    expect(depthOf(known, BY_UPDATE, NOON + HOUR - 1)).toBe(old);
  });

  it('trusts new ends for an hour from then on', () => {
    const old = { updated: aDepth(), created: aDepth(), since: NOON };
    const known = learnDepth(old, BY_UPDATE, NOON + HOUR, shown(40));

    expect(depthOf(known, BY_UPDATE, NOON + 2 * HOUR - 1).trusted).toBe(39);
    expect(depthOf(known, BY_UPDATE, NOON + 2 * HOUR).trusted).toBe(9);
  });

  it('is forgotten at the start of a walk an hour later', () => {
    const known = { updated: aDepth(), created: aDepth({ most: 80 }), since: NOON };

    expect(forgetOldDepths(known, NOON + HOUR - 1)).toBe(known);
    expect(forgetOldDepths(known, NOON + HOUR)).toEqual({ ...UNKNOWN_DEPTHS, since: NOON + HOUR });
    expect(forgetOldDepths(known, NOON - 1)).toEqual({ ...UNKNOWN_DEPTHS, since: NOON - 1 });
  });

  it('stays the same object if a page adds nothing', () => {
    const known = { updated: aDepth(), created: aDepth(), since: NOON };

    expect(learnDepth(known, BY_UPDATE, NOON, shown(20))).toBe(known);
  });
});
