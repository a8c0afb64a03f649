import { describe, expect, it } from 'vitest';
import { compareRefunds } from '../../../shared/comparing/refunds.ts';
import type { RefundTransaction } from '../../../shared/contract/entities.ts';
import { MINUTE } from '../../../shared/instant.ts';
import { aRow, inShort, read, snapshotOf, take } from './a-reading.ts';
import { refund } from './a-refund.ts';

function placesOf(known: readonly RefundTransaction[], seen: readonly RefundTransaction[]): string[] {
  return compareRefunds(known, seen).created.map(({ place }) => place);
}

describe('a refund transaction', () => {
  it('is created once, under its id', () => {
    expect(placesOf([], [refund('x'), refund('y')])).toEqual(['x', 'y']);
    expect(placesOf([refund('x')], [refund('x'), refund('y')])).toEqual(['y']);
  });

  it('with a known id is known, even with another amount', () => {
    const { created, known } = compareRefunds([refund('x', 10)], [refund('x', 12, 'vouchers')]);

    expect(created).toEqual([]);
    expect(known).toEqual([refund('x', 12, 'vouchers')]);
  });

  it('is one transaction if its id is twice in a list', () => {
    expect(placesOf([], [refund('x', 10), refund('x', 12)])).toEqual(['x']);
  });

  it('stays known under its id if its gateway is renamed', () => {
    const { created, known } = compareRefunds([refund('x')], [refund('x', 10, 'Cards')]);

    expect(created).toEqual([]);
    expect(known).toEqual([refund('x', 10, 'Cards')]);
  });

  it('stays known, in its published spelling, if its amount gets the noise of floating point', () => {
    for (const id of [null, 'x']) {
      const { created, known } = compareRefunds([refund(id, 19.99)], [refund(id, 13.33 + 6.66)]);

      expect(created).toEqual([]);
      expect(known).toEqual([refund(id, 19.99)]);
    }
    expect(placesOf([refund(null, 19.99)], [refund(null, 20)])).toEqual(['unidentified-2']);
  });

  it('stays known, in its published spelling, if its id becomes a global id, and the reverse', () => {
    const [number, global] = [refund('880001'), refund('gid://shop/OrderTransaction/880001')];

    expect(compareRefunds([number], [global])).toEqual({ created: [], known: [number] });
    expect(compareRefunds([global], [number])).toEqual({ created: [], known: [global] });
  });

  it('is new under a global id of another kind, or beside the one that the id belongs to', () => {
    const global = 'gid://shop/OrderTransaction/880001';

    expect(placesOf([refund('gid://shop/Refund/880001')], [refund(global)])).toEqual([global]);
    expect(placesOf([refund(global)], [refund('880001'), refund(global)])).toEqual(['880001']);
  });

  it('without an id is counted by amount and gateway', () => {
    const known = [refund(null), refund(null)];

    expect(placesOf(known, [refund(null), refund(null)])).toEqual([]);
    expect(placesOf(known, [refund(null), refund(null), refund(null)])).toEqual(['unidentified-3']);
    expect(placesOf(known, [refund(null), refund(null), refund(null, 11)])).toEqual(['unidentified-3']);
    expect(placesOf(known, [refund(null), refund(null), refund(null, 10, null)])).toEqual(['unidentified-3']);
  });

  it('without an id never shares its number with another', () => {
    const first = compareRefunds([], [refund(null), refund('x'), refund(null)]);
    const second = compareRefunds(first.known, [...first.known, refund(null), refund(null, 11)]);

    const places = [...first.created, ...second.created].map(({ place }) => place);

    expect(new Set(places).size).toBe(5);
  });

  it('gets its id later without an event, and is known by that id from then on', () => {
    const { created, known } = compareRefunds([refund(null)], [refund('x')]);

    expect(created).toEqual([]);
    expect(known).toEqual([refund('x')]);
  });

  it('keeps its id if an answer leaves the id out', () => {
    const { created, known } = compareRefunds([refund('x')], [refund(null)]);

    expect(created).toEqual([]);
    expect(known).toEqual([refund('x')]);
  });

  it('gets, among several without an id, the id that has its amount and gateway', () => {
    const unnamed = [refund(null, 10, 'cards'), refund(null, 10, 'vouchers'), refund(null, 12, 'cards')];

    const byGateway = compareRefunds(unnamed, [refund('x', 10, 'vouchers')]);
    const byAmount = compareRefunds(unnamed, [refund('x', 12, 'cards')]);
    const byNothing = compareRefunds(unnamed, [refund('x', 12, 'vouchers')]);

    expect(byGateway.known).toEqual([unnamed[0], refund('x', 10, 'vouchers'), unnamed[2]]);
    expect(byAmount.known).toEqual([unnamed[0], unnamed[1], refund('x', 12, 'cards')]);
    expect(byNothing.created.map(({ place }) => place)).toEqual(['x']);
  });

  it('without an id gets a place by the number of transactions', () => {
    expect(placesOf([refund('x')], [refund('x'), refund(null, 1), refund(null, 2)])).toEqual([
      'unidentified-2',
      'unidentified-3',
    ]);
  });

  it('stays known when it vanishes, and is not created when it comes back', () => {
    const { created, known } = compareRefunds([refund('x'), refund(null)], []);

    expect(created).toEqual([]);
    expect(placesOf(known, [refund(null), refund('x')])).toEqual([]);
  });

  it('is new if its amount, gateway or id differs', () => {
    const known = [refund('x')];

    expect(placesOf(known, [refund(null, 11)])).toEqual(['unidentified-2']);
    expect(placesOf(known, [refund(null, 10, 'vouchers')])).toEqual(['unidentified-2']);
    expect(placesOf(known, [refund('y')])).toEqual(['y']);
    expect(placesOf(known, [refund('x'), refund(null)])).toEqual(['unidentified-2']);
  });

  // A limit (docs/limits.md).
  it('without an id is announced again if its gateway or a currency of its amount is sent later', () => {
    const { amount, ...rest } = refund(null);
    const inTwoCurrencies = {
      ...rest,
      amount: amount && { ...amount, presentment_money: amount.shop_money },
    };

    expect(placesOf([refund(null, 10, null)], [refund(null)])).toEqual(['unidentified-2']);
    expect(placesOf([refund(null)], [inTwoCurrencies])).toEqual(['unidentified-2']);
    expect(placesOf([refund('x', 10, null)], [{ ...inTwoCurrencies, platform_id: 'x' }])).toEqual([]);
  });

  it('is matched in any order of the list', () => {
    const known = [refund(null), refund('x')];

    expect(placesOf(known, [refund('y'), refund(null)])).toEqual([]);
    expect(placesOf(known, [refund(null), refund('y')])).toEqual([]);
  });
});

