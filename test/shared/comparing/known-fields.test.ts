import { describe, expect, it } from 'vitest';
import {
  createUnknowable,
  type FieldKnowledge,
  type FieldsSince,
  learnFields,
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
  const SETTLE = 5;
  const snapshot = { receivedAt: 9, updatedAt: 1 };
  const reading = { updatedAt: 1 };
  const fields: FieldKnowledge = { fieldsSince: { 'shipment.carrier': 10 }, walkedAt: undefined };
  const carrierIsUnknowable = (
    known: Partial<FieldKnowledge>,
    kept: typeof snapshot | undefined = snapshot,
  ) => createUnknowable({ ...fields, ...known }, kept, reading, SETTLE)('shipment', 'carrier');

  it('was first sent after the answer of the snapshot', () => {
    const unknowable = createUnknowable(fields, snapshot, reading, SETTLE);

    expect(unknowable('shipment', 'carrier')).toBe(true);
    expect(unknowable('shipment', 'status')).toBe(false);
    expect(unknowable('return_line_item', 'carrier')).toBe(false);
  });

  it('is no field that was sent with or before the answer of the snapshot, even if only by another group', () => {
    expect(carrierIsUnknowable({}, { ...snapshot, receivedAt: 10 })).toBe(false);
  });

  it('is none if the stamp shows that the group changed', () => {
    expect(carrierIsUnknowable({}, { ...snapshot, updatedAt: 0 })).toBe(false);
  });

  it('is none without a snapshot', () => {
    expect(createUnknowable(fields, undefined, reading, SETTLE)('shipment', 'carrier')).toBe(false);
  });

  it('is none once all groups were walked since it was first sent and `settle`', () => {
    expect([14, 15].map((walkedAt) => carrierIsUnknowable({ walkedAt }))).toEqual([true, false]);
  });
});
