import { describe, expect, it } from 'vitest';
import { MINUTE } from '../../../shared/instant.ts';
import { aRow, inShort, type Row, read, snapshotOf, take } from './a-reading.ts';

describe('a difference that is not a change', () => {
  const unchanged: readonly [string, (row: Row) => void][] = [
    ['lists in another order', shuffle],
    ['no value instead of null', (row) => forEachEntity(row, dropNulls)],
    ['null instead of an empty list', (row) => forEachEntity(row, emptyListsToNull)],
    ['null instead of a documented default', defaultsToNull],
    ['no value instead of a documented default', dropDefaults],
    [
      'another constant in `type`',
      (row) => forEachEntity(row, (entity) => Object.assign(entity, { type: 'x' })),
    ],
    ['stamps written with an offset', (row) => respell(row, (stamp) => withOffset(stamp))],
    ['stamps written with more digits', (row) => respell(row, (stamp) => withSixDigits(stamp))],
    ['stamps written without their zone', (row) => respell(row, (stamp) => stamp.replace('Z', ''))],
    [
      'ids written as global ids',
      (row) => replaceTexts(row, /(platform_id":)"(\d+)"/g, '$1"gid://shop/Thing/$2"'),
    ],
    ['one id of a list as a global id', (row) => replaceTexts(row, /"880001"/, '"gid://shop/Thing/880001"')],
    [
      'amounts with the noise of floating point',
      (row) => replaceTexts(row, /:49.9\b/g, ':49.900000000000006'),
    ],
    ['unknown fields', (row) => forEachEntity(row, (entity) => Object.assign(entity, { mood: 'good' }))],
  ];

  it.each(unchanged)('%s: neither an event nor a save', (_, alter) => {
    const row = aRow(makeRich);
    const snapshot = snapshotOf(read(row));
    alter(row);

    const taken = take(snapshot, read(row, 2 * MINUTE));

    expect(taken).toMatchObject({ verdict: 'unchanged', events: [] });
  });

  it('a respelled stamp keeps its published spelling, so that previous attributes equal the published texts', () => {
    const row = aRow();
    const snapshot = snapshotOf(read(row));
    respell(row, withOffset);
    for (const shipment of row.shipments) shipment.status = 'DELIVERED';

    const { events } = take(snapshot, read(row, 2 * MINUTE));

    expect(inShort(events)).toEqual([['shipment.status_changed', '1844670', { status: 'IN_TRANSIT' }]]);
    expect(events[0]?.data.object).toHaveProperty('shipped_at', '2026-11-19T07:00:00Z');
  });

  it('a text that only looks like a stamp is compared as a text', () => {
    const row = aRow((row) => {
      for (const item of row.returns.slice(0, 1)) item.last_rma_number = '2026-11-20T10:00:00Z';
    });
    const snapshot = snapshotOf(read(row));
    for (const item of row.returns.slice(0, 1)) item.last_rma_number = '2026-11-20 10:00:00Z';

    const { events } = take(snapshot, read(row, 2 * MINUTE));

    expect(inShort(events)).toEqual([
      ['return_line_item.updated', '1844671', { last_rma_number: '2026-11-20T10:00:00Z' }],
    ]);
  });
});

describe('a respelled stamp', () => {
  it('keeps its published spelling in the event of another change', () => {
    const deliver = (row: Row, stamp: string, carrier: string) => {
      for (const shipment of row.shipments) Object.assign(shipment, { delivered_at: stamp, carrier });
    };
    const snapshot = snapshotOf(read(aRow((row) => deliver(row, '2026-11-20T09:00:00Z', 'UPS'))));
    const respelled = aRow((row) => deliver(row, '2026-11-20T10:00:00.000+01:00', 'DHL'));

    const { events } = take(snapshot, read(respelled, 2 * MINUTE));

    expect(inShort(events)).toEqual([['shipment.updated', '1844670', { carrier: 'UPS' }]]);
    expect(events[0]?.data.object).toMatchObject({ delivered_at: '2026-11-20T09:00:00Z' });
  });

  it.each([
    ['with more digits is no change', '2026-11-20T09:00:00Z', '2026-11-20T09:00:00.417Z', undefined],
    ['with fewer digits is no change', '2026-11-20T09:00:00.417Z', '2026-11-20T09:00:00Z', undefined],
    [
      'of a leap second',
      '2026-12-31T23:59:59Z',
      '2026-12-31T23:59:60Z',
      { delivered_at: '2026-12-31T23:59:59Z' },
    ],
    [
      'with more digits, of another second, is a change',
      ...['2026-11-20T09:00:00Z', '2026-11-20T09:00:01.417Z'],
      { delivered_at: '2026-11-20T09:00:00Z' },
    ],
    [
      'that is no longer valid is a change',
      ...['2026-11-20T09:00:00Z', 'yesterday'],
      { delivered_at: '2026-11-20T09:00:00Z' },
    ],
    ['that is invalid is compared as a text', 'soon', 'later', { delivered_at: 'soon' }],
  ] as [string, string, string, object | undefined][])('%s', (_, before, after, previous) => {
    const delivered = (stamp: string) =>
      aRow((row) => {
        for (const shipment of row.shipments) shipment.delivered_at = stamp;
      });
    const snapshot = snapshotOf(read(delivered(before)));

    const { events } = take(snapshot, read(delivered(after), 2 * MINUTE));

    expect(inShort(events)).toEqual(previous ? [['shipment.updated', '1844670', previous]] : []);
  });
});

/** Adds several elements to every list, so that there is an order to change. */
function makeRich(row: Row): void {
  for (const item of row.returns) item.platform_refund_transaction_ids = ['b', 'a', 'c', '880001', '880002'];
  row.shipments = [
    ...row.shipments,
    ...row.shipments.map((shipment) => ({ ...shipment, id: 3, return_ids: [] })),
  ];
  row.exchange_line_items = [
    ...row.exchange_line_items,
    ...row.exchange_line_items.map((item) => ({ ...item, id: 'another', total: {} })),
  ];
  const amount = { shop_money: { amount: 0, currency_code: 'USD' } };
  row.refund_transactions = [
    ...row.refund_transactions,
    { type: 'refund_transaction', amount, gateway: null },
    { type: 'refund_transaction', amount: {}, gateway: 'cards' },
  ];
}

function shuffle(row: Row): void {
  row.returns.reverse();
  row.shipments.reverse();
  row.exchange_line_items.reverse();
  row.refund_transactions.reverse();
  for (const item of row.returns) item.platform_refund_transaction_ids.reverse();
  for (const shipment of row.shipments) shipment.return_ids?.reverse();
}

function forEachEntity(row: Row, alter: (entity: Record<string, unknown>) => void): void {
  const entities = [
    row,
    ...row.returns,
    ...row.shipments,
    ...row.exchange_line_items,
    ...row.refund_transactions,
  ];
  for (const entity of entities) alter(entity as unknown as Record<string, unknown>);
}

function dropNulls(entity: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(entity)) if (value === null) delete entity[name];
}

/** For entities only: a group's list that is null has no meaning. */
function emptyListsToNull(entity: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(entity)) {
    if (Array.isArray(value) && value.length === 0) entity[name] = null;
  }
}

