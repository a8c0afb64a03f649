import { describe, expect, it } from 'vitest';
import { projectGroup } from '../../../shared/comparing/project-group.ts';
import { UNREADABLE } from '../../../shared/returns-service/field-kinds.ts';
import {
  parseReturnGroup,
  type ReadableRow,
  type UnreadableRow,
} from '../../../shared/returns-service/parse-return-group.ts';
import { sampleRow, withValue } from './sample-rows.ts';

const CREATED_AT = '2026-11-18T08:00:00Z';
const UPDATED_AT = '2026-11-20T10:15:02Z';
/** The fields that a row must have. */
const bare = { id: 7, created_at: CREATED_AT, updated_at: UPDATED_AT };

function readable(raw: unknown): ReadableRow {
  const row = parseReturnGroup(raw);
  if (row.kind === 'unreadable') throw new Error(row.reason);
  return row;
}

function unreadable(raw: unknown): UnreadableRow {
  const row = parseReturnGroup(raw);
  if (row.kind === 'readable') throw new Error('the row was readable');
  return row;
}

describe('a readable row', () => {
  it('has the fields of a group that may be published', () => {
    const { group } = readable(sampleRow(3));

    expect(group).toMatchObject({
      id: 3,
      return_outcome: 'exchange+refund',
      order: { id: 9_003, name: '#1003', platform_id: '440122883' },
      customer: { name: 'Rosalind Quimby' },
      shipments: [{ id: 30, status: 'IN_TRANSIT', carrier: 'UPS', return_ids: [31, 32] }],
      exchange_line_items: [{ id: 'exchange-3', status: 'UNPROCESSED', quantity: 1 }],
      refund_transactions: [{ platform_id: 'refund-3', amount: { shop_money: { amount: 49.9 } } }],
    });
    expect(projectGroup(group).return_line_items?.[0]).toMatchObject({
      id: 31,
      status: 'OPEN',
      quantity: 1,
      shipment_id: 30,
      sku: 'LS-SAND-L',
      return_reason_details: { value: 'TOO_SMALL', label: 'Too small' },
      total: { presentment_money: { currency_code: 'USD' } },
    });
  });

  it('has no field that is never published', () => {
    const text = JSON.stringify(readable(sampleRow()).group);

    for (const personal of ['Foundry Lane', 'Tight around', 'Too tight', 'wholesale']) {
      expect(text).not.toContain(personal);
    }
  });

  it('needs only ids, statuses and its stamp of creation', () => {
    const row = {
      id: 7,
      created_at: CREATED_AT,
      shipments: [{ id: 1, status: 'CREATED' }],
      returns: [{ id: 2, status: 'OPEN' }],
      exchange_line_items: [{ id: 'x', status: 'PROCESSED' }],
      refund_transactions: [{}],
    };

    expect(readable(row).group).toEqual(row);
  });

  it.each([[[]], [null], [[null]]])('has an empty list for %j, but none for an absent one', (list) => {
    const ids = { return_ids: list };

    const { group } = readable({ ...bare, shipments: [{ id: 1, status: 'CREATED', ...ids }], returns: list });

    expect(group.returns).toEqual([]);
    expect(projectGroup(group).shipments?.[0]?.return_ids).toEqual([]);
    expect(group.exchange_line_items).toBeUndefined();
  });

  it.each([
    ['id', '1', 'id', 1],
    ['shipments.0.id', '10', 'shipments.0.id', 10],
    ['shipments.0.tracking_number', 794_611, 'shipments.0.tracking_number', '794611'],
    ['shipments.0.return_ids', ['31', 32], 'shipments.0.return_ids', [31, 32]],
    ['returns.0.quantity', '2', 'returns.0.quantity', 2],
    ['returns.0.sku', 7, 'returns.0.sku', '7'],
    ['returns.0.product_name', 501, 'returns.0.product_name', '501'],
    ['returns.0.shipment_id', '10', 'returns.0.shipment_id', 10],
    [
      'returns.0.platform_refund_transaction_ids',
      [1, '2'],
      'returns.0.platform_refund_transaction_ids',
      ['1', '2'],
    ],
    ['returns.0.total.shop_money.amount', '-12.50', 'returns.0.total.shop_money.amount', -12.5],
    ['exchange_line_items.0.id', 12, 'exchange_line_items.0.id', '12'],
    ['refund_transactions.0.platform_id', 12, 'refund_transactions.0.platform_id', '12'],
    [
      'refund_transactions.0.amount.shop_money.amount',
      '49.90',
      'refund_transactions.0.amount.shop_money.amount',
      49.9,
    ],
    [
      'refund_transactions.0.amount.shop_money.amount',
      '0E-10',
      'refund_transactions.0.amount.shop_money.amount',
      0,
    ],
    ['order.id', '9001', 'order.id', 9_001],
  ])('has the documented type of what can be converted exactly: %s as %j', (place, value, at, expected) => {
    const { group, faults } = readable(withValue(place, value));

    expect(
      at.split('.').reduce<unknown>((holder, name) => Reflect.get(holder as object, name), group),
    ).toEqual(expected);
    expect(faults).toEqual([]);
  });

  it('leaves out unknown fields and type constants', () => {
    const row = {
      ...bare,
      type: 'return',
      locker: 4,
      returns: [{ id: 1, status: 'OPEN', type: 'return', x: 1 }],
    };

    expect(readable(row).group).toEqual({ ...bare, returns: [{ id: 1, status: 'OPEN' }] });
  });

  it('accepts unlisted statuses and enumeration values', () => {
    const { group } = readable({ ...bare, return_method: 'DRONE', shipments: [{ id: 1, status: 'LOST' }] });

    expect(group).toMatchObject({ return_method: 'DRONE', shipments: [{ status: 'LOST' }] });
  });

  it.each([
    ['return_outcome', 1, 'return_group.return_outcome is a whole number'],
    ['credit_method', [], 'return_group.credit_method is an array of 0'],
    ['updated_at', 'yesterday', 'return_group.updated_at is a text of 9 characters'],
    ['order', 'none', 'return_group.order is a text of 4 characters'],
    ['order.id', 1.5, 'order.id is a fraction'],
    ['order.id', 2 ** 53, 'order.id is beyond 2^53'],
    ['shipments.0.carrier', 'C'.repeat(1_025), 'shipment.carrier is a text of 1025 characters'],
    ['shipments.0.tracking_number', 9.4e21, 'shipment.tracking_number is beyond 2^53'],
    ['shipments.0.created_at', 0, 'shipment.created_at is a whole number'],
    ['shipments.0.delivered_at', true, 'shipment.delivered_at is a boolean'],
    ['shipments.0.return_ids', Array(20_000).fill(1), 'shipment.return_ids is an array of 20000'],
    ['shipments.0.return_ids', ['x'], 'shipment.return_ids is an array of 1'],
    ['returns', {}, 'return_group.returns is an object'],
    ['returns.0.quantity', 1.5, 'return_line_item.quantity is a fraction'],
    ['returns.0.quantity', '1,5', 'return_line_item.quantity is a text of 3 characters'],
    ['returns.0.quantity', '02', 'return_line_item.quantity is a text of 2 characters'],
    ['returns.0.shipment_id', -1, 'return_line_item.shipment_id is a negative number'],
    ['returns.0.return_reason_details', ['SMALL'], 'return_line_item.return_reason_details is an array of 1'],
    ['returns.0.last_rma_provider', {}, 'return_line_item.last_rma_provider is an object'],
    ['returns.0.total', 'EUR 12', 'return_line_item.total is a text of 6 characters'],
    ['returns.0.total.shop_money.amount', JSON.parse('1e999'), 'return_line_item.total is an object'],
    ['returns.0.total.shop_money.amount', '', 'return_line_item.total is an object'],
    ['returns.0.total.shop_money.currency_code', 978, 'return_line_item.total is an object'],
    ['exchange_line_items.0.sku', {}, 'exchange_line_item.sku is an object'],
    ['refund_transactions.0.amount', 49.9, 'refund_transaction.amount is a fraction'],
  ])('loses only a field that can’t be read: %s as %j', (place, value, fault) => {
    const { group, faults } = readable(withValue(place, value));

    const { group: whole } = readable(sampleRow(1));
    const path = place.replace(/total.*/, 'total').split('.');
    const field = path.pop() ?? '';
    const holder = path.reduce<object>((object, name) => Reflect.get(object, name), whole);
    Reflect.set(holder, field, field === 'updated_at' ? undefined : UNREADABLE);
    expect(faults.map(({ field, shape }) => `${field} ${shape}`)).toEqual([fault]);
    expect(group).toEqual(whole);
  });

  it.each([
    ['shipments.0.id', undefined, 'shipment.id is missing'],
    ['shipments.0.id', 2 ** 53, 'shipment.id is beyond 2^53'],
    ['shipments.0.status', '', 'shipment.status is empty'],
    ['shipments.0.status', 'S'.repeat(101), 'shipment.status is a text of 101 characters'],
    ['shipments.0', 'parcel', 'shipment is a text of 6 characters'],
    ['returns.0.id', 1.5, 'return_line_item.id is a fraction'],
    ['returns.0.status', 4, 'return_line_item.status is a whole number'],
    ['exchange_line_items.0.id', '', 'exchange_line_item.id is empty'],
    ['exchange_line_items.0.status', null, 'exchange_line_item.status is null'],
  ])('loses only an entity without a readable id and status: %s as %j', (place, value, fault) => {
    const { group, faults } = readable(withValue(place, value));

    const list = Reflect.get(group, place.split('.')[0] ?? '');
    expect(faults.map(({ field, shape }) => `${field} ${shape}`)).toEqual([fault]);
    expect(list[0]).toBe(UNREADABLE);
    expect(list).toHaveLength(Reflect.get(sampleRow(), place.split('.')[0] ?? '').length);
  });

  it('loses a refund without an id if its gateway or amount can’t be read', () => {
    const refundsOf = (refund: object) =>
      readable({ ...bare, refund_transactions: [refund] }).group.refund_transactions;

    expect(refundsOf({ platform_id: 'r', amount: 1 })).toEqual([{ platform_id: 'r', amount: UNREADABLE }]);
    expect(refundsOf({ platform_id: {}, gateway: 'g' })).toEqual([{ platform_id: UNREADABLE, gateway: 'g' }]);
    expect(refundsOf({ amount: 1, gateway: 'g' })).toEqual([UNREADABLE]);
    expect(refundsOf({ platform_id: '', gateway: [] })).toEqual([UNREADABLE]);
  });

  it.each([undefined, 'yesterday'])(
    'has the stamp of its creation, and no other, if `updated_at` is %j',
    (updated_at) => {
      const row = readable({ ...bare, updated_at });

      expect(row.updatedAt).toBe(row.createdAt);
      expect(row.group.updated_at).toBeUndefined();
    },
  );

  it('was updated when it was created if `updated_at` is null', () => {
    const row = readable({ ...bare, updated_at: null });

    expect(row.updatedAt).toBe(row.createdAt);
    expect(row.group.updated_at).toBe(row.group.created_at);
  });

  it('has its stamps as instants, with their precision and whether they name a zone', () => {
    const row = readable({
      ...bare,
      created_at: '2026-11-18T10:00:00.25+02:00',
      updated_at: '2026-11-20T10:15:02',
    });

    expect(row).toMatchObject({
      createdAt: Date.parse('2026-11-18T08:00:00.250Z') * 1_000,
      updatedAt: Date.parse('2026-11-20T10:15:02Z') * 1_000,
      zoned: false,
      precision: 2,
    });
  });

  it('may use an id in entities of different kinds', () => {
    const row = { ...bare, shipments: [{ id: 1, status: 'CREATED' }], returns: [{ id: 1, status: 'OPEN' }] };

    expect(parseReturnGroup(row).kind).toBe('readable');
  });
});

