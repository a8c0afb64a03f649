// What several rows of one group in one answer are taken for.
import { describe, expect, it } from 'vitest';
import { readingsOf, unreadableOf } from '../../../shared/recording/readings-of-page.ts';
import { sampleRow } from '../returns-service/sample-rows.ts';
import { failed, LATER, page } from './recorder-under-test.ts';

const CONTRADICTION = 'two rows of one answer contradict each other';

type Row = ReturnType<typeof sampleRow>;

/** A group with two shipments and two refunds that are equal, and parts of it, as a join shows them. */
function twoOfEach(): Row {
  const row = sampleRow(1);
  const [shipment] = row.shipments as [Row['shipments'][number]];
  const [refund] = row.refund_transactions as [Row['refund_transactions'][number]];
  const unnamed = { ...refund, platform_id: null };
  return {
    ...row,
    shipments: [shipment, { ...shipment, id: shipment.id + 5, return_ids: [] }],
    refund_transactions: [refund, unnamed, unnamed],
  };
}

function part(...fields: (keyof Row)[]): Row {
  const row = twoOfEach();
  return {
    ...row,
    ...Object.fromEntries(fields.map((field) => [field, (row[field] as unknown[]).slice(1)])),
  };
}

function read(rows: readonly unknown[]) {
  const answer = page(rows);
  return {
    readings: readingsOf(answer, { through: 'poll', customerData: false }),
    unreadable: unreadableOf(answer),
  };
}

/** The parts and their reverse: no order may matter. */
const inBothOrders = (rows: readonly unknown[]) => [rows, rows.toReversed()];

describe('rows of one group with the same stamp', () => {
  it('are one reading if they are the same', () => {
    expect(read([twoOfEach(), sampleRow(2), twoOfEach()])).toEqual(read([twoOfEach(), sampleRow(2)]));
  });

  it.each([
    ['shipments', [part('shipments'), { ...twoOfEach(), shipments: twoOfEach().shipments.slice(0, 1) }]],
    ['items', [part('returns'), { ...twoOfEach(), returns: twoOfEach().returns.slice(0, 1) }]],
    ['no items', [{ ...twoOfEach(), returns: [] }, twoOfEach()]],
    ['no list of items', [{ ...twoOfEach(), returns: null }, twoOfEach()]],
    ['exchanges', [{ ...twoOfEach(), exchange_line_items: [] }, twoOfEach()]],
    ['parts of several lists', [part('shipments', 'returns'), part('refund_transactions'), twoOfEach()]],
  ])('are united if each shows a part: %s', (_, rows) => {
    for (const each of inBothOrders(rows)) expect(read(each)).toEqual(read([twoOfEach()]));
  });

  it('have each refund as often as the row that shows it most often', () => {
    const [named, unnamed] = twoOfEach().refund_transactions;
    const one = { ...twoOfEach(), refund_transactions: [named, unnamed, unnamed] };
    const other = { ...twoOfEach(), refund_transactions: [unnamed] };

    for (const rows of inBothOrders([one, other, one])) {
      expect(read(rows).readings[0]?.projection.refund_transactions).toHaveLength(3);
    }
  });

  it.each([
    ['a shipment', failed(1)],
    ['a field of the group', { ...sampleRow(1), return_outcome: 'refund' }],
    ['the time of creation', { ...sampleRow(1), created_at: '2026-11-18T08:00:01Z' }],
    ['the items of a shipment', withReturnIds([])],
  ])('are no reading if they differ in %s', (_, other) => {
    for (const rows of inBothOrders([sampleRow(1), sampleRow(2), other])) {
      const { readings, unreadable } = read(rows);

      expect(readings.map(({ projection }) => projection.group.id)).toEqual([2]);
      expect(unreadable).toMatchObject([{ id: 1, reason: CONTRADICTION }]);
    }
  });

  it('that contradict each other have one digest in every order, and another once they differ otherwise', () => {
    const [one, again] = inBothOrders([sampleRow(1), failed(1)]).map(
      (rows) => read(rows).unreadable[0]?.digest,
    );
    const other = read([sampleRow(1), withReturnIds([])]).unreadable[0]?.digest;

    expect(again).toBe(one);
    expect(other).not.toBe(one);
  });

  it('are set aside once if none can be read and they are the same', () => {
    const broken = { ...sampleRow(1), created_at: 'once' };

    expect(read([broken, broken, { ...broken, id: 2 }]).unreadable).toMatchObject([{ id: 1 }, { id: 2 }]);
  });

  it('are no reading if one of them can’t be read: it may show what the others lack', () => {
    const broken = { ...part('shipments'), created_at: 'once' };

    for (const rows of inBothOrders([part('shipments'), broken])) {
      const { readings, unreadable } = read(rows);

      expect(readings).toEqual([]);
      expect(unreadable).toMatchObject([{ id: 1, reason: 'created_at is a text of 4 characters' }]);
    }
  });
});

describe('an older row of a group', () => {
  it('says nothing, whatever it shows', () => {
    const newer = { ...part('shipments'), updated_at: LATER };

    for (const rows of inBothOrders([twoOfEach(), newer, failed(1)])) {
      expect(read(rows)).toEqual(read([newer]));
    }
  });
});

describe('a customer', () => {
  it('has texts of a thousand characters at most', () => {
    const text = 'x'.repeat(2_000);
    const answer = page([{ ...sampleRow(1), customer: { name: text, email: text, phone: text } }]);

    const [reading] = readingsOf(answer, { through: 'poll', customerData: true });

    const cut = 'x'.repeat(1_000);
    expect(reading?.customer).toEqual({ name: cut, email: cut, phone: cut });
  });
});

function withReturnIds(ids: number[]): Row {
  const row = sampleRow(1);
  return { ...row, shipments: row.shipments.map((shipment) => ({ ...shipment, return_ids: ids })) };
}
