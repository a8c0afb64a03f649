import { describe, expect, it } from 'vitest';
import {
  createUnknowable,
  type FieldKnowledge,
  type FieldMemory,
  type FieldShown,
  keptFields,
  learnFields,
} from '../../../shared/comparing/known-fields.ts';
import { WATCHED_FIELDS } from '../../../shared/contract/watched-fields.ts';
import { DAY } from '../../../shared/instant.ts';
import { parseReturnGroup } from '../../../shared/returns-service/parse-return-group.ts';
import type { ReturnGroup } from '../../../shared/returns-service/read-row.ts';
import { aRow, type Row } from './a-reading.ts';

const NOTHING: FieldMemory = { fieldsSince: {}, fieldsShown: {} };

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

    expect(later.fieldsShown['shipment.carrier']).toEqual({ at: 6, asNull: 5 });
    expect(later.fieldsShown['shipment.tracking_number']).toEqual({ at: 6 });
  });

  it('show everywhere, in a part or nowhere in the entities of an answer', () => {
    const [none, one] = [withCarrier(undefined), withCarrier('UPS')];
    const shown = (rows: readonly unknown[], isWalk = true) =>
      learn(rows, 5, NOTHING, isWalk).fieldsShown['shipment.carrier'];

    expect(shown([one, one])).toEqual({ at: 5 });
    expect(shown([none, one], false)).toEqual({ at: 5, inPart: 5 });
    expect(shown([none, none])).toEqual({ nowhere: 5 });
    expect(shown([none, none], false)).toBeUndefined();
  });
});

describe('an absent field', () => {
  const isKept = (shown: FieldShown, now = 10) =>
    keptFields({ fieldsShown: { 'shipment.carrier': shown } }, now).has('shipment.carrier');

  it('is null where answers show it in some entities, and in others neither a value nor null', () => {
    expect(isKept({ at: 5, inPart: 5 })).toBe(false);
    expect(isKept({ nowhere: 5 })).toBe(false);
  });

  it('keeps its value for a day after it was last null', () => {
    const shown = { at: 5, asNull: 5, inPart: 5 };

    expect([DAY + 4, DAY + 5].map((now) => isKept(shown, now))).toEqual([true, false]);
  });

  it('keeps its value for a day after an answer last showed it, if all showed it everywhere or nowhere', () => {
    expect([DAY + 4, DAY + 5].map((now) => isKept({ at: 5, nowhere: 6 }, now))).toEqual([true, false]);
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
    const fieldsShown = { 'shipment.carrier': { at: 10, nowhere: 20 } };
    const younger = { ...snapshot, receivedAt: 19 };

    expect([24, 25].map((walkedAt) => carrierIsUnknowable({ walkedAt, fieldsShown }, younger))).toEqual([
      true,
      false,
    ]);
  });
});
