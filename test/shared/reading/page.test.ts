import { describe, expect, it } from 'vitest';
import { identityOf, nameOf, versionOf } from '../../../shared/reading/page.ts';
import { anUnreadableRow, aRow } from './some-rows.ts';
import { NOON } from './worlds.ts';

describe('a row', () => {
  it('is identified by its id if it has one', () => {
    const withText = { ...anUnreadableRow(), textId: 'e' };

    const names = [aRow(7), anUnreadableRow(7), withText, anUnreadableRow()].map(nameOf);

    expect(names).toEqual(['7', '7', 'e', undefined]);
  });

  it('is identified by its content if it has no id', () => {
    const rows = [
      aRow(7),
      anUnreadableRow(7, 'a'),
      anUnreadableRow(undefined, 'a'),
      anUnreadableRow(undefined, 'b'),
    ];

    expect(rows.map(identityOf)).toEqual(['7', '7', '#a', '#b']);
  });

  it('has a new version after an update, or after a change of its content if it is unreadable', () => {
    const rows = [aRow(7, { updatedAt: NOON }), aRow(7, { updatedAt: NOON + 1 }), anUnreadableRow(7, 'a')];

    expect(rows.map(versionOf)).toEqual([String(NOON), String(NOON + 1), '#a']);
  });

  it('keeps its version as long as its stamp, even if other fields change', () => {
    const rows = [
      { ...anUnreadableRow(7, 'a'), updatedAt: NOON },
      { ...anUnreadableRow(7, 'b'), updatedAt: NOON },
      { ...anUnreadableRow(7, 'b'), updatedAt: NOON + 1 },
    ];

    const [one, again, changed] = rows.map(versionOf);

    expect(again).toBe(one);
    expect(changed).not.toBe(one);
    expect(one).not.toBe(versionOf(aRow(7, { updatedAt: NOON })));
    expect(identityOf({ ...anUnreadableRow(undefined, 'a'), updatedAt: NOON })).toBe('#a');
  });
});