function defaultsToNull(row: Row): void {
  row.refund_transactions = row.refund_transactions.map((refund) =>
    JSON.parse(JSON.stringify(refund).replace('"amount":0,"currency_code":"USD"', '"amount":null')),
  );
  row.exchange_line_items = row.exchange_line_items.map((item) =>
    item.id === 'another' ? { ...item, total: null as never } : item,
  );
}

function dropDefaults(row: Row): void {
  row.refund_transactions = row.refund_transactions.map((refund) => {
    const shorter = JSON.parse(JSON.stringify(refund).replace('"amount":0,"currency_code":"USD"', ''));
    return refund.amount.shop_money ? shorter : { ...shorter, amount: undefined };
  });
}

const A_STAMP = /"(\d{4}-\d\d-\d\dT[\d:.]+Z)"/g;

function respell(row: Row, spell: (stamp: string) => string): void {
  const text = JSON.stringify(row).replace(A_STAMP, (_, stamp: string) => `"${spell(stamp)}"`);
  Object.assign(row, JSON.parse(text));
}

function replaceTexts(row: Row, pattern: RegExp, text: string): void {
  const before = JSON.stringify(row);
  const after = before.replace(pattern, text);
  if (after === before) throw new Error(`Nothing matches ${pattern}.`);
  Object.assign(row, JSON.parse(after));
}

function withOffset(stamp: string): string {
  const seconds = stamp.slice(17, -1);
  const shifted = new Date(Date.parse(stamp) - 3.5 * 3_600_000).toISOString().slice(0, 17);
  return `${shifted}${seconds}-03:30`;
}

function withSixDigits(stamp: string): string {
  return stamp.includes('.') ? stamp : stamp.replace('Z', '.000000Z');
}
