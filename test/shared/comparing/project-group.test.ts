import { describe, expect, it } from 'vitest';
import { atFirstSight } from '../../../shared/comparing/change-set.ts';
import { projectGroup } from '../../../shared/comparing/project-group.ts';
import * as entities from '../../../shared/contract/entities.ts';
import { MINUTE } from '../../../shared/instant.ts';
import { DOCUMENTED_RESOURCES } from '../../../shared/returns-service/documented-resources.ts';
import { UNREADABLE } from '../../../shared/returns-service/field-kinds.ts';
import { parseReturnGroup } from '../../../shared/returns-service/parse-return-group.ts';
import { aRow, type Row, read, snapshotOf, take } from './a-reading.ts';

/** All texts of a row that may be stored and published. Adding a path here releases it. */
const ALLOWED = new Set([
  ...['return_method', 'credit_method', 'created_at', 'updated_at', 'return_outcome'],
  ...['order.name', 'order.platform_id'],
  ...['status', 'carrier', 'tracking_number', 'created_at', 'shipped_at', 'delivered_at'].map(
    (field) => `shipments.${field}`,
  ),
  ...[
    ...['platform_id', 'created_at', 'status', 'platform_refund_transaction_ids', 'platform_line_item_id'],
    ...['product_platform_id', 'product_name', 'variant_platform_id', 'variant_name', 'sku', 'barcode'],
    ...['return_reason_details.value', 'return_reason_details.label', 'last_rma_number', 'last_rma_provider'],
    ...['total.shop_money.currency_code', 'total.presentment_money.currency_code'],
  ].map((field) => `returns.${field}`),
  ...[
    ...['id', 'status', 'line_item_platform_id', 'product_platform_id', 'product_name'],
    ...['variant_platform_id', 'variant_name', 'sku'],
    ...['total.shop_money.currency_code', 'total.presentment_money.currency_code'],
  ].map((field) => `exchange_line_items.${field}`),
  ...[
    'platform_id',
    'gateway',
    'amount.shop_money.currency_code',
    'amount.presentment_money.currency_code',
  ].map((field) => `refund_transactions.${field}`),
]);

const TAINT = 'tainted';

/** The row with every other text tainted, and with unknown fields in every object. */
function tainted(value: unknown, path: string): unknown {
  if (typeof value === 'string') return ALLOWED.has(path) ? value : `${TAINT} ${path}`;
  if (Array.isArray(value)) return value.map((element) => tainted(element, path));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, field]) => [
    name,
    tainted(field, path === '' ? name : `${path}.${name}`),
  ]);
  return { ...Object.fromEntries(fields), unheard_of: TAINT, [`${TAINT}_field`]: { text: TAINT } };
}

/** A row with a text in every text field of the document. */
function fullRow() {
  return aRow((row) => {
    for (const shipment of row.shipments) {
      shipment.delivered_at = '2026-11-20T07:00:00Z';
      for (const address of [shipment.origin_address, shipment.destination_address])
        Object.assign(address ?? {}, { address2: 'c/o Quimby', province: 'Yorkshire' });
    }
    for (const item of row.returns) {
      item.platform_refund_transaction_ids = ['refund-1'];
      item.last_rma_number = 'RMA-1';
      item.last_rma_provider = 'MANUAL';
    }
    for (const item of row.exchange_line_items) item.line_item_platform_id = '1139';
  });
}