describe('an entity that a row shows twice', () => {
  it.each([
    ['shipments', { id: 4, status: 'CREATED', carrier: null, return_ids: [1, 2] }, { return_ids: [2, 1] }],
    ['shipments', { id: 4, status: 'CREATED', return_ids: [] }, { carrier: null, return_ids: null }],
    ['returns', { id: 4, status: 'OPEN', product_name: 'Shirt' }, { product_name: 'Hemd' }],
    ['exchange_line_items', { id: '4', status: 'PROCESSED' }, {}],
  ])('counts once if its watched values are the same: %s as %j, then with %j', (field, entity, change) => {
    const { group } = readable({ ...bare, [field]: [entity, { ...entity, ...change }] });

    expect(group).toEqual({ ...bare, [field]: [entity] });
  });
});

describe('a refund that a row shows twice', () => {
  it('counts twice, because two refunds may be equal', () => {
    const refund = { gateway: 'cards' };
    const entity = { id: 4, status: 'OPEN' };

    const { group } = readable({ ...bare, returns: [entity, entity], refund_transactions: [refund, refund] });

    expect(group.refund_transactions).toEqual([refund, refund]);
  });
});

describe('an entity that a row shows with different values', () => {
  it.each([
    ['shipments', { id: 4, status: 'CREATED' }, { status: 'DELIVERED' }],
    ['shipments', { id: 4, status: 'CREATED', return_ids: [1, 2] }, { return_ids: [1] }],
    ['returns', { id: 4, status: 'OPEN', quantity: 1 }, { quantity: 2 }],
    ['exchange_line_items', { id: '4', status: 'PROCESSED' }, { status: 'CANCELED' }],
  ])('can’t be read: one of %s', (field, entity, change) => {
    const { group, faults } = readable({ ...bare, [field]: [entity, { ...entity, ...change }] });

    expect(Reflect.get(group, field)).toEqual([UNREADABLE]);
    expect(faults).toMatchObject([{ shape: 'is shown with different values' }]);
  });
});

