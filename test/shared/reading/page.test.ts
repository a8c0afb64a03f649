import { describe, expect, it } from 'vitest';
import { identityOf, nameOf, versionOf } from '../../../shared/reading/page.ts';
import { anUnreadableRow, aRow } from './some-rows.ts';
import { NOON } from './worlds.ts';

describe('a row', () => {
  it('is named by its id, if it shows that', () => {
    expect([aRow(7), anUnreadableRow(7), anUnreadableRow()].map(nameOf)).toEqual(['7', '7', undefined]);
  });

  it('is otherwise known by what it looks like', () => {
    const rows = [
      aRow(7),
      anUnreadableRow(7, 'a'),
      anUnreadableRow(undefined, 'a'),
      anUnreadableRow(undefined, 'b'),
    ];

    expect(rows.map(identityOf)).toEqual(['7', '7', '#a', '#b']);
  });

  it('has another version once it was updated, or looks different where it can’t be read', () => {
    const rows = [aRow(7, { updatedAt: NOON }), aRow(7, { updatedAt: NOON + 1 }), anUnreadableRow(7, 'a')];

    expect(rows.map(versionOf)).toEqual([String(NOON), String(NOON + 1), '#a']);
  });
});
