import { describe, expect, it } from 'vitest';
import {
  exchangeLineItem,
  refundTransaction,
  returnGroup,
  returnLineItem,
  shipment,
} from '../../../shared/contract/entities.ts';
import { WATCHED_FIELDS } from '../../../shared/contract/watched-fields.ts';
import { MINUTE } from '../../../shared/instant.ts';
import { aRow, inShort, type Row, read, snapshotOf, take } from './a-reading.ts';

/** The arrays of a row, by the kind of their entities. */
const ARRAYS = {
  return_line_item: 'returns',
  shipment: 'shipments',
  exchange_line_item: 'exchange_line_items',
  refund_transaction: 'refund_transactions',
} as const;

type Kind = keyof typeof ARRAYS | 'return_group';

/** For each watched field its new value, the verb of its event, and its previous value in the event. */
const CHANGES: readonly [Kind, string, unknown, string, unknown][] = [
  ['return_line_item', 'status', 'COMPLETED', 'status_changed', 'OPEN'],
  ['return_line_item', 'quantity', 2, 'updated', 1],
  ['return_line_item', 'shipment_id', 7, 'updated', 1_844_670],
  ['return_line_item', 'platform_refund_transaction_ids', ['b', 'a'], 'updated', []],
  ['return_line_item', 'last_rma_number', 'RMA-1', 'updated', null],
  ['return_line_item', 'last_rma_provider', 'MANUAL', 'updated', null],
  ['shipment', 'status', 'SUNK', 'status_changed', 'IN_TRANSIT'],
  ['shipment', 'carrier', 'DHL', 'updated', 'UPS'],
  ['shipment', 'tracking_number', null, 'updated', '1Z999AA11844670'],
  ['shipment', 'shipped_at', '2026-11-19T07:00:01Z', 'updated', '2026-11-19T07:00:00Z'],
  ['shipment', 'delivered_at', '2026-11-20T07:00:00Z', 'updated', null],
  ['shipment', 'return_ids', [1_844_671], 'updated', [1_844_671, 1_844_672]],
  ['exchange_line_item', 'status', 'PROCESSED', 'status_changed', 'UNPROCESSED'],
  ['exchange_line_item', 'quantity', 2, 'updated', 1],
  ['exchange_line_item', 'line_item_platform_id', '9', 'updated', null],
  ['exchange_line_item', 'variant_platform_id', '9', 'updated', '4402'],
  ['return_group', 'return_outcome', 'credit', 'updated', 'exchange+refund'],
  ['return_group', 'credit_method', null, 'updated', 'STORE_CREDIT'],
  ['return_group', 'return_method', 'BY_DRONE', 'updated', 'TRADITIONAL'],
];

/** For each context field, under its name in a row, another value. */
const CONTEXT: readonly (readonly [Kind, string, unknown])[] = [
  ['return_line_item', 'platform_id', 'another'],
  ['return_line_item', 'created_at', '2026-11-18T08:00:00.000002Z'],
  ['return_line_item', 'platform_line_item_id', 'another'],
  ['return_line_item', 'product_platform_id', 'another'],
  ['return_line_item', 'product_name', 'another'],
  ['return_line_item', 'variant_platform_id', 'another'],
  ['return_line_item', 'variant_name', 'another'],
  ['return_line_item', 'sku', 'another'],
  ['return_line_item', 'barcode', 'another'],
  ['return_line_item', 'return_reason_details', { value: 'TOO_BIG', label: 'Too big' }],
  ['return_line_item', 'total', { shop_money: { amount: 1, currency_code: 'EUR' } }],
  ['shipment', 'created_at', '2026-11-18T08:05:01Z'],
  ['exchange_line_item', 'product_platform_id', 'another'],
  ['exchange_line_item', 'product_name', 'another'],
  ['exchange_line_item', 'variant_name', 'another'],
  ['exchange_line_item', 'sku', 'another'],
  ['exchange_line_item', 'total', null],
  ['refund_transaction', 'amount', { shop_money: { amount: 1, currency_code: 'EUR' } }],
  ['refund_transaction', 'gateway', 'vouchers'],
  ['return_group', 'created_at', '2026-11-18T08:00:00.000002Z'],
  ['return_group', 'order', { id: 5, name: '#5', platform_id: '5' }],
];

describe('a watched field that changes', () => {
  it.each(CHANGES)('%s.%s to %j makes exactly one event, %s', (kind, field, value, verb, before) => {
    const snapshot = snapshotOf(read(aRow()));

    const { events } = take(snapshot, read(withField(kind, field, value), 2 * MINUTE));

    expect(inShort(events)).toEqual([[`${kind}.${verb}`, placeOf(kind), { [field]: before }]]);
    expect(events[0]?.data.object).toHaveProperty(field, sorted(value ?? null));
  });

  it('is listed in the table above', () => {
    const listed = Object.entries(WATCHED_FIELDS).flatMap(([kind, fields]) =>
      fields.map((field) => `${kind}.${field}`),
    );

    expect(CHANGES.map(([kind, field]) => `${kind}.${field}`).sort()).toEqual(listed.sort());
  });

  it('is published together with the status, in one event', () => {
    const snapshot = snapshotOf(read(aRow()));
    const row = withField('shipment', 'status', 'DELIVERED');
    for (const shipment of row.shipments) shipment.delivered_at = '2026-11-20T10:00:00Z';

    const { events } = take(snapshot, read(row, 2 * MINUTE));

    expect(inShort(events)).toEqual([
      ['shipment.status_changed', '1844670', { status: 'IN_TRANSIT', delivered_at: null }],
    ]);
  });
});

describe('a context field that changes', () => {
  it.each(CONTEXT)('%s.%s is saved without an event', (kind, field, value) => {
    const snapshot = snapshotOf(read(aRow()));
    const reading = read(withField(kind, field, value), 2 * MINUTE);

    const taken = take(snapshot, reading);
    const again = take(taken.snapshot, reading);

    expect(taken).toMatchObject({ verdict: 'differs', events: [] });
    expect(taken.snapshot?.projection).toEqual(JSON.parse(JSON.stringify(reading.projection)));
    expect(again.verdict).toBe('unchanged');
  });

  it('is listed in the table above', () => {
    const schemas = [returnLineItem, shipment, exchangeLineItem, refundTransaction, returnGroup];
    const all = schemas.flatMap(({ shape }) =>
      Object.keys(shape).map((field) => `${[...shape.type.values][0]}.${field}`),
    );
    const rest = all.filter((name) => !/\.(type|id|updated_at)$/.test(name) && !isWatched(name));

    const listed = CONTEXT.map(([kind, field]) => `${kind}.${field}`);

    expect([...listed, 'refund_transaction.platform_id'].sort()).toEqual(rest.sort());
  });
});

function withField(kind: Kind, field: string, value: unknown): Row {
  const row = aRow();
  Object.assign(kind === 'return_group' ? row : (row[ARRAYS[kind]][0] ?? {}), { [field]: value });
  return row;
}

function placeOf(kind: Kind): string {
  if (kind === 'return_group') return '184467';
  const [entity] = aRow()[ARRAYS[kind]];
  return String(entity && ('id' in entity ? entity.id : entity.platform_id));
}

function isWatched(name: string): boolean {
  return Object.entries(WATCHED_FIELDS).some(([kind, fields]) =>
    fields.some((field) => `${kind}.${field}` === name),
  );
}

function sorted(value: unknown): unknown {
  return Array.isArray(value) ? [...value].sort() : value;
}