describe('a text that is not on the allowlist', () => {
  it('is in no projection, no snapshot and no event', () => {
    const row = tainted(fullRow(), '') as ReturnType<typeof aRow>;
    const first = take(undefined, read(row));
    for (const shipment of row.shipments) shipment.status = 'LOST';
    const lost = take(first.snapshot, read(row, 2 * MINUTE));
    const emptied = { ...row, shipments: [], returns: [], exchange_line_items: [] };
    const lacking = take(lost.snapshot, read(emptied, 4 * MINUTE));
    const removed = take(lacking.snapshot, read(emptied, 6 * MINUTE));

    const everything = JSON.stringify([read(row).projection, first, lost, lacking, removed]);

    expect(removed.events).toHaveLength(4);
    expect(everything).toContain('1Z999AA11844670');
    expect(everything).not.toContain(TAINT);
  });

  it('is any text that is not listed above: a row with a text in each documented field has all listed texts', () => {
    const everywhere = textsOf(fullRow(), '');

    expect(DOCUMENTED_RESOURCES.ReturnGroup.parse(fullRow())).toEqual(fullRow());
    expect([...ALLOWED].filter((path) => !everywhere.has(path))).toEqual([]);
    expect([...everywhere].filter((path) => !ALLOWED.has(path))).toEqual(
      expect.arrayContaining(['customer.phone', 'returns.return_note', 'returns.questions_answers.answers']),
    );
  });

  it('is not kept in a snapshot, although events may carry it', () => {
    const customer = { name: TAINT, email: TAINT, phone: TAINT };

    const { snapshot, events } = take(undefined, read(aRow(), 0, { customer }));

    expect(JSON.stringify(events)).toContain(TAINT);
    expect(JSON.stringify(snapshot)).not.toContain(TAINT);
  });
});

