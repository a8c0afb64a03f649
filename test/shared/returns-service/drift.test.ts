import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findDrift, findUnlistedValues } from '../../../shared/returns-service/drift.ts';
import { parseReturnGroup } from '../../../shared/returns-service/parse-return-group.ts';
import type { ReturnGroup } from '../../../shared/returns-service/read-row.ts';
import { sampleRow } from './sample-rows.ts';

function groupOf(raw: unknown): ReturnGroup {
  const row = parseReturnGroup(raw);
  if (row.kind === 'unreadable') throw new Error(row.reason);
  return row.group;
}

function driftOf(raw: unknown): string[] {
  return findDrift(raw, groupOf(raw));
}

const { returns: [item] = [], shipments: [shipment] = [], ...group } = sampleRow();

describe('drift', () => {
  it('is not found in a documented row', () => {
    expect(driftOf(sampleRow())).toEqual([]);
  });

  it('does not include parts that the document tells clients not to depend on', () => {
    expect(
      driftOf({ ...group, returns: [{ ...item, type: 'return', barcode: undefined, total: null }] }),
    ).toEqual([]);
  });

  it('includes an unlisted status, with its name', () => {
    expect(driftOf({ ...group, shipments: [{ ...shipment, status: 'LOST' }] })).toEqual([
      'shipment.status=LOST',
    ]);
  });

  it('includes an unlisted field at any place, without its value', () => {
    const raw = {
      ...group,
      locker: 'A4',
      order: { ...group.order, channel: 'x' },
      returns: [
        {
          ...item,
          total: { shop_money: { amount: 1, cents: 100 } },
          questions_answers: [{ answers: [], mood: 'good' }],
        },
      ],
    };

    expect(driftOf(raw).sort()).toEqual([
      'money.cents',
      'order.channel',
      'question_answer.mood',
      'return_group.locker',
    ]);
  });

  it('includes context of another shape, by its kind', () => {
    expect(driftOf({ ...group, order: { ...group.order, name: 1042 } })).toEqual([
      'order.name is a whole number',
    ]);
  });

  it('is reported once, even if it occurs several times', () => {
    const lost = { ...shipment, status: 'LOST' };

    expect(driftOf({ ...group, shipments: [lost, { ...lost, id: 99 }] })).toEqual(['shipment.status=LOST']);
  });

  it('does not show an odd name or an odd value', () => {
    const raw = {
      ...group,
      'rosalind@quimby.test': 1,
      shipments: [{ ...shipment, status: 'lost by rosalind@quimby.test' }],
      return_method: 'R'.repeat(41),
    };

    expect(driftOf(raw).sort()).toEqual([
      'return_group has a field with an odd name',
      'return_group.return_method has an odd value',
      'shipment.status has an odd value',
    ]);
  });

  it.each([
    'Jane Doe',
    'Jane',
    'jane.doe',
    'jane-doe',
    '+4915112345',
    '4915112345',
    'x4915112345',
    'tel_0151_12345',
    'jane@doe.test',
    'jane_at_doe.test',
    '__proto',
    '',
    'a'.repeat(41),
  ])('does not show a key that may not be the name of a field: %s', (name) => {
    const raw = { ...group, customer: { ...group.customer, [name]: 1 } };

    expect(driftOf(raw)).toEqual(['customer has a field with an odd name']);
  });

  it.each(['locker', 'lockerCode', 'address3', 'line_2_of_4', 'sha256', 'isVip'])(
    'shows a key that looks like the name of a field: %s',
    (name) => {
      expect(driftOf({ ...group, customer: { ...group.customer, [name]: 1 } })).toEqual([`customer.${name}`]);
    },
  );

  it('does not show the keys of a map in the place of a resource', () => {
    const raw = {
      ...group,
      customer: { jane: { phone: '1' }, doe: {} },
      order: { type: 'order', jane: 1 },
      returns: [{ ...item, total: { jane: 1 } }],
    };

    expect(driftOf(raw).sort()).toEqual([
      'customer has more unlisted fields than listed ones',
      'money_bag has more unlisted fields than listed ones',
      'order has more unlisted fields than listed ones',
    ]);
  });

  it('does not show the keys of a map among the fields of a resource', () => {
    const keys = Object.fromEntries(['jane', 'john', 'joan', 'june', 'jill', 'jude'].map((key) => [key, 1]));

    expect(driftOf({ ...group, customer: { name: 'x', email: 'y', ...keys } })).toEqual([
      'customer has more unlisted fields than listed ones',
    ]);
  });

  it.each(['Jane Doe', 'JANE DOE', 'Jane', 'jane.doe', '+4915112345', '4915112345', 'X49151'])(
    'does not show a value that may not be a constant: %s',
    (status) => {
      const raw = { ...group, shipments: [{ ...shipment, status }] };

      expect(driftOf(raw)).toEqual(['shipment.status has an odd value']);
    },
  );

  it.each(['LOST', 'IN_REVIEW_2', 'exchange+refund', 'store-credit', 'lost_by_carrier'])(
    'shows a value that is spelled like the listed values: %s',
    (status) => {
      const raw = { ...group, shipments: [{ ...shipment, status }] };

      expect(driftOf(raw)).toEqual([`shipment.status=${status}`]);
    },
  );

  it('has at most forty findings', () => {
    const fields = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`field_${index}`, index]));
    const order = { ...group.order, ...fields(6) };
    const shipments = [{ ...shipment, ...fields(9) }];
    const returns = [{ ...item, ...fields(20) }];

    expect(driftOf({ ...group, ...fields(9), order, shipments, returns })).toHaveLength(40);
  });

  it('has findings of safe characters only', () => {
    const names = fc.array(fc.tuple(fc.string(), fc.jsonValue()), { maxLength: 100 });
    fc.assert(
      fc.property(names, names, (fields, more) => {
        const raw = {
          ...Object.fromEntries(fields),
          ...group,
          shipments: [{ ...Object.fromEntries(more), ...shipment }],
        };

        const found = driftOf(raw);
        for (const finding of found) expect(finding).toMatch(/^[A-Za-z0-9_+ .=-]{1,90}$/);
      }),
    );
  });

  it('never throws for a readable row', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        const raw = {
          ...group,
          order: one,
          customer: other,
          suggested_refund: [one, { refund_total: other }],
        };

        expect(driftOf(raw)).toBeInstanceOf(Array);
      }),
    );
  });
});

describe('unlisted values', () => {
  it('are found in every watched enumeration, but not in names that partners choose', () => {
    const raw = {
      ...group,
      return_method: 'A',
      credit_method: 'B',
      return_outcome: 'C',
      shipments: [{ ...shipment, status: 'D' }],
      returns: [{ ...item, status: 'E', last_rma_provider: 'F' }],
      exchange_line_items: [{ id: 'x', status: 'G' }],
    };

    expect([...findUnlistedValues(groupOf(raw))]).toEqual([
      'return_group.credit_method=B',
      'return_group.return_outcome=C',
      'shipment.status=D',
      'return_line_item.status=E',
      'exchange_line_item.status=G',
    ]);
  });

  it('are none in a documented row', () => {
    expect([...findUnlistedValues(groupOf(sampleRow()))]).toEqual([]);
  });
});
