import { describe, expect, it } from 'vitest';
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
    expect(group.returns?.[0]).toMatchObject({
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

  it('needs only ids, statuses and stamps', () => {
    const row = {
      ...bare,
      shipments: [{ id: 1, status: 'CREATED' }],
      returns: [{ id: 2, status: 'OPEN' }],
      exchange_line_items: [{ id: 'x', status: 'PROCESSED' }],
      refund_transactions: [{}],
    };

    expect(readable(row).group).toEqual(row);
  });

  it('distinguishes null and missing arrays from empty ones', () => {
    const { group } = readable({ ...bare, shipments: [], returns: null });

    expect(group.shipments).toEqual([]);
    expect(group.returns).toBeNull();
    expect(group.exchange_line_items).toBeUndefined();
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
    ['returns.0.product_name', 12],
    ['returns.0.total', 'EUR 12'],
    ['returns.0.return_reason_details', ['TOO_SMALL']],
    ['exchange_line_items.0.sku', {}],
    ['shipments.0.created_at', 0],
    ['order', 'none'],
    ['order.id', '9001'],
    ['order.id', 1.5],
    ['order.id', 2 ** 53],
    ['customer.email', false],
  ])('treats context of another shape as absent: %s', (place, value) => {
    const { group } = readable(withValue(place, value));

    const { group: without } = readable(withValue(place, undefined));
    expect(group).toEqual(without);
  });

  it.each([
    ['returns.0.total.shop_money', 'amount', '12'],
    ['returns.0.total.shop_money', 'amount', JSON.parse('1e999')],
    ['returns.0.total.shop_money', 'currency_code', 978],
    ['exchange_line_items.0.total.presentment_money', 'amount', [12]],
    ['exchange_line_items.0.total.presentment_money', 'currency_code', {}],
  ])('treats money with a part of another shape as absent: %s.%s', (place, part, value) => {
    const { group } = readable(withValue(`${place}.${part}`, value));

    const { group: without } = readable(withValue(place, undefined));
    expect(group).toEqual(without);
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

describe('an unreadable row', () => {
  it.each([
    ['id', undefined, 'id is missing'],
    ['id', 2 ** 53, 'id is beyond 2^53'],
    ['id', -1, 'id is a negative number'],
    ['id', '7', 'id is a text, not a whole number'],
    ['created_at', undefined, 'created_at is missing'],
    ['updated_at', null, 'updated_at is null, not a text'],
    ['updated_at', 'yesterday', 'updated_at is not a timestamp'],
    ['created_at', '2026-02-30T00:00:00Z', 'created_at is not a timestamp'],
    ['shipments.0.id', undefined, 'shipments[0].id is missing'],
    ['shipments.0.status', undefined, 'shipments[0].status is missing'],
    ['shipments.0.status', '', 'shipments[0].status is empty'],
    ['shipments.0.status', 'S'.repeat(101), 'shipments[0].status is too long'],
    ['returns.1.id', 1.5, 'returns[1].id is a fraction, not a whole number'],
    ['returns.1.status', 4, 'returns[1].status is a whole number, not a text'],
    ['exchange_line_items.0.id', 12, 'exchange_line_items[0].id is a whole number, not a text'],
    ['exchange_line_items.0.id', '', 'exchange_line_items[0].id is empty'],
    ['exchange_line_items.0.id', 'x'.repeat(201), 'exchange_line_items[0].id is too long'],
    ['exchange_line_items.0.status', null, 'exchange_line_items[0].status is null, not a text'],
    ['returns', {}, 'returns is an object, not an array'],
    ['returns.0', 'item', 'returns[0] is a text, not an object'],
    ['shipments.0.return_ids.1', 'x', 'shipments[0].return_ids[1] is a text, not a whole number'],
    ['shipments.0.return_ids', Array(20_000).fill(1), 'shipments[0].return_ids is too long'],
    [
      'returns.0.platform_refund_transaction_ids',
      Array(40).fill('x'.repeat(1_000)),
      'returns[0].platform_refund_transaction_ids is too long',
    ],
    [
      'refund_transactions.0.amount.shop_money.amount',
      '49.9',
      'refund_transactions[0].amount.shop_money.amount is a text, not a number',
    ],
  ])('has an invalid required field: %s as %j', (place, value, reason) => {
    expect(unreadable(withValue(place, value)).reason).toBe(reason);
  });

  it.each([
    ['return_outcome', 1],
    ['credit_method', []],
    ['return_method', {}],
    ['shipments.0.carrier', 1],
    ['shipments.0.carrier', 'C'.repeat(1_025)],
    ['shipments.0.tracking_number', 1],
    ['shipments.0.shipped_at', 1],
    ['shipments.0.delivered_at', true],
    ['shipments.0.return_ids', ['31']],
    ['returns.0.quantity', '2'],
    ['returns.0.shipment_id', '10'],
    ['returns.0.platform_refund_transaction_ids', [1]],
    ['returns.0.last_rma_number', 1],
    ['returns.0.last_rma_provider', {}],
    ['exchange_line_items.0.quantity', 1.5],
    ['exchange_line_items.0.line_item_platform_id', 1],
    ['exchange_line_items.0.variant_platform_id', 1],
    ['refund_transactions.0.amount', 49.9],
    ['refund_transactions.0.amount.shop_money.amount', '49.9'],
    ['refund_transactions.0.amount.shop_money.amount', JSON.parse('1e999')],
    ['refund_transactions.0.platform_id', 12],
    ['refund_transactions.0.gateway', 12],
  ])('has a watched field of another shape: %s as %j', (place, value) => {
    const row = unreadable(withValue(place, value));

    const path = place.replaceAll(/\.(\d+)/g, '[$1]');
    expect(row.reason).toContain(path);
    expect(row.id).toBe(1);
  });

  it.each([
    ['shipments', { id: 4, status: 'CREATED' }, { status: 'DELIVERED' }],
    ['shipments', { id: 4, status: 'CREATED', return_ids: [1, 2] }, { return_ids: [1] }],
    ['returns', { id: 4, status: 'OPEN', quantity: 1 }, { quantity: 2 }],
    ['exchange_line_items', { id: '4', status: 'PROCESSED' }, { status: 'CANCELED' }],
  ])('has an id with different values among its %s', (field, entity, change) => {
    const row = unreadable({ ...bare, [field]: [entity, { ...entity, ...change }] });

    expect(row.reason).toBe(`${field} holds one id with different values`);
  });

  it('has an id only if the id is valid', () => {
    expect(unreadable({ ...bare, updated_at: '' }).id).toBe(7);
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
    expect(unreadable({ ...bare, updated_at: 'yesterday' })).not.toHaveProperty('updatedAt');
    expect(unreadable({ ...bare, created_at: 3 })).not.toHaveProperty('createdAt');
  });

  it('has a digest of an id that is a text, instead of the text', () => {
    const [one, again, other] = ['RG-1', 'RG-1', 'RG-2'].map((id) => unreadable({ ...bare, id }).textId);

    expect(one).toMatch(/^[0-9a-f]{16}$/);
    expect(again).toBe(one);
    expect(other).not.toBe(one);
    expect(unreadable({ ...bare, id: undefined })).not.toHaveProperty('textId');
  });

  it('names the first faults and the number of the others', () => {
    const { reason } = unreadable({ returns: [{}, {}] });

    expect(reason).toBe('id is missing; created_at is missing; updated_at is missing; and 4 more');
  });
});