describe('a projection', () => {
  it('has the fields of the contract, in the order of the contract', () => {
    const { projection } = read(aRow());
    const { order, total, money } = partsOf(projection);

    expect(Object.keys(projection.group)).toEqual(Object.keys(entities.returnGroup.shape));
    expect(Object.keys(order)).toEqual(Object.keys(entities.order.shape));
    expect(Object.keys(projection.return_line_items?.[0] ?? {})).toEqual(
      Object.keys(entities.returnLineItem.shape),
    );
    expect(Object.keys(projection.return_line_items?.[0]?.return_reason_details ?? {})).toEqual(
      Object.keys(entities.returnReason.shape),
    );
    expect(Object.keys(total ?? {})).toEqual(Object.keys(entities.moneyBag.shape));
    expect(Object.keys(money ?? {})).toEqual(Object.keys(entities.money.shape));
    expect(Object.keys(projection.shipments?.[0] ?? {})).toEqual(Object.keys(entities.shipment.shape));
    expect(Object.keys(projection.exchange_line_items?.[0] ?? {})).toEqual(
      Object.keys(entities.exchangeLineItem.shape),
    );
    expect(Object.keys(projection.refund_transactions?.[0] ?? {})).toEqual(
      Object.keys(entities.refundTransaction.shape),
    );
  });

  it('has null, an empty list or the documented default for values that a service may leave out', () => {
    const bare = { id: 1, created_at: '2026-11-18T08:00:00Z', updated_at: '2026-11-18T08:00:00Z' };
    const row = {
      ...bare,
      shipments: [{ id: 2, status: 'DRAFT' }],
      returns: [{ id: 3, status: 'OPEN', total: { shop_money: {} }, return_reason_details: {} }],
      exchange_line_items: [{ id: 'e', status: 'UNPROCESSED', total: {} }],
      refund_transactions: [{ amount: { presentment_money: { amount: 1 } } }],
    };

    const { group, shipments, return_line_items, exchange_line_items, refund_transactions } = atFirstSight(
      read(row),
    );

    expect(group).toMatchObject({ return_outcome: null, credit_method: null, return_method: null });
    expect(group.order).toEqual({ id: null, name: null, platform_id: null });
    expect(shipments?.[0]).toMatchObject({ carrier: null, delivered_at: null, return_ids: [] });
    expect(return_line_items?.[0]).toMatchObject({
      quantity: null,
      platform_refund_transaction_ids: [],
      return_reason_details: { value: null, label: null },
      total: { shop_money: { amount: 0, currency_code: 'USD' }, presentment_money: null },
    });
    expect(exchange_line_items?.[0]).toMatchObject({ total: null, line_item_platform_id: null });
    expect(refund_transactions).toEqual([
      {
        type: 'refund_transaction',
        platform_id: null,
        amount: { shop_money: null, presentment_money: { amount: 1, currency_code: 'USD' } },
        gateway: null,
      },
    ]);
  });

  it.each([
    ['an amount', { amount: 'much', currency_code: 'EUR' }],
    ['a currency', { amount: 249.9, currency_code: 978 }],
  ])('has no money if %s is unreadable', (_, unreadable) => {
    const row = {
      ...{ id: 1, created_at: '2026-11-18T08:00:00Z', updated_at: '2026-11-18T08:00:00Z' },
      returns: [
        {
          id: 3,
          status: 'OPEN',
          total: { shop_money: unreadable, presentment_money: { amount: 1, currency_code: null } },
        },
      ],
      exchange_line_items: [{ id: 'e', status: 'UNPROCESSED', total: { shop_money: unreadable } }],
    };

    const { return_line_items, exchange_line_items } = atFirstSight(read(row));

    // Half of a bag would be another amount.
    expect(return_line_items?.[0]?.total).toBeNull();
    expect(exchange_line_items?.[0]?.total).toBeNull();
  });

  it('distinguishes a list that is left out from an empty list', () => {
    const bare = { id: 1, created_at: '2026-11-18T08:00:00Z', updated_at: '2026-11-18T08:00:00Z' };

    expect(project({ ...bare, shipments: undefined, returns: null })).toMatchObject({
      shipments: undefined,
      return_line_items: [],
      exchange_line_items: undefined,
      refund_transactions: undefined,
    });
  });

  describe('of a row with endless texts', () => {
    const TEXT_OF_2_MB = 'x'.repeat(2_000_000);

    it('has the first thousand characters of names and reasons', () => {
      const { group, return_line_items, exchange_line_items } = project(aRow(fillNames(TEXT_OF_2_MB)));
      const first = 'x'.repeat(1_000);

      expect(group.order.name).toBe(first);
      expect(return_line_items?.[0]).toMatchObject({
        product_name: first,
        variant_name: first,
        return_reason_details: { value: first, label: first },
      });
      expect(exchange_line_items?.[0]).toMatchObject({ product_name: first, variant_name: first });
    });

    it('has no id and no code that is far too long, because a part of it would be another', () => {
      const { group, return_line_items, exchange_line_items } = atFirstSight(
        read(aRow(fillCodes(TEXT_OF_2_MB))),
      );

      expect(group.order.platform_id).toBeNull();
      expect(return_line_items?.[0]).toMatchObject({
        ...{ platform_id: null, created_at: null, platform_line_item_id: null, product_platform_id: null },
        ...{ variant_platform_id: null, sku: null, barcode: null, total: null },
      });
      expect(exchange_line_items?.[0]).toMatchObject({ product_platform_id: null, sku: null });
    });

    it.each([
      ['exactly the limit', 'é'.repeat(1_000), 'é'.repeat(1_000)],
      ['more bytes than the limit', '📦'.repeat(1_000), '📦'.repeat(1_000)],
      ['a character more', '📦'.repeat(1_001), '📦'.repeat(1_000)],
      ['a pair at the limit', `${'x'.repeat(999)}📦x`, `${'x'.repeat(999)}📦`],
      ['half a pair', `${'x'.repeat(1_000)}\uD83D`, 'x'.repeat(1_000)],
      ['nothing', '', ''],
    ])('cuts no character in two: %s', (_, text, kept) => {
      expect(project(aRow(fillNames(text))).group.order.name).toBe(kept);
    });

    it('makes no event larger than every destination takes', () => {
      const row = aRow(fillNames('\u0001'.repeat(5_000)));
      const customer = { name: null, email: null, phone: null };

      const { events } = take(undefined, read(row, 0, { customer }));

      expect(Math.max(...events.map((event) => JSON.stringify(event).length))).toBeLessThan(64_000);
    });
  });

  it('does not change its group', () => {
    const group = groupOf(aRow(muddle));
    const before = structuredClone(group);

    projectGroup(group);

    expect(group).toEqual(before);
  });

  it('is the same for every order of the service’s lists', () => {
    const row = aRow(muddle);
    const dealtAnew = structuredClone(row);
    dealtAnew.returns.reverse();
    dealtAnew.refund_transactions.reverse();
    for (const item of dealtAnew.returns) item.platform_refund_transaction_ids.reverse();
    for (const shipment of dealtAnew.shipments) shipment.return_ids?.reverse();

    expect(JSON.stringify(project(dealtAnew))).toBe(JSON.stringify(project(row)));
  });

  it('is byte for byte the same in a snapshot that was stored and loaded', () => {
    const reading = read(aRow());

    const back = snapshotOf(reading).projection;

    expect(JSON.stringify(back)).toBe(JSON.stringify(reading.projection));
  });
});