describe('a group with a new refund', () => {
  it('publishes the refund, and keeps it when the list is empty', () => {
    const snapshot = snapshotOf(read(aRow()));
    const grown = aRow((row) => {
      row.refund_transactions = [
        { type: 'refund_transaction', platform_id: 'new', amount: {}, gateway: null },
      ];
    });

    const taken = take(snapshot, read(grown, 2 * MINUTE));
    const after = take(taken.snapshot, read({ ...aRow(), refund_transactions: [] }, 4 * MINUTE));

    expect(inShort(taken.events)).toEqual([['refund_transaction.created', 'new']]);
    expect(taken.events[0]?.data).not.toHaveProperty('previous_attributes');
    expect(after.verdict).toBe('unchanged');
  });
});

// A nullable string may be empty. All refunds with an empty id counted as one: only the first was ever published.
it.each([
  ['null', null],
  ['empty', ''],
])('a group with two refunds whose ids are %s publishes each of them', (_, platform_id) => {
  const withRefunds = (...amounts: number[]) =>
    aRow((row) => {
      row.refund_transactions = amounts.map((amount) => ({
        ...{ type: 'refund_transaction', platform_id, gateway: 'cards' },
        amount: { shop_money: { amount, currency_code: 'EUR' } },
      }));
    });
  const snapshot = snapshotOf(read(withRefunds()));

  const first = take(snapshot, read(withRefunds(10), 2 * MINUTE));
  const second = take(first.snapshot, read(withRefunds(10, 25), 4 * MINUTE));
  const both = take(snapshot, read(withRefunds(10, 25), 2 * MINUTE));

  expect(inShort(first.events)).toEqual([['refund_transaction.created', 'unidentified-1']]);
  expect(inShort(second.events)).toEqual([['refund_transaction.created', 'unidentified-2']]);
  expect(both.events.map(({ data }) => data.object)).toMatchObject([
    { platform_id: null, amount: { shop_money: { amount: 10 } } },
    { platform_id: null, amount: { shop_money: { amount: 25 } } },
  ]);
});

it('a refund with an id beside an equal one without is published, not the known one again', () => {
  const withRefunds = (...ids: (string | null)[]) =>
    aRow((row) => {
      row.refund_transactions = ids.map((platform_id) => ({
        ...{ type: 'refund_transaction', platform_id, gateway: 'cards' },
        amount: { shop_money: { amount: 25, currency_code: 'EUR' } },
      }));
    });
  const snapshot = snapshotOf(read(withRefunds()));
  const first = take(snapshot, read(withRefunds(null), 2 * MINUTE));

  const second = take(first.snapshot, read(withRefunds(null, 'tx-1'), 4 * MINUTE));

  expect(inShort(second.events)).toEqual([['refund_transaction.created', 'tx-1']]);
});
