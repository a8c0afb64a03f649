import { describe, expect, it } from 'vitest';
import { createUnknowable, type FieldsSince, learnFields } from '../../../shared/comparing/known-fields.ts';
import { WATCHED_FIELDS } from '../../../shared/contract/watched-fields.ts';
import { parseReturnGroup } from '../../../shared/returns-service/parse-return-group.ts';
import type { ReturnGroup } from '../../../shared/returns-service/resources/return-group.ts';
import { aRow } from './a-reading.ts';

function groupOf(row: unknown): ReturnGroup {
  const parsed = parseReturnGroup(row);
  if (parsed.kind === 'unreadable') throw new Error(parsed.reason);
  return parsed.group;
}

describe('the fields that a service sends', () => {
  it('are learned with the moment of the answer, those that are null as well', () => {
    const all = [
      ...Object.entries(WATCHED_FIELDS).flatMap(([kind, fields]) =>
        ['id', ...fields].map((field) => `${kind}.${field}`),
      ),
      'refund_transaction.id',
    ];

    const known = learnFields({}, groupOf(aRow()), 5);

    expect(known).toEqual(Object.fromEntries(all.map((name) => [name, 5])));
  });

  it('are not learned from what is left out', () => {
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

  it('keep the moment when they were first seen', () => {
    const known: FieldsSince = { 'shipment.carrier': 1 };

    expect(learnFields(known, groupOf(aRow()), 5)).toMatchObject({ 'shipment.carrier': 1, 'shipment.id': 5 });
  });

  it('are handed back as they were when there is nothing to learn', () => {
    const known = learnFields({}, groupOf(aRow()), 5);

    expect(learnFields(known, groupOf(aRow()), 6)).toBe(known);
  });
});

describe('what a snapshot could not know', () => {
  const since: FieldsSince = { 'shipment.carrier': 10 };
  const reading = { updatedAt: 1 };

  it('is a field that the service first sent after its answer', () => {
    const unknowable = createUnknowable(since, { receivedAt: 9, updatedAt: 1 }, reading);

    expect(unknowable('shipment', 'carrier')).toBe(true);
    expect(unknowable('shipment', 'status')).toBe(false);
    expect(unknowable('return_line_item', 'carrier')).toBe(false);
  });

  it('is nothing that came in its own answer, or before: another group of the page may have it', () => {
    const unknowable = createUnknowable(since, { receivedAt: 10, updatedAt: 1 }, reading);

    expect(unknowable('shipment', 'carrier')).toBe(false);
  });

  it('is nothing where the stamp says that the group was changed', () => {
    const unknowable = createUnknowable(since, { receivedAt: 9, updatedAt: 0 }, reading);

    expect(unknowable('shipment', 'carrier')).toBe(false);
  });

  it('is nothing where there is no snapshot', () => {
    expect(createUnknowable(since, undefined, reading)('shipment', 'carrier')).toBe(false);
  });
});