function fillNames(text: string) {
  return (row: Row): void => {
    row.order.name = text;
    for (const item of [...row.returns, ...row.exchange_line_items]) {
      Object.assign(item, { product_name: text, variant_name: text });
    }
    for (const item of row.returns) Object.assign(item.return_reason_details, { value: text, label: text });
  };
}

function fillCodes(text: string) {
  return (row: Row): void => {
    row.order.platform_id = text;
    for (const item of [...row.returns, ...row.exchange_line_items]) {
      Object.assign(item, { product_platform_id: text, sku: text });
    }
    for (const item of row.returns) {
      Object.assign(item, { platform_id: text, created_at: text, platform_line_item_id: text });
      Object.assign(item, { variant_platform_id: text, barcode: text });
      Object.assign(item.total.shop_money ?? {}, { currency_code: text });
    }
  };
}

describe('a watched field', () => {
  const fields = [
    ...['return_group.return_outcome', 'return_group.credit_method'],
    ...['carrier', 'tracking_number', 'shipped_at', 'delivered_at', 'return_ids'].map(
      (field) => `shipment.${field}`,
    ),
    ...['shipment_id', 'platform_refund_transaction_ids', 'last_rma_number', 'last_rma_provider'].map(
      (field) => `return_line_item.${field}`,
    ),
    'exchange_line_item.line_item_platform_id',
  ];
  const LISTS = {
    return_line_item: 'returns',
    shipment: 'shipments',
    exchange_line_item: 'exchange_line_items',
  };
  const PROJECTED = { ...LISTS, return_line_item: 'return_line_items' } as const;

  it.each(fields)(
    '%s says nothing where it is absent and kept, or can not be read, and else is null',
    (name) => {
      const [entity = '', field = ''] = name.split('.');
      const shownOf = (value: unknown, kept: readonly string[]) => {
        const list = LISTS[entity as keyof typeof LISTS];
        const group = structuredClone(groupOf(aRow())) as unknown as Record<
          string,
          Record<string, unknown>[]
        >;
        const changed = list === undefined ? (group as Record<string, unknown>) : group[list]?.[0];
        if (value === undefined) delete changed?.[field];
        else Object.assign(changed ?? {}, { [field]: value });
        const projection = projectGroup(group as never, new Set(kept)) as unknown as Record<string, unknown>;
        const shown =
          list === undefined ? projection.group : projection[PROJECTED[entity as keyof typeof PROJECTED]];
        return (Array.isArray(shown) ? shown[0] : shown)[field];
      };

      expect([shownOf(undefined, [name]), shownOf(UNREADABLE, [])]).toEqual([undefined, undefined]);
      expect([null, []]).toContainEqual(
        shownOf(
          undefined,
          fields.filter((other) => other !== name),
        ),
      );
      expect([null, []]).toContainEqual(shownOf(null, [name]));
    },
  );
});

function groupOf(row: unknown) {
  const parsed = parseReturnGroup(row);
  if (parsed.kind === 'unreadable') throw new Error(parsed.reason);
  return parsed.group;
}

function project(row: unknown) {
  return projectGroup(groupOf(row));
}

/** Several elements of every list that a service may send in any order, in another order than ours. */
function muddle(row: Row): void {
  for (const item of row.returns) item.platform_refund_transaction_ids = ['b', 'a'];
  for (const shipment of row.shipments) shipment.return_ids?.reverse();
  row.returns.reverse();
  row.refund_transactions = ['b', null, 'a'].map((platform_id) => ({
    type: 'refund_transaction',
    platform_id,
    amount: {},
    gateway: null,
  }));
}

function partsOf({ group, return_line_items }: ReturnType<typeof project>) {
  const total = return_line_items?.[0]?.total;
  return { order: group.order, total, money: total?.shop_money };
}

function textsOf(value: unknown, path: string, texts = new Set<string>()): Set<string> {
  if (typeof value === 'string') texts.add(path);
  if (typeof value !== 'object' || value === null) return texts;
  for (const [name, field] of Object.entries(value)) {
    const below = path === '' ? name : `${path}.${name}`;
    textsOf(field, Array.isArray(value) ? path : below, texts);
  }
  return texts;
}
