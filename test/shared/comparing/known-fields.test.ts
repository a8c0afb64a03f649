import { describe, expect, it } from 'vitest';
import {
  createUnknowable,
  type FieldKnowledge,
  type FieldMemory,
  keptFields,
  learnFields,
} from '../../../shared/comparing/known-fields.ts';
import { WATCHED_FIELDS } from '../../../shared/contract/watched-fields.ts';
import { DAY } from '../../../shared/instant.ts';
import { parseReturnGroup } from '../../../shared/returns-service/parse-return-group.ts';
import type { ReturnGroup } from '../../../shared/returns-service/read-row.ts';
import { aRow, type Row } from './a-reading.ts';

const NOTHING: FieldMemory = { fieldsSince: {}, nullsSeen: {}, lackedAt: {} };

function groupOf(row: unknown): ReturnGroup {
  const parsed = parseReturnGroup(row);
  if (parsed.kind === 'unreadable') throw new Error(parsed.reason);
  return parsed.group;
}

function learn(rows: readonly unknown[], at: number, known = NOTHING, isWalk = true): FieldMemory {
  return learnFields(known, rows.map(groupOf), { since: at, sentAt: at, isWalk });
}

function withCarrier(carrier: unknown): Row {
  return aRow((row) => {
    for (const shipment of row.shipments) Object.assign(shipment, { carrier });
  });
}

describe('the fields that a service sends', () => {
  it('are learned with the moment of the answer, also if they are null', () => {
    const all = [
      ...Object.entries(WATCHED_FIELDS).flatMap(([kind, fields]) =>
        ['id', ...fields].map((field) => `${kind}.${field}`),
      ),
      'refund_transaction.id',
    ];

    const { fieldsSince } = learn([aRow()], 5);

    expect(fieldsSince).toEqual(Object.fromEntries(all.map((name) => [name, 5])));
  });

  it('are not learned if they are left out', () => {
    const row = aRow((row) => {
      for (const shipment of row.shipments) Object.assign(shipment, { carrier: undefined });
      Object.assign(row, { exchange_line_items: undefined, refund_transactions: undefined, returns: [] });
    });

    const { fieldsSince } = learn([row], 5);

    expect(fieldsSince).toMatchObject({ 'shipment.status': 5, 'return_line_item.id': 5 });
    expect(Object.keys(fieldsSince)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/carrier|exchange|refund_transaction\.id|quantity/)]),
    );
  });

  it('keep the moment of the first answer that had them', () => {
    const known: FieldMemory = { ...NOTHING, fieldsSince: { 'shipment.carrier': 1 } };

    const { fieldsSince } = learn([aRow()], 5, known);

    expect(fieldsSince).toMatchObject({ 'shipment.carrier': 1, 'shipment.id': 5 });
  });

  it('stay the same object if there is nothing to learn', () => {
    const known = learn([aRow()], 5);

    expect(learn([aRow()], 6, known).fieldsSince).toBe(known.fieldsSince);
  });

  it('have been null when any answer last had a null or an empty list', () => {
    const known = learn([withCarrier(null), withCarrier('UPS')], 5);
    const later = learn([withCarrier('UPS')], 6, known);

    expect(later.nullsSeen).toMatchObject({ 'shipment.carrier': 5 });
    expect(later.nullsSeen).not.toHaveProperty('shipment.tracking_number');
  });

  it('lacked in an answer of a walk if none of its entities had them', () => {
    const [none, one] = [withCarrier(undefined), withCarrier('UPS')];

    expect(learn([none, none], 5).lackedAt).toEqual({ 'shipment.carrier': 5 });
    expect(learn([none, one], 5).lackedAt).toEqual({});
    expect(learn([none], 5, NOTHING, false).lackedAt).toEqual({});
  });
});

describe('an absent field', () => {
  const known = { fieldsSince: {}, nullsSeen: {}, startedAt: 0 };
  const isKept = (change: Partial<typeof known> | object, now: number) =>
    keptFields({ ...known, ...change }, now).has('shipment.carrier');

  it('is null where the service sends no nulls', () => {
    expect(isKept({ fieldsSince: { 'shipment.carrier': 0 } }, 5)).toBe(false);
  });

  it('keeps its value for a day after it was last null', () => {
    const nullsSeen = { 'shipment.carrier': 5 };

    expect([DAY + 4, DAY + 5].map((now) => isKept({ nullsSeen }, now))).toEqual([true, false]);
  });

  it('keeps its value for a day after the service began to send it', () => {
    const fieldsSince = { 'shipment.carrier': 5 };

    expect([DAY + 4, DAY + 5].map((now) => isKept({ fieldsSince }, now))).toEqual([true, false]);
  });
});

describe('a field that a snapshot could not know', () => {
  const SETTLE = 5;
  const snapshot = { receivedAt: 9, updatedAt: 1 };
  const reading = { updatedAt: 1, sentAt: 20 };
  const fields: FieldKnowledge = {
    ...NOTHING,
    fieldsSince: { 'shipment.carrier': 10 },
    walkedAt: undefined,
    startedAt: 0,
  };
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

  it('is one, whenever the snapshot was read, until a walk over all groups meets no answer without it', () => {
    const lackedAt = { 'shipment.carrier': 20 };
    const younger = { ...snapshot, receivedAt: 19 };

    expect([24, 25].map((walkedAt) => carrierIsUnknowable({ walkedAt, lackedAt }, younger))).toEqual([
      true,
      false,
    ]);
  });
});