describe('an unreadable row', () => {
  it.each([
    ['id', undefined, 'id is missing'],
    ['id', 2 ** 53, 'id is beyond 2^53'],
    ['id', -1, 'id is a negative number'],
    ['id', 'RG-7', 'id is a text of 4 characters'],
    ['created_at', undefined, 'created_at is missing'],
    ['created_at', null, 'created_at is null'],
    ['created_at', '2026-02-30T00:00:00Z', 'created_at is a text of 20 characters'],
  ])('has no id or no stamp of its creation: %s as %j', (place, value, reason) => {
    expect(unreadable(withValue(place, value)).reason).toBe(reason);
  });

  it('has an id only if the id is valid', () => {
    expect(unreadable({ ...bare, created_at: '' }).id).toBe(7);
    expect(unreadable({ ...bare, id: 2 ** 60 })).not.toHaveProperty('id');
    expect(unreadable({ ...bare, id: -1 })).not.toHaveProperty('id');
    expect(unreadable('row')).not.toHaveProperty('id');
  });

  it('has a digest that distinguishes it from other rows', () => {
    const [one, again, other] = ['a', 'a', 'b'].map((text) => unreadable({ id: 1, text }).digest);

    expect(one).toMatch(/^[0-9a-f]{16}$/);
    expect(again).toBe(one);
    expect(other).not.toBe(one);
  });

  it('has the same digest for every order of its fields and lists', () => {
    const shown = unreadable({ list: [{ a: 1, b: [2, 3] }, 'x'], text: 'a' });
    const shuffled = unreadable({ text: 'a', list: ['x', { b: [3, 2], a: 1 }] });
    const others = [
      { list: ['x', { a: 1, b: [2, 4] }], text: 'a' },
      { list: [{ a: 1, b: [2, 3] }], text: 'ax' },
    ];

    expect(shuffled.digest).toBe(shown.digest);
    for (const other of others) expect(unreadable(other).digest).not.toBe(shown.digest);
  });

  it('may be nested deeper than calls can be, and has a digest of what is less deep', () => {
    const nested = (depth: number, text: string) =>
      unreadable({
        id: 1,
        notes: JSON.parse(`${'['.repeat(depth)}${JSON.stringify(text)}${']'.repeat(depth)}`),
      });

    expect(nested(20_000, 'a').digest).toBe(nested(20_000, 'b').digest);
    expect(nested(40, 'a').digest).not.toBe(nested(40, 'b').digest);
    expect(nested(40, 'a').digest).not.toBe(nested(20_000, 'a').digest);
  });

  it('has its stamps if they are valid', () => {
    const row = unreadable({ ...bare, id: undefined });

    expect(row).toMatchObject({ createdAt: readable(bare).createdAt, updatedAt: readable(bare).updatedAt });
    expect(unreadable({ ...bare, id: undefined, updated_at: 'yesterday' })).not.toHaveProperty('updatedAt');
    expect(unreadable({ ...bare, created_at: 3 })).not.toHaveProperty('createdAt');
  });

  it('has a digest of an id that is a text, instead of the text', () => {
    const [one, again, other] = ['RG-1', 'RG-1', 'RG-2'].map((id) => unreadable({ ...bare, id }).textId);

    expect(one).toMatch(/^[0-9a-f]{16}$/);
    expect(again).toBe(one);
    expect(other).not.toBe(one);
    expect(unreadable({ ...bare, id: undefined })).not.toHaveProperty('textId');
  });

  it('names all that it lacks', () => {
    expect(unreadable({ returns: [{}, {}] }).reason).toBe('id is missing; created_at is missing');
  });
});
