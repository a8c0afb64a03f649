import { describe, expect, it } from 'vitest';
import {
  createUnknowable,
  type FieldKnowledge,
  type FieldsSince,
  learnFields,
  noteWholeWalk,
  type WholeWalk,
} from '../../../shared/comparing/known-fields.ts';
import { WATCHED_FIELDS } from '../../../shared/contract/watched-fields.ts';
import { parseReturnGroup } from '../../../shared/returns-service/parse-return-group.ts';
import type { ReturnGroup } from '../../../shared/returns-service/read-row.ts';
import { aRow } from './a-reading.ts';

function groupOf(row: unknown): ReturnGroup {
  const parsed = parseReturnGroup(row);
  if (parsed.kind === 'unreadable') throw new Error(parsed.reason);
  return parsed.group;
}

describe('the fields that a service sends', () => {
  it('are learned with the moment of the answer, also if they are null', () => {
    const all = [
      ...Object.entries(WATCHED_FIELDS).flatMap(([kind, fields]) =>
        ['id', ...fields].map((field) => `${kind}.${field}`),
      ),
      'refund_transaction.id',
    ];

    const known = learnFields({}, groupOf(aRow()), 5);

    expect(known).toEqual(Object.fromEntries(all.map((name) => [name, 5])));
  });

  it('are not learned if they are left out', () => {
    const row = aRow((row) => {
      for (const shipment of row.shipments) Object.assign(shipment, { carrier: undefined });
      Object.assign(row, { exchange_line_items: undefined, refund_transactions: null, returns: [] });
    });

    const known = learnFields({}, groupOf(row), 5);

    expect(known).toMatchObject({ 'shipment.status': 5, 'return_line_item.id': 5 });
    expect(Object.keys(known)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/carrier|exchange|refund_transaction\.id|quantity/)]),
    );
  });

  it('keep the moment of the first answer that had them', () => {
    const known: FieldsSince = { 'shipment.carrier': 1 };

    expect(learnFields(known, groupOf(aRow()), 5)).toMatchObject({ 'shipment.carrier': 1, 'shipment.id': 5 });
  });

  it('stay the same object if there is nothing to learn', () => {
    const known = learnFields({}, groupOf(aRow()), 5);

    expect(learnFields(known, groupOf(aRow()), 6)).toBe(known);
  });
});

describe('a field that a snapshot could not know', () => {
  const snapshot = { groupId: 7, receivedAt: 9, updatedAt: 1, absences: {} };
  const reading = { updatedAt: 1 };
  const fields: FieldKnowledge = { fieldsSince: { 'shipment.carrier': 10 }, wholeWalks: [] };

  it('was first sent after the answer of the snapshot', () => {
    const unknowable = createUnknowable(fields, snapshot, reading);

    expect(unknowable('shipment', 'carrier')).toBe(true);
    expect(unknowable('shipment', 'status')).toBe(false);
    expect(unknowable('return_line_item', 'carrier')).toBe(false);
  });

  it('is no field that was sent with or before the answer of the snapshot, even if only by another group', () => {
    const unknowable = createUnknowable(fields, { ...snapshot, receivedAt: 10 }, reading);

    expect(unknowable('shipment', 'carrier')).toBe(false);
  });

  it('is none if the stamp shows that the group changed', () => {
    const unknowable = createUnknowable(fields, { ...snapshot, updatedAt: 0 }, reading);

    expect(unknowable('shipment', 'carrier')).toBe(false);
  });

  it('is none without a snapshot', () => {
    expect(createUnknowable(fields, undefined, reading)('shipment', 'carrier')).toBe(false);
  });
});

describe('a field that is new to a group', () => {
  const since: FieldsSince = { 'shipment.carrier': 10, 'shipment.id': 10, 'return_group.credit_method': 30 };
  const before: FieldKnowledge = { fieldsSince: since, wholeWalks: [] };
  const snapshot = { groupId: 7, receivedAt: 9, updatedAt: 1, absences: {} };
  const reading = { updatedAt: 1 };

  function afterWalks(...walks: readonly WholeWalk[]): FieldKnowledge {
    return walks.reduce((known, walk) => noteWholeWalk(known, walk), before);
  }

  it.each([
    ['is filled in while no whole walk was completed', [], true],
    [
      'is filled in after a walk that began before the field was first seen',
      [{ fieldsUntil: 9, endedAt: 40 }],
      true,
    ],
    ['is a change after a walk that began since', [{ fieldsUntil: 10, endedAt: 40 }], false],
  ] as const)('%s', (_, walks, isFilledIn) => {
    const unknowable = createUnknowable(afterWalks(...walks), snapshot, reading);

    expect(unknowable('shipment', 'carrier')).toBe(isFilledIn);
    expect(unknowable('shipment', 'id')).toBe(isFilledIn);
    expect(unknowable('return_group', 'credit_method')).toBe(true);
  });

  it('is filled in if the group has been unreadable since before the end of that walk', () => {
    const known = afterWalks({ fieldsUntil: 15, endedAt: 40 });
    const isFilledIn = (unreadSince: number) =>
      createUnknowable(known, snapshot, reading, unreadSince)('shipment', 'carrier');

    expect([isFilledIn(39), isFilledIn(40)]).toEqual([true, false]);
  });

  it('is filled in if look-ups have not found the group since before the end of that walk', () => {
    const known = afterWalks({ fieldsUntil: 15, endedAt: 40 });
    const isFilledIn = (absentSince: number) =>
      createUnknowable(
        known,
        { ...snapshot, absences: { 'return_group/7': absentSince } },
        reading,
      )('shipment', 'carrier');

    expect([isFilledIn(39), isFilledIn(40)]).toEqual([true, false]);
  });

  it('is filled in if the entity has been missing since before the end of that walk', () => {
    const unknowable = createUnknowable(afterWalks({ fieldsUntil: 15, endedAt: 40 }), snapshot, reading);

    expect(unknowable('shipment', 'carrier', 39)).toBe(true);
    expect(unknowable('shipment', 'carrier', 40)).toBe(false);
  });

  it('is judged by the first walk that shows it, not by later walks', () => {
    const known = afterWalks({ fieldsUntil: 15, endedAt: 40 }, { fieldsUntil: 50, endedAt: 60 });
    const unknowable = createUnknowable(known, snapshot, reading, 45);

    expect(unknowable('shipment', 'carrier')).toBe(false);
    expect(unknowable('return_group', 'credit_method')).toBe(true);
  });

  it('needs no note of a walk that shows no new field', () => {
    const known = afterWalks({ fieldsUntil: 15, endedAt: 40 }, { fieldsUntil: 50, endedAt: 60 });
    const upToCarrier = afterWalks({ fieldsUntil: 10, endedAt: 40 });

    expect(known.wholeWalks).toHaveLength(2);
    expect(noteWholeWalk(known, { fieldsUntil: 70, endedAt: 80 })).toBe(known);
    expect(noteWholeWalk(upToCarrier, { fieldsUntil: 29, endedAt: 60 })).toBe(upToCarrier);
    expect(afterWalks({ fieldsUntil: 9, endedAt: 40 })).toBe(before);
  });
});
