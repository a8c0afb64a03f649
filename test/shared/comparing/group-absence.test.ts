import { expect, test } from 'vitest';
import { absentSince, noteAbsence, takeBackAbsence } from '../../../shared/comparing/group-absence.ts';
import { aSnapshot } from '../../contract/sample-saves.ts';

const OTHER = { 'shipment/7': 5 };

test('a noted absence is found again, beside those of entities, in the next version of the snapshot', () => {
  const known = aSnapshot(42, 3, { absences: OTHER });

  const noted = noteAbsence(known, 9);

  expect(absentSince(known)).toBeUndefined();
  expect(absentSince(noted)).toBe(9);
  expect(noted).toEqual({ ...known, version: 4, absences: { ...OTHER, 'return_group/42': 9 } });
});

test('a taken back absence leaves those of entities, in the next version of the snapshot', () => {
  const noted = aSnapshot(42, 3, { absences: { ...OTHER, 'return_group/42': 9, 'return_group/43': 9 } });

  expect(takeBackAbsence(noted)).toEqual({
    ...noted,
    version: 4,
    absences: { ...OTHER, 'return_group/43': 9 },
  });
});
